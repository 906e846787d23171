package record_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/twmb/avro"

	"avro2trevni/internal/schema"
	"avro2trevni/record"
	"avro2trevni/trevni"
)

// jsonRows reads all rows and returns them in Avro's JSON encoding, a line a row.
func jsonRows(t testing.TB, r *record.Reader) string {
	t.Helper()
	s, err := avro.Parse(r.Schema())
	if err != nil {
		t.Fatalf("%s: %v", r.Schema(), err)
	}
	rows, n := all(t, r, 1<<20)
	var out strings.Builder
	for range n {
		var v any
		if rows, err = s.Decode(rows, &v, avro.TaggedUnions()); err != nil {
			t.Fatal(err)
		}
		b, err := s.EncodeJSON(v, avro.TaggedUnions())
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(b, '\n'))
	}
	if len(rows) > 0 {
		t.Fatalf("%d bytes after the last row", len(rows))
	}
	return out.String()
}

// The documents of the Dremel paper's figure 2, and projections of them, its figure 5
// among those.
func TestDremel(t *testing.T) {
	data := convert(t, filepath.Join(testdata, "avro", "java-1.12.1-dremel-null.avro"), 64<<10)
	for _, c := range []struct{ paths, want string }{
		{"DocId", `{"DocId":10}
{"DocId":20}
`},
		{"DocId Name.Language.Country", `{"DocId":10,"Name":[{"Language":[{"Country":{"string":"us"}},{"Country":null}]},{"Language":[]},{"Language":[{"Country":{"string":"gb"}}]}]}
{"DocId":20,"Name":[{"Language":[]}]}
`},
		{"Links.Forward", `{"Links":{"Links":{"Forward":[20,40,60]}}}
{"Links":{"Links":{"Forward":[80]}}}
`},
		{"Links.Backward Name.Url", `{"Links":{"Links":{"Backward":[]}},"Name":[{"Url":{"string":"http://A"}},{"Url":{"string":"http://B"}},{"Url":null}]}
{"Links":{"Links":{"Backward":[10,30]}},"Name":[{"Url":{"string":"http://C"}}]}
`},
		{"Name.Language.Code Name.Language", `{"Name":[{"Language":[{"Code":"en-us","Country":{"string":"us"}},{"Code":"en","Country":null}]},{"Language":[]},{"Language":[{"Code":"en-gb","Country":{"string":"gb"}}]}]}
{"Name":[{"Language":[]}]}
`},
		{"", `{"DocId":10,"Links":{"Links":{"Backward":[],"Forward":[20,40,60]}},"Name":[{"Language":[{"Code":"en-us","Country":{"string":"us"}},{"Code":"en","Country":null}],"Url":{"string":"http://A"}},{"Language":[],"Url":{"string":"http://B"}},{"Language":[{"Code":"en-gb","Country":{"string":"gb"}}],"Url":null}]}
{"DocId":20,"Links":{"Links":{"Backward":[10,30],"Forward":[80]}},"Name":[{"Language":[],"Url":{"string":"http://C"}}]}
`},
	} {
		text, err := record.Project(reader(t, data, "").Schema(), strings.Fields(c.paths))
		if err != nil {
			t.Fatal(err)
		}
		if got := jsonRows(t, reader(t, data, text)); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.paths, got, c.want)
		}
	}
}

// trv makes a Trevni file of rows given in Avro's JSON encoding, a line a row.
func trv(t testing.TB, text, rows string) []byte {
	t.Helper()
	s, err := avro.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var data []byte
	n := int64(0)
	for line := range strings.Lines(rows) {
		var v any
		if err := s.DecodeJSON([]byte(line), &v, avro.TaggedUnions()); err != nil {
			t.Fatal(err)
		}
		if data, err = s.AppendEncode(data, v); err != nil {
			t.Fatal(err)
		}
		n++
	}
	return shred(t, text, data, n, 64<<10, "null")
}

// rec is the text of a record with fields.
func rec(fields ...string) string {
	return `{"type":"record","name":"R","fields":[` + strings.Join(fields, ",") + `]}`
}

