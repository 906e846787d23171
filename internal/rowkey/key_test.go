package rowkey

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"avro2trevni/internal/avrotest"
	"avro2trevni/internal/columns"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/schema"
	"avro2trevni/mapper"
)

// windows gives one block in windows that grow by a few bytes.
type windows struct {
	data []byte
	rows int64
	step int // bytes of a window beyond those asked for; 0: all at once
	from int
	end  int
}

func (w *windows) Next() (ocf.Block, error) {
	rows := w.rows
	if w.rows = 0; rows == 0 {
		return ocf.Block{}, io.EOF
	}
	return ocf.Block{Rows: rows, Size: int64(len(w.data)), Offset: 99}, nil
}

func (w *windows) Window(unread int) ([]byte, bool, error) {
	if w.step == 0 {
		return w.data, true, nil
	}
	w.from, w.end = w.end-unread, min(len(w.data), w.end+w.step)
	return w.data[w.from:w.end], w.end == len(w.data), nil
}

// cutAll cuts the rows of one block, and returns them with their keys.
func cutAll(t testing.TB, p *mapper.Program, k *Key, data []byte, rows, step int) (cut, keys [][]byte, err error) {
	t.Helper()
	c := NewCutter(p, k, mapper.Options{BlockSize: 1 << 10}, func(key, row []byte) error {
		cut, keys = append(cut, bytes.Clone(row)), append(keys, bytes.Clone(key))
		return nil
	})
	n, err := c.Segment(t.Context(), &windows{data: data, rows: int64(rows), step: step})
	if err == nil && int(n) != len(cut) {
		t.Fatalf("%d rows, %d given", n, len(cut))
	}
	return cut, keys, err
}

func parseText(t testing.TB, text string) *schema.Text {
	t.Helper()
	s, err := schema.ParseText(text)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return s
}

func ascending(descending bool) *bool { return &descending }

// Rows of random schemas are cut out as they are written, and the keys of any two compare
// as the rows do by Avro's order, the slow way.
func TestKeysCompare(t *testing.T) {
	fields := 0
	for seed := range uint64(120) {
		table := avrotest.NewTable(seed)
		text := parseText(t, table.Schema)
		rows := table.Rows(20)
		size := len(bytes.Join(rows, nil))
		p, err := columns.Compile(text.Schema, text.All())
		if err != nil || p.Hollow() {
			continue
		}
		for i, path := range avrotest.Simple(text.Schema) {
			fields++
			desc := i%3 == 0
			k, err := New(text.All(), []Column{{Path: path, Descending: ascending(desc)}})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, table.Schema)
			}
			cut, keys, err := cutAll(t, p, k, bytes.Join(rows, nil), len(rows), []int{0, 1 + size/400, 1000, 5000}[i%4])
			if err != nil || !slices.EqualFunc(cut, rows, bytes.Equal) {
				t.Fatalf("seed %d, %s: other rows, %v\n%s", seed, path, err, table.Schema)
			}
			for a := range rows {
				for b := range rows {
					want := avrotest.Compare(text.Schema, path, rows[a], rows[b])
					if desc {
						want = -want
					}
					if got := bytes.Compare(keys[a], keys[b]); got != want {
						t.Fatalf("seed %d, %s, descending %v: rows %x and %x compare as %d, keys %x and %x as %d\n%s",
							seed, path, desc, rows[a], rows[b], want, keys[a], keys[b], got, table.Schema)
					}
					if a != b && want != 0 && bytes.HasPrefix(keys[a], keys[b]) {
						t.Fatalf("seed %d, %s: key %x begins %x", seed, path, keys[b], keys[a])
					}
				}
			}
		}
	}
	if fields < 60 {
		t.Errorf("only %d fields were tried", fields)
	}
}

