package peers

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"avro2trevni/parquet"
)

func number(n int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(n)) }

// paper returns the schema of the Dremel paper's documents, and its two documents as one page a
// column (parquet-java's TestColumnIO has the same entries).
func paper(t *testing.T) (*parquet.Schema, made) {
	t.Helper()
	none, text := parquet.Logical{}, parquet.Logical{Kind: parquet.StringType}
	s, err := parquet.NewSchema(parquet.Group("Document", parquet.Required,
		parquet.Column("DocId", parquet.Required, parquet.Int64, none),
		parquet.Group("Links", parquet.Optional,
			parquet.Column("Backward", parquet.Repeated, parquet.Int64, none),
			parquet.Column("Forward", parquet.Repeated, parquet.Int64, none)),
		parquet.Group("Name", parquet.Repeated,
			parquet.Group("Language", parquet.Repeated,
				parquet.Column("Code", parquet.Required, parquet.ByteArray, text),
				parquet.Column("Country", parquet.Optional, parquet.ByteArray, text)),
			parquet.Column("Url", parquet.Optional, parquet.ByteArray, text))))
	if err != nil {
		t.Fatal(err)
	}
	str := func(s string) []byte { return []byte(s) }
	return s, made{{
		{{{0, 0, number(10)}, {0, 0, number(20)}}},
		{{{1, 0, nil}, {2, 0, number(10)}, {2, 1, number(30)}}},
		{{{2, 0, number(20)}, {2, 1, number(40)}, {2, 1, number(60)}, {2, 0, number(80)}}},
		{{{2, 0, str("en-us")}, {2, 2, str("en")}, {1, 1, nil}, {2, 1, str("en-gb")}, {1, 0, nil}}},
		{{{3, 0, str("us")}, {2, 2, nil}, {1, 1, nil}, {3, 1, str("gb")}, {1, 0, nil}}},
		{{{2, 0, str("http://A")}, {2, 1, str("http://B")}, {1, 1, nil}, {2, 0, str("http://C")}}},
	}}
}

type document struct {
	DocId int64
	Links *struct{ Backward, Forward []int64 }
	Name  []struct {
		Language []struct {
			Code    string
			Country *string
		}
		Url *string
	}
}

// TestPaper reads the documents of the Dremel paper back, as entries and as documents.
func TestPaper(t *testing.T) {
	s, m := paper(t)
	for _, o := range options(t) {
		file := m.write(t, s, o, parquet.WriterOptions{})
		same(t, s, m, file)
		sameArrow(t, s, m, file)
		documents, err := pq.Read[document](bytes.NewReader(file), int64(len(file)))
		if err != nil || len(documents) != 2 {
			t.Fatal(documents, err)
		}
		d := documents[0]
		if d.DocId != 10 || !slices.Equal(d.Links.Forward, []int64{20, 40, 60}) || len(d.Name) != 3 || *d.Name[2].Language[0].Country != "gb" ||
			len(d.Name[1].Language) != 0 || d.Name[2].Url != nil || !slices.Equal(documents[1].Links.Backward, []int64{10, 30}) {
			t.Errorf("%+v", documents)
		}
	}
}

// TestCut writes the first pages of a row group into one file, and the others into the next,
// with the same dictionary pages.
func TestCut(t *testing.T) {
	s := everyType(t)
	r := rand.New(rand.NewPCG(5, 6))
	group := make([][]page, len(s.Leaves))
	for c, l := range s.Leaves {
		for range 4 {
			group[c] = append(group[c], randomPage(r, l, 300, true))
		}
	}
	for _, o := range options(t)[2:8] {
		for at := 1; at < 4; at++ {
			enc, err := parquet.NewEncoder(s, o)
			if err != nil {
				t.Fatal(err)
			}
			var files [2]bytes.Buffer
			var writers [2]*parquet.Writer
			for i := range files {
				if writers[i], err = parquet.NewWriter(&files[i], s, parquet.WriterOptions{Codec: o.Codec}); err != nil {
					t.Fatal(err)
				}
			}
			for c, pages := range group {
				cutChunk(t, enc, s.Leaves[c], pages, at, writers)
			}
			for i, part := range []func([]page) []page{func(p []page) []page { return p[:at] }, func(p []page) []page { return p[at:] }} {
				if err := errors.Join(writers[i].EndRowGroup(), writers[i].Close()); err != nil {
					t.Fatal(err)
				}
				half := made{make([][]page, len(group))}
				for c := range group {
					half[0][c] = part(group[c])
				}
				same(t, s, half, files[i].Bytes())
				sameArrow(t, s, half, files[i].Bytes())
			}
		}
	}
}

