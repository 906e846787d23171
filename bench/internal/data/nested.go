package data

import (
	"math/rand/v2"
	"time"

	"github.com/linkedin/goavro/v2"
)

// NestedSchema is a click stream as applications log it: records in records,
// arrays of records with arrays of their own, unions of records. It has no map,
// because totrevni fails on any.
const NestedSchema = `{"type":"record","name":"Event","namespace":"shop","fields":[
 {"name":"id","type":"long"},
 {"name":"at","type":{"type":"long","logicalType":"timestamp-millis"}},
 {"name":"user","type":{"type":"record","name":"User","fields":[
  {"name":"id","type":"long"},
  {"name":"country","type":{"type":"enum","name":"Country","symbols":["AT","CH","DE","FR","IT","NL","PL","SE"]}},
  {"name":"email","type":["null","string"]}]}},
 {"name":"tags","type":{"type":"array","items":"string"}},
 {"name":"items","type":{"type":"array","items":{"type":"record","name":"Item","fields":[
  {"name":"sku","type":"string"},
  {"name":"quantity","type":"int"},
  {"name":"price","type":"double"},
  {"name":"attributes","type":{"type":"array","items":{"type":"record","name":"Attribute","fields":[
   {"name":"key","type":"string"},
   {"name":"value","type":["null","long","double","string"]}]}}}]}}},
 {"name":"headers","type":{"type":"array","items":{"type":"record","name":"Header","fields":[
  {"name":"name","type":"string"},{"name":"value","type":"string"}]}}},
 {"name":"payload","type":["null",
  {"type":"record","name":"View","fields":[{"name":"url","type":"string"},{"name":"millis","type":"int"}]},
  {"type":"record","name":"Click","fields":[{"name":"x","type":"int"},{"name":"y","type":"int"},{"name":"target","type":"string"}]},
  {"type":"record","name":"Purchase","fields":[{"name":"total","type":"double"},{"name":"coupons","type":{"type":"array","items":"string"}}]}]}
]}`

// Nested is a million such events.
func Nested() Table {
	return Table{Name: "nested", Schema: NestedSchema, rows: func(emit func(any) error) error {
		r := rand.New(rand.NewPCG(seed, 1))
		return repeat(1_000_000, emit, func(i int) any { return event(r, i) })
	}}
}

func event(r *rand.Rand, i int) any {
	return map[string]any{
		"id":      int64(i),
		"at":      epoch.Add(time.Duration(i) * 37 * time.Millisecond),
		"user":    user(r),
		"tags":    list(r.IntN(4), func() any { return words[r.IntN(len(words))] }),
		"items":   list(r.IntN(6), func() any { return item(r) }),
		"headers": []any{header("agent", sentence(r, 3)), header("referrer", sentence(r, 2))},
		"payload": payload(r),
	}
}

func user(r *rand.Rand) any {
	var email any
	if r.IntN(10) > 0 {
		email = goavro.Union("string", words[r.IntN(len(words))]+"@example.org")
	}
	countries := []string{"AT", "CH", "DE", "FR", "IT", "NL", "PL", "SE"}
	return map[string]any{"id": r.Int64N(1 << 24), "country": countries[r.IntN(8)], "email": email}
}

func item(r *rand.Rand) any {
	return map[string]any{
		"sku":        words[r.IntN(len(words))] + "-" + words[r.IntN(len(words))],
		"quantity":   int32(1 + r.IntN(9)),
		"price":      float64(r.IntN(100_000)) / 100,
		"attributes": list(r.IntN(8), func() any { return attribute(r) }),
	}
}

func attribute(r *rand.Rand) any {
	return map[string]any{"key": words[r.IntN(8)], "value": []any{
		nil, goavro.Union("long", r.Int64N(5000)), goavro.Union("double", float64(r.IntN(500))/4), goavro.Union("string", sentence(r, 2)),
	}[r.IntN(4)]}
}

func header(name, value string) any { return map[string]any{"name": name, "value": value} }

func payload(r *rand.Rand) any {
	switch r.IntN(10) {
	case 0:
		return nil
	case 1, 2:
		return goavro.Union("shop.Purchase", map[string]any{
			"total": float64(r.IntN(1e6)) / 100, "coupons": list(r.IntN(3), func() any { return sentence(r, 1) }),
		})
	case 3, 4, 5:
		return goavro.Union("shop.Click", map[string]any{"x": int32(r.IntN(1920)), "y": int32(r.IntN(1080)), "target": sentence(r, 1)})
	default:
		return goavro.Union("shop.View", map[string]any{"url": "/" + sentence(r, 1), "millis": int32(r.IntN(60_000))})
	}
}

func list(n int, next func() any) []any {
	all := make([]any, n)
	for i := range all {
		all[i] = next()
	}
	return all
}