// The keys of values at the edges of their types ascend with them.
func TestKeyOrder(t *testing.T) {
	number := func(v ...int64) (all [][]byte) {
		for _, n := range v {
			all = append(all, binary.AppendVarint(nil, n))
		}
		return all
	}
	text := func(v ...string) (all [][]byte) {
		for _, s := range v {
			all = append(all, append(binary.AppendVarint(nil, int64(len(s))), s...))
		}
		return all
	}
	floats := []float64{math.Inf(-1), -math.MaxFloat32, -1, -math.SmallestNonzeroFloat32, math.Copysign(0, -1), 0, math.SmallestNonzeroFloat32, 1, math.Inf(1), math.NaN()}
	var four, eight [][]byte
	for _, f := range floats {
		four = append(four, binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(f))))
		eight = append(eight, binary.LittleEndian.AppendUint64(nil, math.Float64bits(f)))
	}
	for _, c := range []struct {
		kind   schema.Kind
		values [][]byte
	}{
		{schema.Boolean, [][]byte{{0}, {1}}},
		{schema.Int, number(math.MinInt32, -1, 0, 1, 63, 64, math.MaxInt32)},
		{schema.Enum, number(0, 1, 64, 100_000)},
		{schema.Long, number(math.MinInt64, math.MinInt32, -1, 0, 1, math.MaxInt32, math.MaxInt64)},
		{schema.Float, four}, {schema.Double, eight},
		{schema.String, text("", "\x00", "\x00\x00", "\x00\x01", "\x01", "a", "a\x00", "a\x00\xff", "a\x01", "aa", "b", "\xff", "\xff\xff")},
		{schema.Bytes, text("", "\x00", "\x7f", "\x80")},
		{schema.Fixed, text("\x00\x00", "\x00\x01", "\xff\x00")},
	} {
		keys := make([][]byte, len(c.values))
		for i, v := range c.values {
			var err error
			if keys[i], err = appendKey(nil, c.kind, v); err != nil {
				t.Fatal(err)
			}
		}
		for i := range keys {
			for k := range keys {
				if got := bytes.Compare(keys[i], keys[k]); got != cmp.Compare(i, k) {
					t.Errorf("%s: values %d and %d compare as %d: %x, %x", c.kind, i, k, got, keys[i], keys[k])
				}
			}
		}
	}
	other := math.Float64frombits(0xfff0_0000_0000_0001) // a NaN with a sign and something in it
	a, _ := appendKey(nil, schema.Double, eight[len(eight)-1])
	b, _ := appendKey(nil, schema.Double, binary.LittleEndian.AppendUint64(nil, math.Float64bits(other)))
	if !bytes.Equal(a, b) {
		t.Error("not all NaN are alike")
	}
}

const keyed = `{"type":"record","name":"r","fields":[
	{"name":"id","type":"long"},{"name":"down","type":"string","order":"descending"},{"name":"aside","type":"int","order":"ignore"},
	{"name":"tags","type":{"type":"array","items":"string"}},{"name":"attrs","type":{"type":"map","values":"int"}},
	{"name":"none","type":"null"},{"name":"inner","type":{"type":"record","name":"i","fields":[{"name":"x","type":"int"},{"name":"list","type":{"type":"array","items":"int"}}]}},
	{"name":"maybe","type":["null","i"]},{"name":"mixed","type":["null","int",{"type":"array","items":"int"}]},{"name":"opt","type":["string","null"]}]}`

// What cannot be sorted by is refused, with what it is.
func TestKeyRefused(t *testing.T) {
	rows := parseText(t, keyed)
	part, err := rows.Select(nil, []string{"aside", "inner.x", "maybe.x"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rows *schema.Selection
		path string
		want string
	}{
		{rows.All(), "nothing", `there is no "nothing"; there are id, down`},
		{rows.All(), "inner.y", `there is no "inner.y"; there are x, list`},
		{rows.All(), "", "is a record"},
		{rows.All(), "tags", `"tags" is, or is in, a type array`},
		{rows.All(), "attrs", `"attrs" is, or is in, a type map`},
		{rows.All(), "inner.list", "is, or is in, a type array"},
		{rows.All(), "none", "is null"},
		{rows.All(), "inner", "is a record: name its fields"},
		{rows.All(), "maybe", "is a record: name its fields"},
		{rows.All(), "mixed", "a type array"},
		{rows.All(), "id.more", "leads into long, which has no fields"},
		{part, "aside", `there is no "aside"; there are id, down, tags`},
		{part, "inner.x", `there is no "inner.x"; there are list`},
	} {
		_, err := New(c.rows, []Column{{Path: c.path}})
		if !errors.Is(err, ErrKey) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.path, err, c.want)
		}
	}
	if _, err := New(rows.All(), []Column{{Path: "id"}, {Path: "id"}}); err == nil {
		t.Error("a column twice is taken")
	}
}