func cutChunk(t *testing.T, enc *parquet.Encoder, l *parquet.Leaf, pages []page, at int, writers [2]*parquet.Writer) {
	t.Helper()
	var metas []parquet.Meta
	var bodies [][]byte
	for _, p := range pages {
		b, m, err := enc.Page(nil, l.Index, p.values(l))
		if err != nil {
			t.Fatal(err)
		}
		metas, bodies = append(metas, m), append(bodies, b)
	}
	front, frontMetas, err := enc.EndChunk(nil, l.Index)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range writers {
		for _, m := range frontMetas {
			if err := w.WritePage(l.Index, m, front); err != nil {
				t.Fatal(err)
			}
		}
		for j := range pages {
			if j < at != (i == 0) {
				continue
			}
			if err := w.WritePage(l.Index, metas[j], bodies[j]); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestFlips flips each bit of each page's body: parquet-go, which checks CRCs, must find it.
func TestFlips(t *testing.T) {
	s, m := paper(t)
	for _, o := range options(t)[2:6] {
		file := m.write(t, s, o, parquet.WriterOptions{})
		flips := 0
		for c := range s.Leaves {
			chunk := open(t, file).Metadata().RowGroups[0].Columns[c].MetaData
			at := chunk.DataPageOffset
			if chunk.DictionaryPageOffset != 0 {
				at = chunk.DictionaryPageOffset
			}
			for end := at + chunk.TotalCompressedSize; at < end; {
				r := bytes.NewReader(file[at:end])
				var h format.PageHeader
				if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(r)).Decode(&h); err != nil {
					t.Fatal(err)
				}
				body := end - int64(r.Len())
				at = body + int64(h.CompressedPageSize)
				for bit := body * 8; bit < at*8; bit++ {
					flips++
					if err := readFlipped(file, c, bit); err == nil {
						t.Fatalf("column %v: bit %d of byte %d flipped, and nothing found", s.Leaves[c], bit%8, bit/8)
					}
				}
			}
		}
		if flips < 500 {
			t.Errorf("%d flips", flips)
		}
	}
}

// readFlipped reads a column of a file with a bit flipped.
func readFlipped(file []byte, column int, bit int64) error {
	file = bytes.Clone(file)
	file[bit/8] ^= 1 << (bit % 8)
	f, err := pq.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return err
	}
	pages := f.RowGroups()[0].ColumnChunks()[column].Pages()
	defer pages.Close()
	for {
		p, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		pq.Release(p)
	}
}

// TestIndexes compares the page indexes that parquet-go reads with the pages.
func TestIndexes(t *testing.T) {
	s := everyType(t)
	m := random(rand.New(rand.NewPCG(7, 8)), s)
	f := open(t, m.write(t, s, parquet.EncoderOptions{}, parquet.WriterOptions{}))
	for g, group := range f.RowGroups() {
		for c, chunk := range group.ColumnChunks() {
			l := s.Leaves[c]
			offsets, err := chunk.OffsetIndex()
			if err != nil || offsets.NumPages() != len(m[g][c]) {
				t.Fatal(err)
			}
			index, err := chunk.ColumnIndex()
			if err != nil {
				t.Fatalf("column %v: %v", l, err)
			}
			row := int64(0)
			for i, p := range m[g][c] {
				if offsets.FirstRowIndex(i) != row {
					t.Errorf("column %v: page %d begins at row %d, want %d", l, i, offsets.FirstRowIndex(i), row)
				}
				row += int64(p.values(l).Rows)
				checkBounds(t, l, p, index, i)
			}
		}
	}
}

func checkBounds(t *testing.T, l *parquet.Leaf, p page, index pq.ColumnIndex, i int) {
	t.Helper()
	var lo, hi []byte
	nulls, nans := int64(0), 0
	for _, e := range p {
		switch {
		case e.value == nil:
			nulls++
		case l.Type == parquet.Double && math.IsNaN(math.Float64frombits(binary.LittleEndian.Uint64(e.value))),
			l.Type == parquet.Float && math.IsNaN(float64(math.Float32frombits(binary.LittleEndian.Uint32(e.value)))):
			nans++
		default:
			if lo == nil || less(l, e.value, lo) {
				lo = e.value
			}
			if hi == nil || less(l, hi, e.value) {
				hi = e.value
			}
		}
	}
	if index.NullCount(i) != nulls || index.NullPage(i) != (lo == nil) {
		t.Errorf("column %v: page %d has %d nulls, want %d", l, i, index.NullCount(i), nulls)
	}
	if lo == nil {
		return
	}
	gotLo, gotHi := plain(index.MinValue(i)), plain(index.MaxValue(i))
	if len(lo) <= 64 && !bytes.Equal(gotLo, lo) || len(hi) <= 64 && !bytes.Equal(gotHi, hi) || less(l, lo, gotLo) || less(l, gotHi, hi) {
		t.Errorf("column %v: page %d has bounds %x and %x, want %x and %x", l, i, gotLo, gotHi, lo, hi)
	}
}

// less compares two values by what their type is.
func less(l *parquet.Leaf, a, b []byte) bool {
	switch l.Type {
	case parquet.Int32:
		return cmp.Less(int32(binary.LittleEndian.Uint32(a)), int32(binary.LittleEndian.Uint32(b)))
	case parquet.Int64:
		return cmp.Less(int64(binary.LittleEndian.Uint64(a)), int64(binary.LittleEndian.Uint64(b)))
	case parquet.Float:
		return math.Float32frombits(binary.LittleEndian.Uint32(a)) < math.Float32frombits(binary.LittleEndian.Uint32(b))
	case parquet.Double:
		return math.Float64frombits(binary.LittleEndian.Uint64(a)) < math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return bytes.Compare(a, b) < 0
}

// TestMetadata reads what a file says beside its pages.
func TestMetadata(t *testing.T) {
	s, m := paper(t)
	f := open(t, m.write(t, s, parquet.EncoderOptions{}, parquet.WriterOptions{
		CreatedBy: "peers version 1.0.0 (build 0)",
		KeyValues: []parquet.KeyValue{{Key: "k", Value: "v"}},
	}))
	if v, ok := f.Lookup("k"); !ok || v != "v" {
		t.Errorf("key k is %q", v)
	}
	if f.Metadata().CreatedBy != "peers version 1.0.0 (build 0)" || f.NumRows() != 2 {
		t.Errorf("%q, %d rows", f.Metadata().CreatedBy, f.NumRows())
	}
	want := fmt.Sprint(pq.SchemaOf(document{}).Columns())
	if got := fmt.Sprint(f.Schema().Columns()); got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
}
