package trevni

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// diff returns what differs between two tables, "" if nothing does.
func diff(got, want *table) string {
	if reflect.DeepEqual(got, want) { // cmp takes a hundred times as long
		return ""
	}
	return cmp.Diff(want, got, cmp.AllowUnexported(table{}, tableColumn{}),
		cmpopts.EquateEmpty(), cmpopts.EquateNaNs())
}

// compare fails if two tables differ.
func compare(t rapidOrT, got, want *table) {
	t.Helper()
	if d := diff(got, want); d != "" {
		t.Fatalf("table differs (-want +got):\n%s", d)
	}
}

type rapidOrT interface {
	Helper()
	Fatalf(format string, args ...any)
}

// samples are values of each type, the least, the greatest and those about a byte's
// end among them.
var samples = [types][]any{
	Null:    {nil},
	Boolean: {true, false, false, true, true},
	Int:     {int32(0), int32(-1), int32(63), int32(64), int32(math.MinInt32), int32(math.MaxInt32)},
	Long:    {int64(0), int64(-65), int64(8191), int64(math.MinInt64), int64(math.MaxInt64)},
	Fixed32: {uint32(0), uint32(1), uint32(math.MaxUint32)},
	Fixed64: {uint64(0), uint64(1 << 40), uint64(math.MaxUint64)},
	Float:   {float32(0), float32(math.Inf(-1)), float32(math.Copysign(0, -1)), float32(1.5)},
	Double:  {0.0, math.Inf(1), math.SmallestNonzeroFloat64, -2.25},
	String:  {"", "a", "été", string(make([]byte, 300))},
	Bytes:   {[]byte{}, []byte{0}, []byte("\xff\xfe"), make([]byte, 70)},
}

// typed returns a table of rows with, for one type, a plain column, one with first
// values, an array, a child of an array of nulls, and an array in that.
func typed(typ Type, rows int) *table {
	at := 0
	value := func(n int) []any {
		vs := []any{}
		for range n {
			vs = append(vs, samples[typ][at%len(samples[typ])])
			at++
		}
		return vs
	}
	plain := tableColumn{Column: Column{Name: "plain", Type: typ}}
	first := tableColumn{Column: Column{Name: "first", Type: typ, FirstValues: true}}
	array := tableColumn{Column: Column{Name: "array[]", Type: typ, Array: true}}
	parent := tableColumn{Column: Column{Name: "p[]", Type: Null, Array: true}}
	child := tableColumn{Column: Column{Name: "p[]#c", Type: typ, Parent: "p[]"}}
	inner := tableColumn{Column: Column{Name: "p[]#i[]", Type: typ, Parent: "p[]", Array: true}}
	none := []int(nil)
	for r := range rows {
		plain.add(none, value(1))
		first.add(none, value(1))
		n := []int{0, 0, 0, 1, 1, 1, 1, 9, 1, 0, 2}[r%11]
		array.add([]int{n}, value(n))
		parent.add([]int{n}, make([]any, n))
		child.add(none, value(n))
		var ls []int
		sum := 0
		for e := range n {
			ls = append(ls, (e+r)%3)
			sum += (e + r) % 3
		}
		inner.add(ls, value(sum))
	}
	return &table{rows, []tableColumn{plain, first, array, parent, child, inner}}
}

func (c *tableColumn) add(lengths []int, values []any) {
	c.lengths, c.values = append(c.lengths, lengths), append(c.values, values)
}

func TestEverything(t *testing.T) {
	for typ := range types {
		for _, codec := range []string{"null", "snappy", "deflate"} {
			for sum := range checksums {
				t.Run(fmt.Sprintf("type=%s/codec=%s/checksum=%s", typ, codec, sum), func(t *testing.T) {
					meta := Metadata{{keyCodec, []byte(codec)}, {keyChecksum, []byte(sum.String())}}
					for _, n := range []struct{ rows, step int }{
						{0, 1}, {1, 1}, {7, 8}, {8, 8}, {9, 8}, {9, 1}, {63, 64}, {64, 64}, {65, 64}, {65, 7},
					} {
						tb := typed(typ, n.rows)
						got, err := readTable(open(t, tb.file(t, meta, n.step), nil), 1<<20)
						must(t, err)
						compare(t, got, tb)
					}
				})
			}
		}
	}
}

