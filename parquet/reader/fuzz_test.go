package reader

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"avro2trevni/parquet"
	"github.com/parquet-go/parquet-go/format"
)

// fuzzLimits keep a fuzzer quick.
var fuzzLimits = Options{MaxPage: 1 << 20, MaxFooter: 1 << 20, MaxPageHeader: 1 << 16, BatchEntries: 500, BatchBytes: 1 << 16, ReadAhead: 512}

// fuzzEntries is how many entries of a chunk a fuzzer reads: a few bytes can stand for billions.
const fuzzEntries = 20_000

// smallFiles are files of this module's writer, and small ones of others.
func smallFiles(t testing.TB) [][]byte {
	t.Helper()
	var all [][]byte
	r := rand.New(rand.NewPCG(1, 8))
	for _, o := range []parquet.EncoderOptions{
		{}, {PageVersion: 2, Codec: parquet.Codec{Name: "snappy"}}, {Modern: true, DictionaryBytes: -1},
		{Codec: parquet.Codec{Name: "zstd"}}, {Codec: parquet.Codec{Name: "gzip"}, PageVersion: 2},
	} {
		file, _ := randomFile(t, r, o, parquet.WriterOptions{}, 1, 2, 6)
		all = append(all, file)
	}
	names, err := filepath.Glob(filepath.Join(libraryFiles(t), "*.parquet"))
	if err != nil || len(names) == 0 {
		t.Fatal(len(names), err)
	}
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.Size() < 4096 {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, b)
		}
	}
	return all
}

// known reports whether an error is one that a file can cause.
func known(err error) bool {
	var placed *Error
	return errors.As(err, &placed) && (errors.Is(err, ErrCorrupt) || errors.Is(err, ErrLimit) || errors.Is(err, ErrUnsupported))
}

// readSome reads everything of a file, as much as a fuzzer has time for.
func readSome(t *testing.T, file []byte, o *Options) {
	f, err := Open(bytes.NewReader(file), int64(len(file)), o)
	if err != nil {
		if !known(err) {
			t.Fatal(err)
		}
		return
	}
	_ = f.Schema.String()
	for g, group := range f.RowGroups[:min(len(f.RowGroups), 3)] {
		for i := range group.Chunks[:min(len(group.Chunks), 30)] {
			chunk := f.RowGroups[g].Chunks[i]
			if _, err := chunk.Offsets(); err != nil && !known(err) {
				t.Fatal(err)
			}
			if _, err := chunk.Bounds(); err != nil && !known(err) {
				t.Fatal(err)
			}
			for _, how := range []func() (*Column, error){
				chunk.Column,
				func() (*Column, error) { return chunk.ColumnFrom(group.Rows / 2) },
				func() (*Column, error) {
					c, err := chunk.Column()
					if err == nil {
						c.OmitValues()
					}
					return c, err
				},
			} {
				if c, err := how(); err == nil {
					readColumn(t, c)
				} else if !known(err) {
					t.Fatal(err)
				}
			}
		}
	}
}

// readColumn reads some entries, and looks at what every batch promises.
func readColumn(t *testing.T, c *Column) {
	leaf := c.chunk.Leaf
	var b Batch
	for n := 0; n < fuzzEntries; n += b.N {
		if err := c.Next(&b); err != nil {
			if err != io.EOF && !known(err) {
				t.Fatal(err)
			}
			return
		}
		checkBatch(t, leaf, &b, c.omit)
	}
}

func checkBatch(t *testing.T, leaf *Node, b *Batch, omit bool) {
	v := &b.Values
	values := b.N
	if leaf.MaxDef > 0 {
		values = count(b.Def, byte(leaf.MaxDef))
	}
	if omit {
		values = 0
	}
	if b.N == 0 || v.N != values || v.Width != leaf.Width() || leaf.MaxRep > 0 && len(b.Rep) != b.N || leaf.MaxDef > 0 && len(b.Def) != b.N {
		t.Fatalf("%d entries, %d and %d levels, %d values, not %d", b.N, len(b.Rep), len(b.Def), v.N, values)
	}
	for i := range v.N {
		_ = v.Bytes(i)
	}
	if !omit && (v.Width > 0 && len(v.Data) < v.N*v.Width || v.Width == 0 && len(v.Offsets) != v.N+1) {
		t.Fatalf("%d bytes, %d offsets for %d values", len(v.Data), len(v.Offsets), v.N)
	}
	for _, level := range b.Def {
		if int(level) > leaf.MaxDef {
			t.Fatal("definition level", level)
		}
	}
	for _, level := range b.Rep {
		if int(level) > leaf.MaxRep {
			t.Fatal("repetition level", level)
		}
	}
}

// FuzzFile reads any bytes as a file: data or an error.
func FuzzFile(f *testing.F) {
	for _, file := range smallFiles(f) {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		o := fuzzLimits
		o.IgnoreChecksums = true
		readSome(t, file, &o)
	})
}

