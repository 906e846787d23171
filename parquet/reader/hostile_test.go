package reader

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"avro2trevni/parquet"
	"github.com/parquet-go/parquet-go/encoding/delta"
)

// withFooter returns a file of some bytes and a footer.
func withFooter(pages int, footer []byte) []byte {
	file := append([]byte(magic), make([]byte, pages)...)
	file = binary.LittleEndian.AppendUint32(append(file, footer...), uint32(len(footer)))
	return append(file, magic...)
}

// TestHostileFooters opens files whose footers end a process that decodes them as they stand: by
// the depth of their structures, or by what their lists declare.
func TestHostileFooters(t *testing.T) {
	const size = 4 << 20
	list := func(head ...byte) []byte { return append(head, make([]byte, size+1)...) }
	for name, footer := range map[string][]byte{
		"structures in unknown fields": bytes.Repeat([]byte{0xFC}, size),
		"lists in an unknown field":    append([]byte{0xF9}, bytes.Repeat([]byte{0x19}, size)...),
		"maps in an unknown field":     append([]byte{0xFB}, bytes.Repeat([]byte{1, 0xBB}, size/2)...),
		"a list of 2 Gi row groups":    {0x49, 0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0x07},
		"a list of empty row groups":   list(0x49, 0xFC, 0x80, 0x80, 0x80, 0x02),
		"a list of empty elements":     list(0x29, 0xFC, 0x80, 0x80, 0x80, 0x02),
		"a key of 2 GiB":               {0x59, 0x1C, 0x18, 0xFF, 0xFF, 0xFF, 0xFF, 0x07},
		"a number of 11 bytes":         append([]byte{0x15}, bytes.Repeat([]byte{0xFF}, 11)...),
		"a type that is none":          {0x1E},
		"nothing":                      {},
		"no fields":                    {0},
	} {
		file := withFooter(100, footer)
		n := allocated(func() {
			_, err := Open(bytes.NewReader(file), int64(len(file)), nil)
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s: %v", name, err)
			}
		})
		if limit := uint64(1<<20 + 8*len(footer)); n > limit {
			t.Errorf("%s: %d bytes were allocated for %d", name, n, len(footer))
		}
	}
}

// TestHostileSchemas makes trees of lists of elements that are none.
func TestHostileSchemas(t *testing.T) {
	element := func(name string, children, kind int) []byte {
		e := []byte{}
		at := byte(0)
		field := func(id, t byte, v ...byte) {
			e = append(append(e, (id-at)<<4|t), v...)
			at = id
		}
		if kind >= 0 {
			field(1, 5, byte(2*kind))
		}
		field(3, 5, 4) // repeated
		field(4, 8, append([]byte{byte(len(name))}, name...)...)
		if children != 0 {
			field(5, 5, binary.AppendVarint(nil, int64(children))...)
		}
		return append(e, 0)
	}
	group, leaf := element("g", 1, -1), element("v", 0, 1)
	for name, c := range map[string]struct {
		elements [][]byte
		want     error
	}{
		"a leaf as root":        {[][]byte{leaf}, ErrCorrupt},
		"children that miss":    {[][]byte{element("g", 2, -1), leaf}, ErrCorrupt},
		"children below zero":   {[][]byte{element("g", -1, -1), leaf}, ErrCorrupt},
		"elements too many":     {[][]byte{group, leaf, leaf}, ErrCorrupt},
		"a type that is none":   {[][]byte{group, element("v", 0, 9)}, ErrCorrupt},
		"fixed, without length": {[][]byte{group, element("v", 0, 7)}, ErrCorrupt},
		"256 repeated groups":   {append(repeat(group, 257), leaf), ErrLimit},
		"nothing wrong":         {[][]byte{group, leaf}, nil},
	} {
		footer := append([]byte{0x15, 2, 0x19, 0xFC}, binary.AppendUvarint(nil, uint64(len(c.elements)))...)
		for _, e := range c.elements {
			footer = append(footer, e...)
		}
		file := withFooter(0, append(footer, 0x16, 0, 0x19, 0x0C, 0))
		f, err := Open(bytes.NewReader(file), int64(len(file)), nil)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && f.Schema.String() != "message g {\n  repeated int32 v;\n}\n" {
			t.Error(f.Schema)
		}
	}
}

func repeat(e []byte, n int) (all [][]byte) {
	for range n {
		all = append(all, e)
	}
	return all
}