// The order in the schema holds unless another is given.
func TestSchemaOrder(t *testing.T) {
	rows := parseText(t, keyed)
	for _, c := range []struct {
		path  string
		asked *bool
		plain bool
	}{
		{"down", nil, false}, {"down", ascending(false), true}, {"aside", nil, true}, {"id", nil, true}, {"id", ascending(true), false},
		{"opt", nil, false}, {"inner.x", nil, true}, {"maybe.x", nil, false},
	} {
		k, err := New(rows.All(), []Column{{Path: c.path, Descending: c.asked}})
		if err != nil {
			t.Fatal(err)
		}
		if plain := k.Plain(0) != ""; plain != c.plain {
			t.Errorf("%s: ascends in every row: %v, want %v", c.path, plain, c.plain)
		}
	}
}

// Keys are of the values as they are resolved: promoted, defaulted, other symbols.
func TestKeyResolved(t *testing.T) {
	writer := parseText(t, `{"type":"record","name":"r","fields":[{"name":"n","type":"int"},{"name":"e","type":{"type":"enum","name":"e","symbols":["A","B"]}}]}`)
	reader := parseText(t, `{"type":"record","name":"r","fields":[{"name":"e","type":{"type":"enum","name":"e","symbols":["B","A"]}},
		{"name":"n","type":"double"},{"name":"d","type":"string","default":"dd"},{"name":"o","type":["null","int"],"default":null}]}`)
	p, err := columns.Compile(writer.Schema, reader.All())
	if err != nil {
		t.Fatal(err)
	}
	k, err := New(reader.All(), []Column{{Path: "d"}, {Path: "o"}, {Path: "e"}, {Path: "n"}})
	if err != nil {
		t.Fatal(err)
	}
	var data []byte
	const rows = 3000
	for i := range rows {
		data = append(binary.AppendVarint(data, int64(i-9)), byte(i%2*2))
	}
	_, keys, err := cutAll(t, p, k, data, rows, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, key := range keys {
		n, _ := appendKey(nil, schema.Double, binary.LittleEndian.AppendUint64(nil, math.Float64bits(float64(i-9))))
		want := slices.Concat([]byte("dd\x00\x00\x00\x80\x00\x00"), []byte{byte(1 - i%2)}, n)
		if !bytes.Equal(key, want) {
			t.Fatalf("row %d: %x, want %x", i, key, want)
		}
	}
}

// A key of rows that are resolved is that of the rows as another implementation writes
// them by the reader's schema, for each path there is.
func TestKeysOfResolvedRows(t *testing.T) {
	paths, branches := 0, 0
	for seed := range uint64(300) {
		table := avrotest.NewTable(seed)
		w := parseText(t, table.Schema)
		reader := avrotest.Evolved(table.Rand, w.Schema)
		to := parseText(t, reader)
		p, err := columns.Compile(w.Schema, to.All())
		plain, err2 := columns.Compile(to.Schema, to.All())
		if err != nil || err2 != nil || p.Hollow() || plain.Hollow() {
			continue
		}
		rows := 1 + table.IntN(60)
		data := bytes.Join(table.Rows(rows), nil)
		rewritten, err := avrotest.Rewritten(table.Schema, reader, rows, data)
		if err != nil {
			continue
		}
		for _, path := range avrotest.Simple(to.Schema) {
			k, err := New(to.All(), []Column{{Path: path}})
			if err != nil {
				t.Fatalf("seed %d, %s: %v\n%s", seed, path, err, reader)
			}
			paths++
			if n := k.columns[0].n; n.branches != nil && strings.HasSuffix("."+path, "."+n.simple().s.TypeName()) {
				branches++
			}
			_, want, err := cutAll(t, plain, k, rewritten, rows, 0)
			if err != nil {
				t.Fatal(err)
			}
			_, got, err := cutAll(t, p, k, data, rows, []int{0, 1 + len(data)/400, 100}[table.IntN(3)])
			if err != nil || !slices.EqualFunc(got, want, bytes.Equal) {
				t.Fatalf("seed %d, %s: keys %x, want %x, %v\n%s\nas %s", seed, path, got, want, err, w, reader)
			}
		}
	}
	t.Logf("%d paths, %d of them end in a branch's name", paths, branches)
	if paths < 300 || branches < 100 {
		t.Error("too few were tried")
	}
}

// Damaged rows are refused with the words, and at the place, of the mapper.
func TestCutterRefusesWhatTheMapperDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	tried, refused := 0, 0
	for seed := range uint64(150) {
		table := avrotest.NewTable(seed)
		text := parseText(t, table.Schema)
		p, err := columns.Compile(text.Schema, text.All())
		paths := avrotest.Simple(text.Schema)
		if err != nil || p.Hollow() || len(paths) == 0 {
			continue
		}
		k, err := New(text.All(), []Column{{Path: paths[0]}})
		if err != nil {
			t.Fatal(err)
		}
		rows := table.Rows(20)
		for range 20 {
			data := bytes.Join(rows, nil)
			data[r.IntN(len(data))] ^= 1 << r.IntN(8)
			data = data[:len(data)-r.IntN(2)*r.IntN(len(data))]
			step := r.IntN(3) * 50
			m := mapper.New(p, mapper.Options{BlockSize: 1 << 10}, nil, nil)
			m.Begin(0)
			_, want := m.Segment(t.Context(), &windows{data: data, rows: 20, step: step})
			_, _, got := cutAll(t, p, k, data, 20, step)
			tried++
			if want != nil {
				refused++
			}
			if (want == nil) != (got == nil) || want != nil && want.Error() != got.Error() {
				t.Fatalf("seed %d: the mapper says %v, the cutter %v\n%s", seed, want, got, table.Schema)
			}
		}
	}
	t.Logf("%d of %d were damaged", refused, tried)
	if refused < tried/10 {
		t.Error("hardly anything was refused")
	}
}

