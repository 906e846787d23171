package record_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"avro2trevni/record"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// rawColumn is a column as a table of rows with one block of them.
type rawColumn struct {
	name, typ string
	parent    string
	array     bool
	raw       string
}

var types = map[string]trevni.Type{
	"null": trevni.Null, "boolean": trevni.Boolean, "int": trevni.Int, "long": trevni.Long,
	"float": trevni.Float, "double": trevni.Double, "string": trevni.String, "bytes": trevni.Bytes,
}

// made makes a file of rows with the given blocks, whether they make sense or not.
func made(t testing.TB, text string, rows uint32, blocks ...rawColumn) []byte {
	t.Helper()
	h := &trevni.Header{Rows: uint64(rows)}
	if text != "" {
		h.Meta = h.Meta.Set("avro.schema", []byte(text))
	}
	c := &columns{}
	for _, b := range blocks {
		h.Columns = append(h.Columns, trevni.Column{Name: b.name, Type: types[b.typ], Parent: b.parent, Array: b.array})
		c.blocks = append(c.blocks, []trevni.Block{{Rows: rows, RawSize: uint32(len(b.raw)), Size: uint32(len(b.raw))}})
		c.data = append(c.data, [][]byte{[]byte(b.raw)})
	}
	return c.file(t, h)
}

