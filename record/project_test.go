package record_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"avro2trevni/internal/schema"
	"avro2trevni/record"
)

func TestProject(t *testing.T) {
	const (
		pair   = `{"type":"record","name":"P","fields":[{"name":"x","type":"int","default":1},{"name":"y","type":"int"}]}`
		twice  = `{"type":"record","name":"R","namespace":"n","fields":[{"name":"a","type":` + pair + `},{"name":"b","type":["null","P"]},{"name":"c","type":{"type":"array","items":"n.P"}}]}`
		spaces = `{"type":"record","name":"n.R","fields":[{"name":"a","type":{"type":"enum","name":"m.E","symbols":["A"]}},{"name":"b","type":"m.E"},
			{"name":"c","type":{"type":"record","name":"S","namespace":"","fields":[{"name":"e","type":"m.E"}]}}]}`
		list = `{"type":"record","name":"L","doc":"<list>","fields":[{"name":"v","type":"int"},{"name":"next","type":["null","L"],"default":null}]}`
	)
	for _, c := range []struct{ name, text, paths, want string }{
		{"one field", pair, "y", `{"type":"record","name":"P","fields":[{"name":"y","type":"int"}]}`},
		{"all, in their order", pair, "y x", pair},
		{"a default stays", pair, "x", `{"type":"record","name":"P","fields":[{"name":"x","type":"int","default":1}]}`},
		{"a definition moves", twice, "b", `{"type":"record","name":"R","namespace":"n","fields":[{"name":"b","type":["null",` + pair + `]}]}`},
		{"in an array", twice, "c.x", `{"type":"record","name":"R","namespace":"n","fields":[{"name":"c","type":{"type":"array","items":{"type":"record","name":"P","fields":[{"name":"x","type":"int","default":1}]}}}]}`},
		{"a type keeps what any place keeps", twice, "a.x b.y", `{"type":"record","name":"R","namespace":"n","fields":[{"name":"a","type":` + pair + `},{"name":"b","type":["null","P"]}]}`},
		{"namespaces", spaces, "b c", `{"type":"record","name":"R","namespace":"n","fields":[{"name":"b","type":{"type":"enum","name":"E","namespace":"m","symbols":["A"]}},{"name":"c","type":{"type":"record","name":"S","namespace":"","fields":[{"name":"e","type":"m.E"}]}}]}`},
		{"recursive", list, "next.next.v", list},
		{"recursive, cut", list, "v", `{"type":"record","name":"L","doc":"<list>","fields":[{"name":"v","type":"int"}]}`},
		{"branches", `{"type":"map","values":["null","string",` + pair + `]}`, "y", `{"type":"map","values":["null",{"type":"record","name":"P","fields":[{"name":"y","type":"int"}]}]}`},
		{"no null", `["string",` + pair + `]`, "y", `["string",{"type":"record","name":"P","fields":[{"name":"y","type":"int"}]}]`},
		{"defaults of what is no more", `{"type":"record","name":"R","fields":[{"name":"a","type":` + pair + `,"default":{"x":1,"y":2}},{"name":"b","type":["string","null",{"type":"record","name":"Q","fields":[{"name":"z","type":"int"}]}],"default":""}]}`, "a.x b.z",
			`{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"record","name":"P","fields":[{"name":"x","type":"int","default":1}]}},{"name":"b","type":["null",{"type":"record","name":"Q","fields":[{"name":"z","type":"int"}]}]}]}`},
		{"dots in names", `{"type":"record","name":"R","fields":[{"name":"a","type":"int"},{"name":"a.b","type":` + pair + `}]}`, "a.b.y", `{"type":"record","name":"R","fields":[{"name":"a.b","type":{"type":"record","name":"P","fields":[{"name":"y","type":"int"}]}}]}`},
		{"wrapped", `{"type":{"type":"array","items":{"type":` + pair + `}}}`, "x", `{"type":"array","items":{"type":"record","name":"P","fields":[{"name":"x","type":"int","default":1}]}}`},
		{"logical types", `{"type":"record","name":"R","fields":[{"name":"t","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"when"},{"name":"u","type":"int"}]}`, "t",
			`{"type":"record","name":"R","fields":[{"name":"t","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"when"}]}`},
		{"no paths", spaces, "", spaces},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := record.Project(c.text, strings.Fields(c.paths))
			if err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("%s\ngot  %s\nwant %s", c.paths, got, c.want)
			}
			if _, err := schema.Parse(got); err != nil {
				t.Error(err)
			}
		})
	}
}

// equal compares values as decoded, NaN with NaN too.
func equal(a, b any) bool {
	decimals := cmp.Comparer(func(x, y *big.Rat) bool { return x.Cmp(y) == 0 })
	return cmp.Equal(a, b, cmpopts.EquateNaNs(), decimals)
}

func TestProjectErrors(t *testing.T) {
	text := rec(fld("a", click), fld("b", `["null","int"]`))
	for _, path := range []string{"c", "a.y", "a.x.z", "b.int", "a.", ".a", "ab", "."} {
		if _, err := record.Project(text, []string{"a", path}); !errors.Is(err, record.ErrNoField) || !strings.Contains(err.Error(), `"`+path+`"`) {
			t.Errorf("%q: %v", path, err)
		}
	}
	if _, err := record.Project("{", []string{"a"}); !errors.Is(err, schema.ErrSchema) {
		t.Error(err)
	}
}

// undecoded are the fixtures that the decoder of these tests does not take: misplaced
// logical types, more values without bytes than it allows, and an array with a name.
var undecoded = map[string]bool{
	"fastavro-1.13.1-logical": true, "handmade-many-zero-bytes": true, "fastavro-1.13.1-default-unnamed": true,
}

// Every field of every fixture can be had alone: what a path keeps of the rows is
// what the rows have there.
func TestProjectFixtures(t *testing.T) {
	for _, path := range fixtures(t, "avro", ".avro") {
		t.Run(name(path), func(t *testing.T) {
			text, rows, n := avroRows(t, path)
			s, err := schema.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			data := shred(t, text, rows, n, 1<<10, "null")
			if len(rows) > 100_000 || undecoded[name(path)] {
				t.Skip("large, or nothing that decodes it")
			}
			whole := decode(t, text, rows, n)
			for _, f := range s.Fields[:min(len(s.Fields), 12)] {
				if f.Name == "" {
					continue // no path leads to it
				}
				want, err := record.Project(text, []string{f.Name})
				if err != nil {
					t.Fatal(err)
				}
				got, k := all(t, reader(t, data, want), 1<<20)
				if k != n {
					t.Fatalf("%s: %d rows, want %d", f.Name, k, n)
				}
				for i, part := range decode(t, want, got, n) {
					a, b := part.(map[string]any), whole[i].(map[string]any)
					if len(a) != 1 || !equal(a[f.Name], b[f.Name]) {
						t.Fatalf("%s: row %d is %v, want %v", f.Name, i, a[f.Name], b[f.Name])
					}
				}
			}
		})
	}
}