// Names may have dots in them; the order is that of the last field on the path, also where a branch
// is named after it; and what is left of a union without its other branches is an option.
func TestKeyPaths(t *testing.T) {
	rows := parseText(t, `{"type":"record","name":"R","fields":[{"name":"a.b","type":{"type":"record","name":"S","fields":[{"name":"c.d","type":"int"}]}},
		{"name":"a","type":{"type":"record","name":"T","fields":[{"name":"x","type":"long"}]}},
		{"name":"u","order":"descending","type":["null","long","string"]},
		{"name":"v","type":["null",{"type":"record","name":"V","fields":[{"name":"x","type":"int"}]},{"type":"record","name":"W","fields":[{"name":"y","type":"int"}]}]}]}`)
	part, err := rows.Select([]string{"v.y"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := func(dst, value []byte) ([]byte, error) { return append(dst, value...), nil }
	for _, c := range []struct {
		rows *schema.Selection
		Column
		turn bool
		typ  string
	}{
		{rows.All(), Column{Path: "a.b.c.d"}, false, "int"},
		{rows.All(), Column{Path: "a.b.c.d.int"}, false, "int"},
		{rows.All(), Column{Path: "a.x"}, false, "long"},
		{rows.All(), Column{Path: "u.string"}, true, "string"},
		{part, Column{Path: "v.y", Text: text}, false, "int"},
	} {
		k, err := New(c.rows, []Column{c.Column})
		if err != nil {
			t.Errorf("%s: %v", c.Path, err)
		} else if k.columns[0].turn != c.turn || k.Type(0).Kind.String() != c.typ {
			t.Errorf("%s: turned: %t, of type %s", c.Path, k.columns[0].turn, k.Type(0))
		}
	}
	if _, err := New(rows.All(), []Column{{Path: "v.y", Text: text}}); err == nil {
		t.Error("a union of several is taken for an option")
	}
}