// Blocks that no writer writes: an error at their row, and the rows before.
func TestHostileBlocks(t *testing.T) {
	const (
		option  = `["null","int"]`
		either  = `["int","string"]`
		longs   = `{"type":"array","items":"long"}`
		ints    = `{"type":"array","items":"int"}`
		enums   = `{"type":"array","items":` + suits + `}`
		records = `{"type":"array","items":{"type":"record","name":"R","fields":[{"name":"a","type":"int"}]}}`
		dict    = `{"type":"map","values":"int"}`
		fixed   = `{"type":"fixed","name":"F","size":2}`
		wide    = `{"type":"fixed","name":"F","size":80}`
	)
	branch := func(raw string) rawColumn { return rawColumn{name: "int", typ: "int", array: true, raw: raw} }
	long := strings.Repeat("\xff", 10) + "\x01"
	for _, c := range []struct {
		name, schema string
		rows         uint32
		blocks       []rawColumn
		good         int
		says         string
	}{
		{"long cut", `"long"`, 2, []rawColumn{{name: "long", typ: "long", raw: "\x02\x80"}}, 1, "ends inside a row"},
		{"long too long", `"long"`, 2, []rawColumn{{name: "long", typ: "long", raw: "\x02" + long}}, 1, "more than 64 bits"},
		{"int too long", `"int"`, 2, []rawColumn{{name: "int", typ: "int", raw: "\x02\x80\x80\x80\x80\x20"}}, 1, "32 bits"},
		{"int's left-over", `"int"`, 2, []rawColumn{{name: "int", typ: "int", raw: "\x02\x02\x02"}}, 2, "1 bytes are left"},
		{"symbol", suits, 2, []rawColumn{{name: "E", typ: "int", raw: "\x00\x06"}}, 1, "symbol 3 of an enum of 3"},
		{"symbol negative", suits, 2, []rawColumn{{name: "E", typ: "int", raw: "\x00\x01"}}, 1, "symbol -1 of an enum of 3"},
		{"double cut", `"double"`, 1, []rawColumn{{name: "double", typ: "double", raw: "12345678"}}, 1, ""},
		{"string's length", `"string"`, 2, []rawColumn{{name: "string", typ: "string", raw: "\x02a\x04b"}}, 1, "length 2, 1 bytes left"},
		{"string's length negative", `"string"`, 2, []rawColumn{{name: "string", typ: "string", raw: "\x00\x01"}}, 1, "negative length -1"},
		{"string's length huge", `"string"`, 2, []rawColumn{{name: "string", typ: "string", raw: "\x00\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"}}, 1, "bytes left"},
		{"fixed's length", fixed, 2, []rawColumn{{name: "F", typ: "bytes", raw: "\x04ab\x02a"}}, 1, "length 1 of a fixed of 2"},
		{"fixed's other length", fixed, 2, []rawColumn{{name: "F", typ: "bytes", raw: "\x04ab\x02abc"}}, 1, "length 1 of a fixed of 2"},
		{"fixed cut", fixed, 2, []rawColumn{{name: "F", typ: "bytes", raw: "\x04ab\x04a"}}, 1, "length 2, 1 bytes left"},
		{"large fixed's length", wide, 1, []rawColumn{{name: "F", typ: "bytes", raw: "\x02a"}}, 0, "length 1 of a fixed of 80"},
		{"option of two", option, 2, []rawColumn{branch("\x00\x04\x02\x02")}, 1, "length 2 in a union"},
		{"option cut", option, 3, []rawColumn{branch("\x00\x00")}, 2, "cut short"},
		{"option's run goes on", option, 3, []rawColumn{branch("\x00\x09")}, 3, "2 lengths are left"},
		{"option's length", option, 2, []rawColumn{branch("\x00\xfe\xff\xff\xff\xff\x01")}, 1, "32 bits"},
		{"boolean of two", `["null","boolean"]`, 1, []rawColumn{{name: "boolean", typ: "boolean", array: true, raw: "\x02\x02"}}, 0, "boolean that is 2"},
		{"no branch", either, 2, []rawColumn{branch("\x02\x02\x00"), {name: "string", typ: "string", array: true, raw: "\x00\x00"}}, 1, "no branch"},
		{"two branches", either, 1, []rawColumn{branch("\x02\x02"), {name: "string", typ: "string", array: true, raw: "\x02\x00"}}, 0, "more than one value"},
		{"array cut", longs, 2, []rawColumn{{name: "[]", typ: "long", array: true, raw: "\x00\x06\x02\x02"}}, 1, "cut short"},
		{"array of ints too long", ints, 2, []rawColumn{{name: "[]", typ: "int", array: true, raw: "\x00\x04\x02\x80\x80\x80\x80\x20"}}, 1, "32 bits"},
		{"array of symbols", enums, 2, []rawColumn{{name: "[]", typ: "int", array: true, raw: "\x00\x04\x02\x06"}}, 1, "symbol 3"},
		{"too few elements", records, 2, []rawColumn{{name: "[]", typ: "null", array: true, raw: "\x02\x04"}, {name: "[]#a", typ: "int", parent: "[]", raw: "\x02\x02"}}, 1, "ends inside"},
		{"too many elements", records, 1, []rawColumn{{name: "[]", typ: "null", array: true, raw: "\x02"}, {name: "[]#a", typ: "int", parent: "[]", raw: "\x02\x02"}}, 1, "1 bytes are left"},
		{"no key", dict, 1, []rawColumn{{name: ">", typ: "null", array: true, raw: "\x02"}, {name: ">key", typ: "string", parent: ">", raw: ""}, {name: ">value", typ: "int", parent: ">", raw: "\x02"}}, 0, "ends inside"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := made(t, c.schema, c.rows, c.blocks...)
			for _, max := range []int{1, 100} {
				r := reader(t, data, "")
				good := 0
				_, n, err := r.ReadRows(nil, max)
				for ; err == nil; _, n, err = r.ReadRows(nil, max) {
					good += n
				}
				if c.says == "" && err == io.EOF {
					continue
				}
				if !errors.Is(err, trevni.ErrCorrupt) || !strings.Contains(err.Error(), c.says) || good != c.good {
					t.Errorf("%d rows, then %v; want %d, then an error that says %q", good, err, c.good, c.says)
				}
				if err := r.SeekRow(int64(c.rows) - 1); err != nil && !errors.Is(err, trevni.ErrCorrupt) {
					t.Error(err)
				}
			}
		})
	}
}

