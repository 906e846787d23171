package trevni

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"avro2trevni/internal/format"
	"avro2trevni/internal/ocf"
	"avro2trevni/record"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

const pairSchema = `{"type":"record","name":"r","fields":[{"name":"n","type":"long"},{"name":"s","type":"string"}]}`

// pairs returns a file of rows (n, "row n"), in order of n, from a number on.
func pairs(t *testing.T, from, rows int) []byte {
	t.Helper()
	o := &options{
		Columns: []trevni.Column{{Name: "n", Type: trevni.Long, FirstValues: true}, {Name: "s", Type: trevni.String}},
		Meta:    trevni.Metadata{{Key: SchemaKey, Value: []byte(pairSchema)}, {Key: "k", Value: []byte("v")}},
		Codec:   codec(t, "snappy"), Checksum: trevni.ChecksumCRC32, BlockSize: 64,
	}
	tb := &table{cols: o.Columns, splits: [][][]cell{{nil, nil}}, marks: [][]int{nil}}
	for n := from; n < from+rows; n++ {
		text := fmt.Sprint("row ", n)
		tb.splits[0][0] = append(tb.splits[0][0], cell{values: [][]byte{block.AppendLong(nil, int64(n))}})
		tb.splits[0][1] = append(tb.splits[0][1], cell{values: [][]byte{append(block.AppendLong(nil, int64(len(text))), text...)}})
	}
	edges := tb.edges()
	_, r := random(1, 0, 0)
	return layout(t, tb.tuples(r, o, 100), tb.span(0, edges[len(edges)-1]), o)
}

// openBytes opens a file in memory.
func openBytes(data []byte) (format.File, error) {
	return Format{}.Open(bytes.NewReader(data), "part", int64(len(data)))
}

func TestFile(t *testing.T) {
	data := pairs(t, 100, 50)
	f, err := openBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	if f.Schema() != pairSchema || f.Rows() != 50 || f.Columns() != 2 {
		t.Errorf("%d rows of %d columns of %s", f.Rows(), f.Columns(), f.Schema())
	}
	if !slices.ContainsFunc(f.Meta(), func(m ocf.Meta) bool { return m.Key == "k" && string(m.Value) == "v" }) {
		t.Errorf("metadata %q", f.Meta())
	}
	if held, err := f.Held(); err != nil || held < 2*heldColumn+4*heldBlock || held > 8<<10 {
		t.Errorf("it holds %d bytes, %v", held, err)
	}
	rows, err := f.Read(0, 1<<62)
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for n := int64(0); ; {
		b, err := rows.Next()
		if err == io.EOF {
			break
		}
		part, last, err2 := rows.Window(0)
		if err := errors.Join(err, err2); err != nil || !last || rows.First() != n || b.Size != int64(len(part)) {
			t.Fatalf("block %+v from row %d, %d are expected: %v", b, rows.First(), n, err)
		}
		n += b.Rows
		all = append(all, part...)
	}
	var want []byte
	for n := range 50 {
		text := fmt.Sprint("row ", 100+n)
		want = block.AppendLong(block.AppendLong(want, int64(100+n)), int64(len(text)))
		want = append(want, text...)
	}
	if !bytes.Equal(all, want) {
		t.Errorf("%d bytes of rows, others than the %d written", len(all), len(want))
	}
}

// The digests of a file are those of its blocks, however they were cut; all bytes are counted.
func TestFileSums(t *testing.T) {
	f, err := openBytes(pairs(t, 0, 500))
	if err != nil {
		t.Fatal(err)
	}
	read := int64(0)
	sums, err := f.Sums(func(n int64) { read += n })
	if err != nil || len(sums) != 2 || sums[0].Values.Len+sums[1].Values.Len != read {
		t.Errorf("%+v of %d bytes, %v", sums, read, err)
	}
	again, err := openBytes(pairs(t, 0, 499))
	if err != nil {
		t.Fatal(err)
	}
	fewer, err := again.Sums(func(int64) {})
	if err != nil || fewer[0] == sums[0] || fewer[1] == sums[1] {
		t.Errorf("%+v of a row less, %v", fewer, err)
	}
}

func TestGoesOn(t *testing.T) {
	last := map[int][]byte{}
	for _, c := range []struct {
		from int
		want bool
	}{{10, true}, {14, true}, {17, false}, {30, true}} {
		f, err := openBytes(pairs(t, c.from, 5))
		if err != nil {
			t.Fatal(err)
		}
		ok, err := f.GoesOn(last)
		if err != nil || ok != c.want {
			t.Errorf("rows from %d go on: %v, %v", c.from, ok, err)
		}
	}
	if v, _ := block.ReadLong(last[0]); v != 34 || len(last) != 1 {
		t.Errorf("last values are %v", last)
	}
}

// What is wrong with a file is told with its name, and that it is not whole.
func TestDamagedFile(t *testing.T) {
	data := pairs(t, 0, 300)
	if _, err := openBytes(data[:20]); !(Format{}).Corrupt(err) || !strings.Contains(err.Error(), "part") {
		t.Errorf("cut: %v", err)
	}
	data[len(data)-9] ^= 1
	f, err := openBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Sums(func(int64) {}); !(Format{}).Corrupt(err) || !strings.Contains(err.Error(), "part: ") {
		t.Errorf("digests: %v", err)
	}
	rows, err := f.Read(0, 1<<62)
	for err == nil {
		_, err = rows.Next()
	}
	if !(Format{}).Corrupt(err) || !strings.Contains(err.Error(), "part: ") {
		t.Errorf("rows: %v", err)
	}
	if f, err = openBytes(layout(t, memory{}, (&table{}).span(0, 0), &options{})); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read(0, 1<<62); !errors.Is(err, record.ErrNoSchema) || !strings.HasPrefix(err.Error(), "part: ") {
		t.Errorf("a file without a schema: %v", err)
	}
}