// fld is the text of a field; typ is its type's text, and what follows it.
func fld(name, typ string) string { return `{"name":"` + name + `","type":` + typ + `}` }

const (
	suits   = `{"type":"enum","name":"E","symbols":["A","B","C"]}`
	suits2  = `{"type":"enum","name":"E","symbols":["C","X","A","B"]}`
	suitsAC = `{"type":"enum","name":"E","symbols":["C","A"]}`
	suitsD  = `{"type":"enum","name":"E","symbols":["C","A"],"default":"C"}`
	click   = `{"type":"record","name":"Click","fields":[{"name":"x","type":"int"}]}`
	view    = `{"type":"record","name":"View","fields":[{"name":"u","type":"string"}]}`
)

// Rows read as another schema than that they were written with.
func TestSchemas(t *testing.T) {
	for _, c := range []struct{ name, file, rows, wanted, want string }{
		{"Java's evolved schema", rec(fld("a", `"string"`), fld("b", `"int"`)), `{"a":"record","b":21}`,
			rec(fld("a", `"string"`), fld("b", `"int"`), fld("c", `{"name":"c1","type":"record","fields":[
				{"name":"c11","type":"int","default":2},{"name":"c12","type":"string","default":"goodbye"}]},"default":{"c11":1,"c12":"hello"}`)),
			`{"a":"record","b":21,"c":{"c11":1,"c12":"hello"}}`},
		{"defaults of defaults", rec(), "{}\n{}", rec(fld("c", `{"name":"c1","type":"record","fields":[
				{"name":"c11","type":"int","default":2},{"name":"c12","type":"string","default":"goodbye"}]},"default":{"c12":"x"}`)),
			"{\"c\":{\"c11\":2,\"c12\":\"x\"}}\n{\"c\":{\"c11\":2,\"c12\":\"x\"}}"},
		{"defaults of every type", rec(fld("z", `"null"`)), `{"z":null}`,
			rec(fld("a", `"boolean","default":true`), fld("b", `"int","default":-3`), fld("c", `"long","default":5000000000`),
				fld("d", `"float","default":0.5`), fld("e", `"double","default":1e3`), fld("f", `"bytes","default":"\u00ff\u0001"`),
				fld("g", suits+`,"default":"B"`), fld("h", `{"type":"fixed","name":"F","size":2},"default":"\u00fea"`),
				fld("i", `{"type":"map","values":"int"},"default":{"k":1}`), fld("j", `["null","int"],"default":null`),
				fld("k", `["int","null"],"default":7`), fld("l", `{"type":"array","items":"string"},"default":["é"]`), fld("m", `"null","default":null`)),
			`{"a":true,"b":-3,"c":5000000000,"d":0.5,"e":1000,"f":"\u00ff\u0001","g":"B","h":"\u00fea","i":{"k":1},"j":null,"k":{"int":7},"l":["é"],"m":null}`},
		{"a default in each element", `{"type":"array","items":` + click + `}`, "[{\"x\":1},{\"x\":2}]\n[]",
			`{"type":"array","items":{"type":"record","name":"Click","fields":[{"name":"y","type":"int","default":9},{"name":"x","type":"int"}]}}`,
			"[{\"y\":9,\"x\":1},{\"y\":9,\"x\":2}]\n[]"},
		{"order", rec(fld("a", `"int"`), fld("b", `"string"`)), `{"a":1,"b":"x"}`, rec(fld("b", `"string"`), fld("a", `"int"`)), `{"b":"x","a":1}`},
		{"no fields", rec(fld("a", `"int"`)), "{\"a\":1}\n{\"a\":1}", rec(), "{}\n{}"},
		{"symbols", suits, "\"A\"\n\"B\"\n\"C\"", suits2, "\"A\"\n\"B\"\n\"C\""},
		{"symbols in arrays", `{"type":"array","items":` + suits + `}`, "[\"A\",\"B\"]\n[\"C\"]", `{"type":"array","items":` + suits2 + `}`, "[\"A\",\"B\"]\n[\"C\"]"},
		{"symbols in unions", `["null",` + suits + `]`, "null\n{\"E\":\"B\"}", `["null",` + suits2 + `]`, "null\n{\"E\":\"B\"}"},
		{"a default symbol", suits, "\"A\"\n\"B\"\n\"C\"", suitsD, "\"A\"\n\"C\"\n\"C\""},
		{"int as long, string as bytes", rec(fld("a", `"int"`), fld("b", `"string"`), fld("c", `{"type":"array","items":"int"}`)), `{"a":-1,"b":"x","c":[5,600]}`,
			rec(fld("a", `"long"`), fld("b", `"bytes"`), fld("c", `{"type":"array","items":"long"}`)), `{"a":-1,"b":"x","c":[5,600]}`},
		{"numbers as wider ones", rec(fld("a", `"int"`), fld("b", `"int"`), fld("c", `"long"`), fld("d", `"long"`), fld("e", `"float"`)),
			`{"a":16777217,"b":-2147483648,"c":9007199254740993,"d":-9223372036854775808,"e":0.1}`,
			rec(fld("a", `"float"`), fld("b", `"double"`), fld("c", `"double"`), fld("d", `"float"`), fld("e", `"double"`)),
			`{"a":1.6777216e+07,"b":-2.147483648e+09,"c":9.007199254740992e+15,"d":-9.223372e+18,"e":0.10000000149011612}`},
		{"numbers in arrays, maps and unions", rec(fld("a", `{"type":"array","items":"int"}`), fld("m", `{"type":"map","values":"long"}`), fld("u", `["null","float"]`)),
			`{"a":[1,-2],"m":{"k":3},"u":{"float":1.5}}` + "\n" + `{"a":[],"m":{},"u":null}`,
			rec(fld("a", `{"type":"array","items":"double"}`), fld("m", `{"type":"map","values":"float"}`), fld("u", `["double","null"]`)),
			`{"a":[1,-2],"m":{"k":3},"u":{"double":1.5}}` + "\n" + `{"a":[],"m":{},"u":null}`},
		{"fields by their aliases", rec(fld("a", `"int"`), fld("b", `"int"`)), `{"a":1,"b":2}`,
			rec(fld("x", `"int","aliases":["q","b"]`), fld("y", `"long","aliases":["a"]`)), `{"x":2,"y":1}`},
		{"branches by their aliases", `["null",` + click + `,` + view + `]`, "{\"Click\":{\"x\":6}}\n{\"View\":{\"u\":\"v\"}}",
			`["null",{"type":"record","name":"Push","aliases":["Click"],"fields":[{"name":"x","type":"int"}]}]`, "{\"Push\":{\"x\":6}}\nnull"},
		{"the least and the largest int", `{"type":"array","items":"int"}`, `[-2147483648,2147483647]`, `{"type":"array","items":"long"}`, `[-2147483648,2147483647]`},
		{"branches in another order", `["null","int",` + click + `]`, "null\n{\"int\":5}\n{\"Click\":{\"x\":6}}", `[` + click + `,"null","int"]`, "null\n{\"int\":5}\n{\"Click\":{\"x\":6}}"},
		{"null where a branch is lacking", `["null",` + click + `,` + view + `]`, "null\n{\"Click\":{\"x\":6}}\n{\"View\":{\"u\":\"v\"}}", `["null",` + click + `]`, "null\n{\"Click\":{\"x\":6}}\nnull"},
		{"more branches", `["null","int"]`, "null\n{\"int\":5}", `["string","int","null"]`, "null\n{\"int\":5}"},
		{"a record called map is no map", `["null",{"type":"map","values":"int"}]`, "null\n{\"map\":{\"k\":1}}", `["null",{"type":"record","name":"map","fields":[]}]`, "null\nnull"},
		{"a meaning where there was none", `"long"`, "4", `{"type":"long","logicalType":"timestamp-micros"}`, "4"},
		{"null alone", `["null","int"]`, "null\n{\"int\":5}", `["null"]`, "null\nnull"},
		{"a union of what was none", `"int"`, "4\n5", `["null","int"]`, "{\"int\":4}\n{\"int\":5}"},
		{"a union of what was none, as long", `{"type":"array","items":"int"}`, "[4,5]", `{"type":"array","items":["null","long"]}`, `[{"long":4},{"long":5}]`},
		{"a union of booleans in arrays", `{"type":"array","items":"boolean"}`, "[true,false,true,true,true,true,true,true,false,true]\n[]\n[true]",
			`{"type":"array","items":["null","boolean"]}`, "[{\"boolean\":true},{\"boolean\":false},{\"boolean\":true},{\"boolean\":true},{\"boolean\":true},{\"boolean\":true},{\"boolean\":true},{\"boolean\":true},{\"boolean\":false},{\"boolean\":true}]\n[]\n[{\"boolean\":true}]"},
		{"a union of null in arrays", `{"type":"array","items":"null"}`, "[null,null]", `{"type":"array","items":["int","null"]}`, `[null,null]`},
		{"int and string as long and bytes in a union", `["int","string"]`, "{\"int\":4}\n{\"string\":\"x\"}", `["bytes","long"]`, "{\"long\":4}\n{\"bytes\":\"x\"}"},
		{"a field of a map's records", `{"type":"map","values":` + rec(fld("a", `"int"`), fld("b", `"int"`)) + `}`, `{"k":{"a":1,"b":2}}`, `{"type":"map","values":` + rec(fld("b", `"int"`)) + `}`, `{"k":{"b":2}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := jsonRows(t, reader(t, trv(t, c.file, c.rows), c.wanted))
			if got != c.want+"\n" {
				t.Errorf("\n%s, want\n%s", got, c.want)
			}
		})
	}
}

// What does not fit is refused when the reader is made.
func TestMisfits(t *testing.T) {
	deep := rec(fld("r", `{"type":"record","name":"S","fields":[{"name":"a","type":"int"}]}`))
	for _, c := range []struct {
		name, file, wanted string
		is                 error
		says               string
	}{
		{"type", `"int"`, `"string"`, record.ErrMismatch, "int in the file, string wanted, at the top level"},
		{"type, deep", deep, rec(fld("r", `{"type":"record","name":"S","fields":[{"name":"a","type":"string"}]}`)), record.ErrMismatch, `at "r#a"`},
		{"record and array", deep, `{"type":"array","items":"int"}`, record.ErrMismatch, "record R in the file, array wanted"},
		{"fixed's size", `{"type":"fixed","name":"F","size":2}`, `{"type":"fixed","name":"F","size":3}`, record.ErrMismatch, ""},
		{"long as int", `"long"`, `"int"`, record.ErrMismatch, ""},
		{"no union wanted", `["null","int"]`, `"int"`, record.ErrMismatch, ""},
		{"no branch of it", `["int","string"]`, `["boolean",` + suits + `]`, record.ErrMismatch, "no branch"},
		{"double as float", `"double"`, `"float"`, record.ErrMismatch, ""},
		{"float as long", `"float"`, `"long"`, record.ErrMismatch, ""},
		{"bytes as fixed", `"bytes"`, `{"type":"fixed","name":"F","size":3}`, record.ErrMismatch, ""},
		{"an alias of nobody's", rec(fld("a", `"int"`)), rec(fld("b", `"int","aliases":["c"]`)), record.ErrNoDefault, `"b"`},
		{"no branch for it", `"int"`, `["null","string"]`, record.ErrMismatch, "is no branch"},
		{"no default", rec(), rec(fld("a", `"int"`)), record.ErrNoDefault, `"a" of record R`},
		{"default of another type", rec(), rec(fld("a", `"int","default":"x"`)), record.ErrDefault, `"a"`},
		{"default out of range", rec(), rec(fld("a", `"int","default":5000000000`)), record.ErrDefault, ""},
		{"default of no symbol", rec(), rec(fld("a", suits+`,"default":"Q"`)), record.ErrDefault, ""},
		{"default of no branch", rec(), rec(fld("a", `["null","int"],"default":"Q"`)), record.ErrDefault, ""},
		{"default fixed too long", rec(), rec(fld("a", `{"type":"fixed","name":"F","size":1},"default":"ab"`)), record.ErrDefault, ""},
		{"default without end", rec(), rec(fld("a", `{"type":"record","name":"S","fields":[{"name":"s","type":"S","default":{}}]},"default":{}`)), record.ErrDefault, "without end"},
		{"symbol's default", suits, `{"type":"enum","name":"E","symbols":["A"],"default":"Q"}`, record.ErrDefault, ""},
		{"another meaning", rec(fld("a", `{"type":"long","logicalType":"timestamp-millis"}`)), rec(fld("a", `{"type":"long","logicalType":"timestamp-micros"}`)), record.ErrMismatch, `timestamp-millis`},
		{"another meaning in an array", `{"type":"array","items":{"type":"int","logicalType":"date"}}`, `{"type":"array","items":{"type":"int","logicalType":"time-millis"}}`, record.ErrMismatch, `date`},
		{"another scale", `{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}`, `{"type":"bytes","logicalType":"decimal","precision":9,"scale":3}`, record.ErrMismatch, `decimal(9,2)`},
		{"no schema", `"int"`, `{"type":"int`, schema.ErrSchema, "wanted schema"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := open(t, shred(t, c.file, nil, 0, 64<<10, "null"))
			_, err := record.NewReader(f, &record.Options{Schema: c.wanted})
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v; want %v that says %q", err, c.is, c.says)
			}
		})
	}
}