// Columns that are not those of the schema are refused.
func TestOtherColumns(t *testing.T) {
	text := rec(fld("a", `"int"`), fld("b", `{"type":"array","items":["null","long"]}`))
	good := []rawColumn{
		{name: "a", typ: "int", raw: "\x02"}, {name: "b[]", typ: "null", array: true, raw: "\x00"},
		{name: "b[]/long", typ: "long", array: true, parent: "b[]"},
	}
	if _, n := all(t, reader(t, made(t, text, 1, good...), ""), 9); n != 1 {
		t.Fatal(n)
	}
	for _, c := range []struct {
		name   string
		change func(b []rawColumn)
		says   string
	}{
		{"a name", func(b []rawColumn) { b[0].name = "c" }, `no column "a"`},
		{"a type", func(b []rawColumn) { b[0].typ = "long" }, `column "a" is not of type int`},
		{"an array", func(b []rawColumn) { b[0].array = true }, `column "a"`},
		{"no array", func(b []rawColumn) { b[2].array = false; b[2].raw = "" }, `column "b[]/long"`},
		{"no parent", func(b []rawColumn) { b[2].parent = ""; b[2].raw = "\x00" }, `column "b[]/long"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			blocks := append([]rawColumn(nil), good...)
			c.change(blocks)
			_, err := record.NewReader(open(t, made(t, text, 1, blocks...)), nil)
			if !errors.Is(err, record.ErrColumns) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want one that says %q", err, c.says)
			}
		})
	}
}

// Files whose metadata are no schema of records, or of one without columns.
func TestOtherFiles(t *testing.T) {
	a := rawColumn{name: "a", typ: "int", raw: "\x02"}
	for _, c := range []struct {
		name, text string
		is         error
	}{
		{"no schema", "", record.ErrNoSchema},
		{"recursive", rec(fld("a", `"int"`), fld("r", `["null","R"]`)), record.ErrColumns},
		{"recursive at once", rec(fld("r", `"R"`)), record.ErrRecursive},
		{"recursive arrays", rec(fld("r", `{"type":"array","items":"R"}`)), record.ErrColumns},
		{"without number", doubling(60), record.ErrColumns},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := record.NewReader(open(t, made(t, c.text, 1, a)), nil); !errors.Is(err, c.is) {
				t.Errorf("%v, want %v", err, c.is)
			}
		})
	}
}

// Faults where a column goes from one block to the next.
func TestHostileBetweenBlocks(t *testing.T) {
	type raw struct {
		rows uint32
		data string
	}
	for name, c := range map[string]struct {
		rows   uint64
		blocks []raw
		says   string
	}{
		"bytes after a block's rows": {2, []raw{{1, "\x02\x04"}, {1, "\x06"}}, `1 bytes are left after`},
		"bytes without rows":         {2, []raw{{1, "\x02"}, {0, "\x02"}, {1, "\x06"}}, `1 bytes in a block of no rows`},
		"no rows, no bytes":          {2, []raw{{1, "\x02"}, {0, ""}, {1, "\x06"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := &trevni.Header{Rows: c.rows, Columns: []trevni.Column{{Name: "long", Type: trevni.Long}}}
			h.Meta = h.Meta.Set("avro.schema", []byte(`"long"`))
			blocks := columns{blocks: make([][]trevni.Block, 1), data: make([][][]byte, 1)}
			for _, b := range c.blocks {
				blocks.blocks[0] = append(blocks.blocks[0], trevni.Block{Rows: b.rows, RawSize: uint32(len(b.data)), Size: uint32(len(b.data))})
				blocks.data[0] = append(blocks.data[0], []byte(b.data))
			}
			rows, _, err := drain(reader(t, blocks.file(t, h), ""))
			if c.says == "" {
				if err != io.EOF || string(rows) != "\x02\x06" {
					t.Errorf("rows %q, %v", rows, err)
				}
				return
			}
			if !errors.Is(err, trevni.ErrCorrupt) || !strings.Contains(err.Error(), c.says) || string(rows) != "\x02" {
				t.Errorf("rows %q, %v", rows, err)
			}
		})
	}
}

// doubling is a schema of few types and no columns, which unfolds to 2^n types.
func doubling(n int) string {
	text := `{"type":"record","name":"R0","fields":[]}`
	for i := range n {
		name := "R" + strings.Repeat("x", i+1)
		inner := "R" + strings.Repeat("x", i)
		if i == 0 {
			inner = "R0"
		}
		text = `{"type":"record","name":"` + name + `","fields":[{"name":"a","type":` + text + `},{"name":"b","type":"` + inner + `"}]}`
	}
	return text
}

// A few bytes may stand for 2^30 nulls: a row has a limit.
func TestRowLimit(t *testing.T) {
	const text = `{"type":"array","items":["null","long"]}`
	const many = 1 << 29
	lengths := block.AppendLong([]byte("\x02"), many)
	nulls := block.AppendLengthRun([]byte("\x00"), false, many)
	data := made(t, text, 2, rawColumn{name: "[]", typ: "null", array: true, raw: string(lengths)},
		rawColumn{name: "[]/long", typ: "long", array: true, parent: "[]", raw: string(nulls)})
	r, err := record.NewReader(open(t, data), &record.Options{RowBytes: 1 << 16})
	if err != nil {
		t.Fatal(err)
	}
	if _, n, err := r.ReadRows(nil, 2); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	var at *record.Error
	if out, n, err := r.ReadRows(nil, 2); !errors.Is(err, record.ErrLimit) || !errors.As(err, &at) || at.Row != 1 || n != 0 || cap(out) > 1<<18 {
		t.Errorf("%d rows, %d bytes of buffer, %v", n, cap(out), err)
	}
	exact := made(t, `"string"`, 2, rawColumn{name: "string", typ: "string", raw: "\x06abc\x08abcd"})
	for _, room := range []int{0, 1000} { // the limit is not the buffer's
		if r, err = record.NewReader(open(t, exact), &record.Options{RowBytes: 4}); err != nil {
			t.Fatal(err)
		}
		if out, n, err := r.ReadRows(make([]byte, 0, room), 2); n != 1 || err != nil || string(out) != "\x06abc" {
			t.Errorf("%q, %d rows, %v", out, n, err)
		}
		if _, _, err := r.ReadRows(make([]byte, 0, room), 2); !errors.Is(err, record.ErrLimit) {
			t.Errorf("a row of 5 bytes: %v", err)
		}
	}
}

func TestOptions(t *testing.T) {
	f := open(t, made(t, `"int"`, 3, rawColumn{name: "int", typ: "int", raw: "\x02\x04\x06"}))
	for _, o := range []record.Options{{BatchBytes: -1}, {RowBytes: -1}} {
		if _, err := record.NewReader(f, &o); err == nil || !strings.Contains(err.Error(), "is -1") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	r, err := record.NewReader(f, &record.Options{BatchBytes: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.ReadRows(nil, 0); err == nil {
		t.Error("no rows were asked for, and no error")
	}
	out, n, err := r.ReadRows([]byte("x"), 10)
	if string(out) != "x\x02\x04" || n != 2 || err != nil || r.Row() != 2 {
		t.Errorf("%q, %d rows, %v, then at %d", out, n, err, r.Row())
	}
	for _, row := range []int64{-1, 4} {
		if err := r.SeekRow(row); !errors.Is(err, record.ErrRange) {
			t.Errorf("row %d: %v", row, err)
		}
	}
	if out, _, err = r.ReadRows(nil, 10); string(out) != "\x06" || err != nil {
		t.Errorf("%q, %v: a seek that failed moved the reader", out, err)
	}
	if err := r.SeekRow(3); err != nil {
		t.Fatal(err)
	}
	if _, _, err = r.ReadRows(nil, 10); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

// TestRowsOfNulls: rows of which no column has a byte are as many as the columns have, not
// what the header says.
func TestRowsOfNulls(t *testing.T) {
	file := made(t, `{"type":"record","name":"R","fields":[{"name":"a","type":"null"}]}`, 3, rawColumn{name: "a", typ: "null"})
	for _, flip := range []byte{0, 1} {
		file[4+5] ^= flip // of the rows, 8 bytes after the magic
		f, err := trevni.NewReader(bytes.NewReader(file), int64(len(file)), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = record.NewReader(f, nil)
		if errors.Is(err, trevni.ErrCorrupt) != (flip != 0) {
			t.Errorf("%d rows: error is %v", f.Header().Rows, err)
		}
	}
}
