package trevni

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// twoColumns is a header and blocks that may be written: 3 rows.
func twoColumns() (*Header, [][]Block, [][]byte) {
	h := &Header{Rows: 3, Columns: []Column{{Name: "a", Type: Int}, {Name: "b[]", Type: String, Array: true}}}
	blocks := [][]Block{{{Rows: 2, RawSize: 2, Size: 2}, {Rows: 1, RawSize: 1, Size: 1}}, {{Rows: 3, RawSize: 1, Size: 1}}}
	return h, blocks, [][]byte{{2, 4}, {6}, {9}}
}

func TestBlockWriterRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(h *Header, b [][]Block)
		want   string
	}{
		{"rows too few", func(h *Header, b [][]Block) { h.Rows = 2 }, `column "a": 3 rows in blocks, 2 in the file`},
		{"rows too many", func(h *Header, b [][]Block) { b[1][0].Rows = 4 }, `column "b[]": 4 rows in blocks, 3 in the file`},
		{"rows past 63 bits", func(h *Header, b [][]Block) { h.Rows = 1 << 63 }, "do not fit 63 bits"},
		{"rows past 31 bits in a block", func(h *Header, b [][]Block) { b[1][0].Rows = 1 << 31 }, "block 0: 2147483648 rows are more than"},
		{"raw past 31 bits", func(h *Header, b [][]Block) { b[1][0].RawSize = 1 << 31 }, "are more than 2147483647"},
		{"size past 31 bits", func(h *Header, b [][]Block) { b[1][0].Size = 1 << 31 }, "are more than 2147483647"},
		{"fewer bytes than rows", func(h *Header, b [][]Block) { b[0][0].RawSize = 1 }, "1 bytes cannot be 2 rows of int"},
		{"fewer bytes than booleans", func(h *Header, b [][]Block) { h.Columns[0].Type = Boolean; b[0][0].RawSize = 0 }, "0 bytes cannot be 2 rows of boolean"},
		{"more bytes than booleans", func(h *Header, b [][]Block) { h.Columns[0].Type = Boolean }, "2 bytes cannot be 2 rows of boolean"},
		{"a column too many", func(h *Header, b [][]Block) { h.Columns = append(h.Columns, Column{Name: "c"}) }, "3 columns, and blocks of 2"},
		{"a name twice", func(h *Header, b [][]Block) { h.Columns[1].Name = "a" }, `column "a" stands twice`},
		{"no such type", func(h *Header, b [][]Block) { h.Columns[1].Type = 99 }, "type 99 is unknown"},
		{"no such parent", func(h *Header, b [][]Block) { h.Columns[1].Parent = "z" }, `parent "z" is not among`},
		{"parent not an array", func(h *Header, b [][]Block) { h.Columns[1].Parent = "a" }, `parent "a" is not an array`},
		{"values in an array", func(h *Header, b [][]Block) { h.Columns[1].FirstValues = true }, "first values are not permitted"},
		{"a first value missing", func(h *Header, b [][]Block) { h.Columns[0].FirstValues = true }, "block 0: first value"},
		{"a first value too long", func(h *Header, b [][]Block) { h.Columns[0].FirstValues = true; b[0][0].FirstValue = []byte{2, 2} }, "1 bytes after it"},
		{"a first value in a column without", func(h *Header, b [][]Block) { b[0][0].FirstValue = []byte{2} }, "first value in a column without them"},
		{"no such codec", func(h *Header, b [][]Block) { h.SetCodec("lzo") }, `codec "lzo"`},
		{"no such codec of a column", func(h *Header, b [][]Block) { h.Columns[0].Codec = "lzo" }, `column "a": codec "lzo"`},
		{"no such checksum", func(h *Header, b [][]Block) { h.Columns[0].Checksum = "md5" }, `column "a": checksum "md5"`},
		{"a key twice", func(h *Header, b [][]Block) { h.Meta = Metadata{{"k", nil}, {"k", nil}} }, `metadata key "k" stands twice`},
		{"a column's own key", func(h *Header, b [][]Block) { h.Columns[0].Meta = Metadata{{keyType, nil}} }, `metadata key "trevni.type" is not for Column.Meta`},
	} {
		h, blocks, _ := twoColumns()
		c.change(h, blocks)
		var out bytes.Buffer
		_, err := NewBlockWriter(&out, h, blocks)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "trevni: ") || out.Len() > 0 {
			t.Errorf("%s: %d bytes written, error is %v, want %q", c.name, out.Len(), err, c.want)
		}
		if _, serr := FileSize(h, blocks); serr == nil || serr.Error() != err.Error() {
			t.Errorf("%s: Size gives %v, NewBlockWriter %v", c.name, serr, err)
		}
	}
}

