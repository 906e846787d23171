// Command goavro writes the fixtures made with goavro into a folder: `go run -C testdata/gen ./goavro ..`
package main

import (
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"

	"github.com/linkedin/goavro/v2"
)

// The sync markers of goavro are random: its files differ from run to run in those 16 bytes and nothing else.
const maker = "goavro-2.15.0"

const trades = `{"type":"record","name":"Trade","namespace":"market","fields":[
 {"name":"id","type":"long"},
 {"name":"symbol","type":"string"},
 {"name":"price","type":"double"},
 {"name":"size","type":"int"},
 {"name":"rate","type":"float"},
 {"name":"buy","type":"boolean"},
 {"name":"key","type":"bytes"},
 {"name":"venue","type":{"type":"enum","name":"Venue","symbols":["NYSE","NASDAQ","LSE"]}},
 {"name":"mark","type":{"type":"fixed","name":"Mark","size":4}},
 {"name":"note","type":["null","string"]},
 {"name":"either","type":["string","null","long","market.Venue"]},
 {"name":"legs","type":{"type":"array","items":{"type":"record","name":"Leg","fields":[
   {"name":"px","type":"double"},{"name":"tags","type":{"type":"array","items":"string"}},{"name":"opt","type":["null","int"]}]}}},
 {"name":"attrs","type":{"type":"map","values":["null","string","long"]}}
]}`

func trade(i int) any {
	venue := []string{"NYSE", "NASDAQ", "LSE"}[i%3]
	return map[string]any{
		"id": int64(i), "symbol": fmt.Sprintf("SYM%d", i%17), "price": float64(i) * 1.25, "size": int32(i - 100),
		"rate": float32(i) / 3, "buy": i%2 == 0, "key": []byte{byte(i), 0, 255}, "venue": venue, "mark": []byte("mark"),
		"note": optional(i%3 == 0, "string", "note"), "either": either(i, venue), "legs": legs(i), "attrs": attrs(i),
	}
}

func optional(null bool, branch string, v any) any {
	if null {
		return nil
	}
	return goavro.Union(branch, v)
}

func either(i int, venue string) any {
	return []any{
		goavro.Union("string", "s"), nil, goavro.Union("long", int64(math.MinInt64)), goavro.Union("market.Venue", venue),
	}[i%4]
}

func legs(i int) []any {
	out := []any{}
	for j := range i % 4 {
		tags := []any{}
		for range j {
			tags = append(tags, "tag")
		}
		out = append(out, map[string]any{"px": float64(j), "tags": tags, "opt": optional(j == 1, "int", int32(j))})
	}
	return out
}

func attrs(i int) map[string]any {
	if i%2 == 0 {
		return map[string]any{}
	}
	return map[string]any{"k": []any{nil, goavro.Union("string", "v"), goavro.Union("long", int64(i))}[i%3]}
}

func main() {
	for _, codec := range []string{"null", "deflate", "snappy"} {
		if err := write(filepath.Join(os.Args[1], "avro", maker+"-trades-"+codec+".avro"), codec); err != nil {
			log.Fatal(err)
		}
	}
}

// write makes a file of 300 rows in blocks of 37.
func write(name, codec string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w, err := goavro.NewOCFWriter(goavro.OCFConfig{W: f, Schema: trades, CompressionName: codec})
	if err != nil {
		return err
	}
	for from := 0; from < 300; from += 37 {
		rows := []any{}
		for i := from; i < min(from+37, 300); i++ {
			rows = append(rows, trade(i))
		}
		if err := w.Append(rows); err != nil {
			return err
		}
	}
	return f.Close()
}