// TestBombs decodes pages of a few bytes that stand for very much: a batch stays small.
func TestBombs(t *testing.T) {
	const all = 1<<31 - 1
	run := binary.AppendUvarint(nil, all<<1)
	zero := append(bytes.Clone(run), 0)
	one := append(bytes.Clone(run), 1)
	long := append(binary.LittleEndian.AppendUint32(nil, 1<<20), make([]byte, 1<<20)...)
	numbers := binary.AppendVarint(binary.AppendUvarint([]byte{0x80, 1, 4}, all), 7)
	numbers = append(numbers, make([]byte, 50_000)...) // blocks of no differences
	var e delta.BinaryPackedEncoding
	lengths := make([]int32, 20_000)
	lengths[0] = 1 << 20
	suffixes, _ := e.EncodeInt32(nil, lengths)
	for i := range lengths {
		lengths[i] = 1<<20 - lengths[i]
	}
	prefixes, _ := e.EncodeInt32(nil, lengths)
	optional := &Node{Type: parquet.ByteArray, MaxDef: 1}
	plain := &Node{Type: parquet.ByteArray}
	for name, c := range map[string]struct {
		leaf *Node
		h    PageHeader
		body []byte
	}{
		"nulls":          {optional, PageHeader{DefBytes: len(zero)}, zero},
		"one long value": {plain, PageHeader{Encoding: parquet.RLEDictionary}, append([]byte{1}, zero...)},
		"one long value, with levels": {optional, PageHeader{DefBytes: len(one), Encoding: parquet.RLEDictionary},
			append(bytes.Clone(one), append([]byte{1}, zero...)...)},
		"numbers":         {&Node{Type: parquet.Int64}, PageHeader{Encoding: parquet.DeltaBinaryPacked}, numbers},
		"shared prefixes": {plain, PageHeader{Encoding: parquet.DeltaByteArray}, slices.Concat(prefixes, suffixes, long[4:])},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := NewDecoder(c.leaf, Uncompressed, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.h.Encoding == parquet.RLEDictionary {
				if err := d.Page(&PageHeader{Kind: DictionaryPage, Entries: 1, Raw: len(long), Stored: len(long)}, long); err != nil {
					t.Fatal(err)
				}
			}
			h := c.h
			h.Kind, h.Entries, h.Raw, h.Stored = DataPageV2, all, len(c.body), len(c.body)
			entries := 0
			n := allocated(func() {
				if err := d.Page(&h, c.body); err != nil {
					t.Fatal(err)
				}
				for range 50 {
					var b Batch
					if err := d.Next(&b); err != nil {
						t.Fatal(err)
					}
					entries += b.N
				}
			})
			if n > 20<<20 || entries < 50 {
				t.Errorf("%d bytes were allocated for %d entries", n, entries)
			}
		})
	}
}

// TestErrors looks at the whole text of errors, and at what they match.
func TestErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(seedOf(t), 10))
	file, _ := randomFile(t, r, parquet.EncoderOptions{DictionaryBytes: -1}, parquet.WriterOptions{}, 2, 2, 8)
	chunk := open(t, file, nil).RowGroups[1].Chunks[2]
	x, err := chunk.Offsets()
	if err != nil {
		t.Fatal(err)
	}
	file[x.Pages[1].Offset+int64(x.Pages[1].Size)-1] ^= 1
	c, err := open(t, file, &Options{Path: "x.parquet"}).RowGroups[1].Column(2)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // it stays
		_, err = collect(c)
		var placed *Error
		if !errors.Is(err, ErrCorrupt) || !errors.As(err, &placed) || placed.Offset != x.Pages[1].Offset {
			t.Fatal(err)
		}
		for _, part := range []string{`parquet: x.parquet: column "int" row group 1 page 1 at `, ": checksum is "} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q is not in %q", part, err)
			}
		}
	}
	c, err = open(t, file, &Options{IgnoreChecksums: true}).RowGroups[1].Column(2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := collect(c); err != io.EOF {
		t.Error("without checksums: ", err)
	}
}

// TestLimits reaches each limit.
func TestLimits(t *testing.T) {
	r := rand.New(rand.NewPCG(seedOf(t), 11))
	file, _ := randomFile(t, r, parquet.EncoderOptions{}, parquet.WriterOptions{}, 1, 1, 100)
	for name, o := range map[string]Options{
		"footer": {MaxFooter: 100}, "page": {MaxPage: 10}, "header": {MaxPageHeader: 5},
	} {
		if _, _, err := readAllColumns(file, &o); !errors.Is(err, ErrLimit) || errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, o := range []Options{{MaxFooter: -1}, {MaxPage: -1}, {MaxPageHeader: -1}, {BatchEntries: -1}, {BatchBytes: 1<<30 + 1}, {ReadAhead: -1}} {
		if _, err := Open(bytes.NewReader(file), int64(len(file)), &o); err == nil || !strings.Contains(err.Error(), "Options.") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// failing is a file whose reads fail, or end early, from an offset on.
type failing struct {
	file []byte
	from int64
	err  error
}

func (f *failing) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) <= f.from {
		return bytes.NewReader(f.file).ReadAt(p, at)
	}
	return copy(p, f.file[min(at, f.from):f.from]), f.err
}

// TestReadErrors fails reads: the cause is in the chain, and it is no damage of the file, but
// for one that is shorter than its size.
func TestReadErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(seedOf(t), 12))
	file, _ := randomFile(t, r, parquet.EncoderOptions{}, parquet.WriterOptions{}, 1, 1, 50)
	broken := errors.New("the disk is broken")
	for _, from := range []int64{0, 10, int64(len(file) - 5)} {
		for _, cause := range []error{broken, io.EOF, nil} {
			src := &failing{file, from, cause}
			_, err := Open(src, int64(len(file)), nil)
			corrupt := cause == io.EOF
			if err == nil || errors.Is(err, ErrCorrupt) != corrupt || cause == broken && !errors.Is(err, broken) {
				t.Errorf("from %d, %v: %v", from, cause, err)
			}
		}
	}
	src := &failing{file, int64(len(file)), broken}
	f, err := Open(src, int64(len(file)), nil)
	if err != nil {
		t.Fatal(err)
	}
	src.from = 100
	c, err := f.RowGroups[0].Column(3)
	if err != nil {
		t.Fatal(err)
	}
	var placed *Error
	if _, err := collect(c); !errors.Is(err, broken) || !errors.As(err, &placed) || placed.Column != "long" {
		t.Error(err)
	}
}