func TestBlockWriterOrder(t *testing.T) {
	h, blocks, data := twoColumns()
	w, err := NewBlockWriter(io.Discard, h, blocks)
	must(t, err)
	must(t, w.WriteBlock(data[0]))
	if err := w.Close(); err == nil || !strings.Contains(err.Error(), `column "a" block 1: never written`) {
		t.Errorf("Close with blocks missing: %v", err)
	}
	w, err = NewBlockWriter(io.Discard, h, blocks)
	must(t, err)
	err = w.WriteBlock(data[1])
	if err == nil || !strings.Contains(err.Error(), `column "a" block 0: 1 bytes given, its descriptor and checksum make 2`) {
		t.Errorf("a block of another size: %v", err)
	}
	if again := w.WriteBlock(data[0]); again != err || w.Close() != err {
		t.Errorf("a failed writer gave %v", again)
	}
	w, err = NewBlockWriter(io.Discard, h, blocks)
	must(t, err)
	for _, d := range data {
		must(t, w.WriteBlock(d))
	}
	if err := w.WriteBlock(data[0]); err == nil || !strings.Contains(err.Error(), "more blocks than descriptors") {
		t.Errorf("a block too many: %v", err)
	}
}

// cutWriter takes n writes, and then fails in one of two ways.
type cutWriter struct {
	n     int
	short bool
}

var errFull = errors.New("no space left")

func (c *cutWriter) Write(p []byte) (int, error) {
	if c.n--; c.n >= 0 {
		return len(p), nil
	}
	if c.short {
		return len(p) - 1, nil
	}
	return 0, errFull
}

// TestWriteFaults fails the k-th write, for every k.
func TestWriteFaults(t *testing.T) {
	h, blocks, data := twoColumns()
	for k := range 6 { // header, descriptors of a, two blocks, descriptors of b[], a block
		for short, want := range map[bool]error{false: errFull, true: io.ErrShortWrite} {
			w, err := NewBlockWriter(&cutWriter{k, short}, h, blocks)
			for i := 0; err == nil && i < len(data); i++ {
				err = w.WriteBlock(data[i])
			}
			if !errors.Is(err, want) {
				t.Errorf("write %d fails: error is %v, want %v", k, err, want)
			}
			if w != nil && w.Close() == nil {
				t.Errorf("write %d fails: Close says all is well", k)
			}
		}
	}
}

// TestNoColumns: a table of records without fields has rows all the same.
func TestNoColumns(t *testing.T) {
	file := write(t, &Header{Rows: 7}, nil, nil)
	if r := open(t, file, nil); r.Header().Rows != 7 || len(r.Header().Columns) != 0 {
		t.Errorf("header is %+v", r.Header())
	}
}

// TestMetadata checks that properties come back in order, the unknown ones too.
func TestMetadata(t *testing.T) {
	var h Header
	h.SetCodec("snappy")
	h.Meta = h.Meta.Set("user", []byte{0, 255})
	h.SetChecksum(ChecksumCRC32LE)
	h.SetCodec("deflate")
	h.Meta = h.Meta.Set("trevni.later", nil)
	got := open(t, write(t, &h, nil, nil), nil).Header()
	if got.Codec() != "deflate" || got.checksum() != "crc-32" {
		t.Errorf("codec %q, checksum %q", got.Codec(), got.checksum())
	}
	for i, key := range []string{keyCodec, "user", keyChecksum, "trevni.later"} {
		if got.Meta[i].Key != key || !bytes.Equal(got.Meta[i].Value, h.Meta[i].Value) {
			t.Errorf("property %d is %q, want %q", i, got.Meta[i], h.Meta[i])
		}
	}
	if _, ok := got.Meta.Get("absent"); ok {
		t.Error("an absent key is there")
	}
	if twice := (Metadata{{"k", []byte("1")}, {"k", []byte("2")}}); twice.text("k") != "2" {
		t.Error("the last of two does not count")
	}
	if !ReservedKey("trevni.x") || ReservedKey("avro.schema") {
		t.Error("Reserved is wrong")
	}
}