// FuzzFooter puts any bytes where a footer is.
func FuzzFooter(f *testing.F) {
	for _, file := range smallFiles(f) {
		n := int(binary.LittleEndian.Uint32(file[len(file)-8:]))
		f.Add(file[len(file)-8-n : len(file)-8])
	}
	pages := make([]byte, 200)
	f.Fuzz(func(t *testing.T, footer []byte) {
		file := append([]byte(magic), pages...)
		file = append(file, footer...)
		file = binary.LittleEndian.AppendUint32(file, uint32(len(footer)))
		readSome(t, append(file, magic...), &fuzzLimits)
	})
}

// FuzzHeader reads any bytes as a page header, an offset index and a column index.
func FuzzHeader(f *testing.F) {
	for _, file := range smallFiles(f) {
		f.Add(file[4:min(len(file), 200)])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := ReadHeader(bytes.NewReader(b), 0, int64(len(b)), &fuzzLimits)
		if err != nil && !known(err) {
			t.Fatal(err)
		}
		if err == nil && (h.Length < 1 || h.End() > int64(len(b))) {
			t.Fatalf("%+v", h)
		}
		var offsets offsetIndex
		_ = unmarshal(b, offsetIndexShape, &offsets)
		var bounds columnIndex
		_ = unmarshal(b, columnIndexShape, &bounds)
	})
}

// fuzzLeaves are leaves of all types, with and without levels.
func fuzzLeaves() []*Node {
	var all []*Node
	for t := parquet.Boolean; t <= parquet.FixedLenByteArray; t++ {
		for _, levels := range [][2]int{{0, 0}, {1, 0}, {2, 1}, {5, 3}, {255, 7}} {
			all = append(all, &Node{Name: "v", Type: t, Length: 3, MaxDef: levels[0], MaxRep: levels[1]})
		}
	}
	return all
}

// FuzzPage decodes any bytes as a page of any leaf in any encoding. The same comes out whatever
// the size of batches.
func FuzzPage(f *testing.F) {
	for leaf := range fuzzLeaves() {
		for encoding := range 10 {
			f.Add(byte(leaf), byte(encoding), byte(encoding&1), uint16(3), []byte{0x80, 1, 4, 3, 2, 2, 1, 0, 0, 0, 2, 0, 0, 0, 'a', 'b'})
		}
	}
	leaves := fuzzLeaves()
	f.Fuzz(func(t *testing.T, leaf, encoding, how byte, n uint16, body []byte) {
		l := leaves[int(leaf)%len(leaves)]
		h := &PageHeader{Kind: DataPage, Raw: len(body), Stored: len(body), Entries: int(n), Encoding: parquet.Encoding(encoding % 10),
			DefEncoding: parquet.RLE, RepEncoding: parquet.RLE}
		if how&2 != 0 {
			h.DefEncoding = parquet.Encoding(format.BitPacked)
		}
		if how&1 != 0 {
			h.Kind = DataPageV2
			h.RepBytes = int(how>>2) % (len(body) + 1)
			h.DefBytes = int(how>>4) % (len(body) - h.RepBytes + 1)
		}
		dictionary := make([]byte, 2*l.Width())
		if l.Width() == 0 {
			dictionary = []byte("\x03\x00\x00\x00abc\x00\x00\x00\x00")
		}
		dict := &PageHeader{Kind: DictionaryPage, Raw: len(dictionary), Stored: len(dictionary), Entries: 2}
		want, wantErr := decodePage(t, l, dict, dictionary, h, body, &Options{})
		got, err := decodePage(t, l, dict, dictionary, h, body, &Options{BatchEntries: 3, BatchBytes: 40})
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%v in small batches, %v in large", err, wantErr)
		}
		if d := got.equal(&want); err == nil && d != "" {
			t.Fatal(d)
		}
	})
}

func decodePage(t *testing.T, l *Node, dict *PageHeader, dictionary []byte, h *PageHeader, body []byte, o *Options) (entries, error) {
	var got entries
	d, err := NewDecoder(l, Uncompressed, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Page(dict, dictionary); err != nil {
		t.Fatal(err)
	}
	if err := d.Page(h, bytes.Clone(body)); err != nil {
		return got, cause(t, err)
	}
	for {
		var b Batch
		switch err := d.Next(&b); err {
		case nil:
			checkBatch(t, l, &b, false)
			got.add(&b, l)
		case io.EOF:
			return got, nil
		default:
			return got, cause(t, err)
		}
	}
}

func cause(t *testing.T, err error) error {
	if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrUnsupported) {
		t.Fatal(err)
	}
	return err
}

// FuzzCodec decompresses any bytes in all codecs.
func FuzzCodec(f *testing.F) {
	for i, p := range packers {
		f.Add(byte(i), p.pack([]byte("some bytes, some bytes, some bytes")), uint32(34))
	}
	d := new(decompressor)
	f.Fuzz(func(t *testing.T, codec byte, b []byte, n uint32) {
		c := packers[int(codec)%len(packers)].codec
		size := int(n % (1 << 22))
		got, err := d.decode(c, nil, b, size)
		if err == nil && len(got) != size || err != nil && !errors.Is(err, ErrCorrupt) {
			t.Fatalf("%s: %d bytes, not %d: %v", c, len(got), size, err)
		}
	})
}
