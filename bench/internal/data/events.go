package data

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/linkedin/goavro/v2"
)

// eventRows make about 300 MB of snappy Avro.
const eventRows = 1_670_000

// eventFields are what TPC-H has none of, and services log all day. Every field is a union
// with null, as polars writes it:
//
//	id        a snowflake: longs of 9 bytes in Avro, that grow
//	trace     a hash: longs of 9 and 10 bytes
//	at        seconds since 1970: ints of 5 bytes
//	received  nanoseconds since 1970: longs of 9 bytes
//	digest    32 bytes, of which nothing can be compressed
//	action    an enum of 100 symbols: from the 65th on, two bytes
//	url, payload  strings of 64 bytes and more, whose lengths take two
var eventFields = []struct{ name, schema, branch string }{
	{"id", `"long"`, "long"},
	{"trace", `"long"`, "long"},
	{"at", `"int"`, "int"},
	{"received", `"long"`, "long"},
	{"account", `"string"`, "string"},
	{"action", "", "log.Action"},
	{"url", `"string"`, "string"},
	{"agent", `"string"`, "string"},
	{"payload", `"string"`, "string"},
	{"digest", `{"type":"fixed","name":"Digest","namespace":"log","size":32}`, "log.Digest"},
	{"status", `"int"`, "int"},
	{"seconds", `"double"`, "double"},
	{"cached", `"boolean"`, "boolean"},
}

// actions are more than the 64 whose index is one byte.
var actions = func() (all []string) {
	for _, verb := range strings.Fields("open close view edit create delete share export import restore") {
		for _, noun := range strings.Fields("page file user team invoice report device token order cart") {
			all = append(all, verb+"_"+noun)
		}
	}
	return all
}()

// agents are what programs call themselves, the first far more often than the last.
var agents = []string{
	"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:142.0) Gecko/20100101 Firefox/142.0",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
	"okhttp/5.1.0", "curl/8.15.0", "python-requests/2.32.5",
}

// EventSchema is that of [Events].
func EventSchema() string {
	fields := make([]string, len(eventFields))
	for i, f := range eventFields {
		schema := f.schema
		if schema == "" {
			schema = fmt.Sprintf(`{"type":"enum","name":"Action","namespace":"log","symbols":["%s"]}`, strings.Join(actions, `","`))
		}
		fields[i] = fmt.Sprintf(`{"name":%q,"type":["null",%s]}`, f.name, schema)
	}
	return `{"type":"record","name":"events","namespace":"log","fields":[` + strings.Join(fields, ",") + `]}`
}

// Events is a log whose values leave the paths that are fast for small numbers and short
// strings.
func Events() Table {
	return Table{Name: "events", Schema: EventSchema(), rows: func(emit func(any) error) error {
		r := rand.New(rand.NewPCG(seed, 2))
		return repeat(eventRows, emit, func(i int) any { return logged(r, i) })
	}}
}

// logged is the i-th row: a field in fifty is null, but for the id.
func logged(r *rand.Rand, i int) any {
	millis := epoch.UnixMilli() + int64(i)*41 + r.Int64N(40)
	row := make(map[string]any, len(eventFields))
	for k, v := range []any{
		(millis-1_288_834_974_657)<<22 | r.Int64N(1<<22),
		int64(r.Uint64()),
		int32(millis / 1000),
		millis*1_000_000 + r.Int64N(1_000_000),
		fmt.Sprintf("acct-%06d", r.IntN(40_000)),
		actions[min(r.IntN(len(actions)), r.IntN(len(actions)))],
		address(r),
		agents[min(r.IntN(len(agents)), r.IntN(len(agents)))],
		json(r, i),
		randomBytes(r, 32),
		int32([]int{200, 200, 200, 200, 204, 301, 404, 500}[r.IntN(8)]),
		float64(r.IntN(4_000_000)) / 1e6,
		r.IntN(3) == 0,
	} {
		f := &eventFields[k]
		if k > 0 && r.IntN(50) == 0 {
			row[f.name] = nil
			continue
		}
		row[f.name] = goavro.Union(f.branch, v)
	}
	return row
}

// address is a URL of 70 to 130 bytes.
func address(r *rand.Rand) string {
	return fmt.Sprintf("https://%s.example.org/%s/%s/%d?session=%s&ref=%s", words[r.IntN(8)], words[r.IntN(len(words))],
		words[r.IntN(len(words))], r.IntN(1_000_000), hex.EncodeToString(randomBytes(r, 8)), words[r.IntN(len(words))])
}

// json is a document of 100 to 200 bytes.
func json(r *rand.Rand, i int) string {
	return fmt.Sprintf(`{"seq":%d,"tags":[%q,%q],"cart":{"items":%d,"total":%d.%02d,"currency":"EUR"},"note":%q,"retry":%t}`,
		i, words[r.IntN(len(words))], words[r.IntN(len(words))], r.IntN(12), r.IntN(2000), r.IntN(100), sentence(r, 6), r.IntN(20) == 0)
}