// TestOwnCodec checks that a column's own codec and checksum win over the file's.
func TestOwnCodec(t *testing.T) {
	tb := typed(String, 40)
	for i, own := range []Column{{Codec: "null"}, {Checksum: "crc-32"}, {Codec: "deflate", Checksum: "null"}, {}, {Codec: "snappy"}} {
		tb.columns[i].Codec, tb.columns[i].Checksum = own.Codec, own.Checksum
		tb.columns[i].Meta = Metadata{{"who", []byte{0, 1}}, {"trevni.unknown", nil}}
	}
	r := open(t, tb.file(t, Metadata{{keyCodec, []byte("snappy")}, {keyChecksum, []byte("crc32")}}, 16), nil)
	got, err := readTable(r, 1<<20)
	must(t, err)
	compare(t, got, tb)
	for i, want := range []string{"null crc32", "snappy crc-32", "deflate null", "snappy crc32", "snappy crc32", "snappy crc32"} {
		coding, err := r.Header().Coding(i)
		must(t, err)
		if s := coding.Codec.String() + " " + coding.Checksum.String(); s != want {
			t.Errorf("column %d: %s, want %s", i, s, want)
		}
	}
}

// TestAnyTable writes tables of any shape and reads them back.
func TestAnyTable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tb := drawTable(rt)
		step := rapid.IntRange(1, 20).Draw(rt, "step")
		codec := rapid.SampledFrom([]string{"null", "snappy", "deflate"}).Draw(rt, "codec")
		file := tb.file(t, Metadata{{keyCodec, []byte(codec)}, {"user", []byte("x")}}, step)
		got, err := readTable(open(t, file, nil), 1<<24)
		if err != nil {
			rt.Fatalf("%v", err)
		}
		compare(rt, got, tb)
	})
}

// drawTable draws columns, each with any of the arrays before it as its parent.
func drawTable(rt *rapid.T) *table {
	tb := &table{rows: rapid.IntRange(0, 20).Draw(rt, "rows")}
	for i := range rapid.IntRange(0, 5).Draw(rt, "columns") {
		c := tableColumn{Column: Column{
			Name:  fmt.Sprint("c", i),
			Type:  Type(rapid.IntRange(0, int(types)-1).Draw(rt, "type")),
			Array: rapid.Bool().Draw(rt, "array"),
		}}
		var parent *tableColumn
		if i > 0 {
			if p := &tb.columns[rapid.IntRange(0, i-1).Draw(rt, "parent")]; p.Array {
				parent, c.Parent = p, p.Name
			}
		}
		for r := range tb.rows {
			n := 1
			if parent != nil {
				n = len(parent.values[r])
			}
			c.draw(rt, n)
		}
		tb.columns = append(tb.columns, c)
	}
	return tb
}

// draw adds a row of n elements.
func (c *tableColumn) draw(rt *rapid.T, n int) {
	var lengths []int
	if c.Array {
		sum := 0
		pattern := rapid.SliceOfN(rapid.SampledFrom([]int{0, 0, 1, 1, 1, 2, 9}), 1, 4).Draw(rt, "lengths")
		for i := range n {
			l := pattern[i%len(pattern)]
			lengths = append(lengths, l)
			sum += l
		}
		n = sum
	}
	values, at := []any{}, rapid.IntRange(0, 5).Draw(rt, "sample")
	for i := range n {
		values = append(values, samples[c.Type][(at+i)%len(samples[c.Type])])
	}
	c.add(lengths, values)
}