// A value that the wanted schema lacks is an error at its row, and those before are
// had, and those after by a seek.
func TestNoMatch(t *testing.T) {
	for _, c := range []struct{ name, file, rows, wanted string }{
		{"symbol", suits, "\"A\"\n\"B\"\n\"C\"", suitsAC},
		{"branch", `["int","string"]`, "{\"int\":5}\n{\"string\":\"x\"}\n{\"int\":6}", `["int"]`},
		{"null", `["null","int"]`, "{\"int\":5}\nnull\n{\"int\":6}", `["int"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := reader(t, trv(t, c.file, c.rows), c.wanted)
			if _, n, err := r.ReadRows(nil, 10); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			var at *record.Error
			for range 2 {
				out, n, err := r.ReadRows([]byte("x"), 10)
				if !errors.Is(err, record.ErrNoMatch) || !errors.As(err, &at) || at.Row != 1 || n != 0 || string(out) != "x" {
					t.Fatalf("%q, %d rows, %v", out, n, err)
				}
			}
			if err := r.SeekRow(2); err != nil {
				t.Fatal(err)
			}
			if _, n, err := r.ReadRows(nil, 10); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			if _, _, err := r.ReadRows(nil, 10); err != io.EOF {
				t.Fatal(err)
			}
		})
	}
}

// counter counts the bytes read of each part of a file.
type counter struct {
	*bytes.Reader
	mu    sync.Mutex
	spans [][2]int64
}

func (c *counter) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.Reader.ReadAt(p, off)
	c.mu.Lock()
	c.spans = append(c.spans, [2]int64{off, off + int64(n)})
	c.mu.Unlock()
	return n, err
}

// times returns how many times each byte of the file was read.
func (c *counter) times() []int {
	n := make([]int, c.Size())
	for _, s := range c.spans {
		for i := s[0]; i < s[1]; i++ {
			n[i]++
		}
	}
	return n
}

// counted opens a file, and returns what its columns' bytes are.
func counted(t *testing.T, data []byte) (*counter, *trevni.Reader) {
	t.Helper()
	src := &counter{Reader: bytes.NewReader(data)}
	f, err := trevni.NewReader(src, int64(len(data)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return src, f
}

// A projection reads the header, the columns it needs, and no byte of another; none
// twice.
func TestProjectionReadsItsColumnsOnly(t *testing.T) {
	rows, n := table(t, events)
	data := shred(t, events, rows, n, 64<<10, "null")
	for _, c := range []struct{ path, columns string }{
		{"id", "id"},
		{"items.sku", "items[] items[]#sku"},
		{"items.tags", "items[] items[]#tags[]"},
		{"what.url", "what/view what/view#url"},
	} {
		if got := strings.Join(projected(t, data, events, c.path), " "); got != c.columns {
			t.Errorf("%s: read columns %s, want %s", c.path, got, c.columns)
		}
	}
}

// Of every field of every fixture of Java's, whatever its type, a projection reads the
// columns of that field only.
func TestProjectionsOfFixtures(t *testing.T) {
	fields := 0
	for _, path := range fixtures(t, "trevni", ".trv") {
		t.Run(name(path), func(t *testing.T) {
			data := read(t, path)
			r := reader(t, data, "")
			for _, field := range topFields(t, r.Schema()) {
				fields++
				for _, column := range projected(t, data, r.Schema(), field) {
					if rest, ok := strings.CutPrefix(column, field); !ok || rest != "" && !strings.ContainsAny(rest[:1], "/#[>") {
						t.Errorf("of %s column %s was read", field, column)
					}
				}
			}
		})
	}
	if fields < 100 {
		t.Errorf("only %d fields", fields)
	}
}

// topFields returns the names of a record's fields, none for other schemas.
func topFields(t *testing.T, text string) (names []string) {
	t.Helper()
	if !strings.HasPrefix(text, "{") { // a union, or a type's name
		return nil
	}
	var s struct{ Fields []struct{ Name string } }
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Fields {
		if f.Name != "" { // which no path leads to
			names = append(names, f.Name)
		}
	}
	return names
}

// projected reads all rows of a file with only one field, and returns the columns
// that were read. It fails if a byte was read twice, or a column in part, but for blocks
// of nulls, or anything else but the header.
func projected(t *testing.T, data []byte, schema, path string) (columns []string) {
	t.Helper()
	want, err := record.Project(schema, []string{path})
	if err != nil {
		t.Fatal(err)
	}
	src, f := counted(t, data)
	r, err := record.NewReader(f, &record.Options{Schema: want})
	if err != nil {
		t.Fatal(err)
	}
	all(t, r, 1<<20)
	left := src.times()
	part := func(what string, from, to int64) bool {
		once := left[from]
		for at := from; at < to; at++ {
			if left[at] != once || once > 1 {
				t.Errorf("%s: %s from %d to %d: byte %d was read %d times", path, what, from, to, at, left[at])
				break
			}
		}
		clear(left[from:to])
		return once > 0
	}
	if !part("header", 0, f.HeaderSize()) {
		t.Error("no header was read")
	}
	for i := range f.Header().Columns {
		offsets, err := f.BlockOffsets(i)
		if err != nil {
			t.Fatal(err)
		}
		c := &f.Header().Columns[i]
		end := offsets[len(offsets)-1]
		if c.Type == trevni.Null && !c.Array { // of which the blocks are not needed
			end = offsets[0]
		}
		if part("column", f.ColumnOffset(i), end) {
			columns = append(columns, c.Name)
		}
	}
	if slices.Max(left) > 0 {
		t.Errorf("%s: bytes of nothing were read", path)
	}
	return columns
}

// To have a row in the middle, a block of each column is read, and of an array with
// others under it perhaps one more.
func TestSeekReadsFewBlocks(t *testing.T) {
	rows, n := table(t, events)
	data := shred(t, events, rows, n, 64<<10, "null")
	src, f := counted(t, data)
	r, err := record.NewReader(f, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int64{n / 2, n / 3, n - 1} {
		src.spans = nil
		if err := r.SeekRow(at); err != nil {
			t.Fatal(err)
		}
		if _, _, err := r.ReadRows(nil, 1); err != nil {
			t.Fatal(err)
		}
		if most := len(f.Header().Columns) + 3; len(src.spans) > most {
			t.Errorf("row %d: %d reads, want at most %d", at, len(src.spans), most)
		}
		src.spans = nil
		if err := r.SeekRow(at); err != nil {
			t.Fatal(err)
		}
		if at == n/2 && len(src.spans) > 3 {
			t.Errorf("the same row again: %d reads", len(src.spans))
		}
	}
}
