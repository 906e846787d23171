package ocf

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/linkedin/goavro/v2"
	"pgregory.net/rapid"
)

// readBack returns a file's header and its rows' bytes and number, and its blocks.
func readBack(t interface{ Fatal(...any) }, data []byte) (h *Header, rows []byte, n, blocks int64) {
	src, size := bytes.NewReader(data), int64(len(data))
	h, err := ReadHeader(src, size, "x", Limits{})
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(Limits{}, nil)
	defer r.Close()
	if err := r.Open(src, "x", size, h, 0, size); err != nil {
		t.Fatal(err)
	}
	for {
		b, err := r.Next()
		if err == io.EOF {
			return h, rows, n, blocks
		}
		if err != nil {
			t.Fatal(err)
		}
		n, blocks = n+b.Rows, blocks+1
		for last := false; !last; {
			var w []byte
			if w, last, err = r.Window(0); err != nil {
				t.Fatal(err)
			}
			rows = append(rows, w...)
		}
	}
}

// What is written is read, for any rows, codec, and size of blocks.
func TestWriter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := WriterOptions{
			Schema:     `"string"`,
			Codec:      rapid.SampledFrom([]string{"", "null", "deflate", "snappy"}).Draw(t, "codec"),
			Level:      rapid.IntRange(0, 9).Draw(t, "level"),
			BlockBytes: rapid.SampledFrom([]int{0, 1, 10, 100, 1000}).Draw(t, "block"),
			Meta:       []Meta{{Key: "k", Value: []byte("v")}},
		}
		var file bytes.Buffer
		w, err := NewWriter(&file, &o)
		if err != nil {
			t.Fatal(err)
		}
		var want []byte
		var rows int64
		for _, k := range rapid.SliceOf(rapid.IntRange(0, 300)).Draw(t, "rows") {
			b := bytes.Repeat([]byte{byte(k)}, k)
			if err := w.Append(b, k); err != nil {
				t.Fatal(err)
			}
			want, rows = append(want, b...), rows+int64(k)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		h, got, n, blocks := readBack(t, file.Bytes())
		if n != rows || !bytes.Equal(got, want) {
			t.Fatalf("%d rows of %d bytes, want %d of %d", n, len(got), rows, len(want))
		}
		if len(h.Meta) != 1 || h.Meta[0].Key != "k" || h.Schema != o.Schema || h.Codec != cmp.Or(o.Codec, "null") {
			t.Fatalf("header %+v", h)
		}
		if o.BlockBytes > 0 && blocks > int64(len(want)/o.BlockBytes+1) {
			t.Fatalf("%d blocks of %d bytes of rows", blocks, len(want))
		}
	})
}

// goavro reads what is written.
func TestWriterGoavro(t *testing.T) {
	for _, codec := range []string{"null", "deflate", "snappy"} {
		t.Run(codec, func(t *testing.T) {
			var file bytes.Buffer
			w, err := NewWriter(&file, &WriterOptions{Schema: `"string"`, Codec: codec, BlockBytes: 100})
			if err != nil {
				t.Fatal(err)
			}
			for i := range 1000 {
				s := fmt.Sprint(i)
				if err := w.Append(append([]byte{byte(2 * len(s))}, s...), 1); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			r, err := goavro.NewOCFReader(&file)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 1000 {
				if !r.Scan() {
					t.Fatal(i, r.Err())
				}
				if v, err := r.Read(); v != fmt.Sprint(i) || err != nil {
					t.Fatal(i, v, err)
				}
			}
			if r.Scan() || r.Err() != nil {
				t.Fatal("more rows, or", r.Err())
			}
		})
	}
}

// Rows that take no bytes come in blocks of bounded count.
func TestWriterRowsWithoutBytes(t *testing.T) {
	var file bytes.Buffer
	w, err := NewWriter(&file, &WriterOptions{Schema: `"null"`})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if err := w.Append(nil, maxBlockRows/2); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, n, blocks := readBack(t, file.Bytes()); n != 5*maxBlockRows/2 || blocks != 3 {
		t.Errorf("%d rows in %d blocks", n, blocks)
	}
}

// failing fails from the n-th Write on.
type failing struct{ n int }

var errDisk = errors.New("disk full")

func (f *failing) Write(p []byte) (int, error) {
	if f.n--; f.n < 0 {
		return 0, errDisk
	}
	return len(p), nil
}

// A failed writer stays failed, and a closed one is closed.
func TestWriterErrors(t *testing.T) {
	o := &WriterOptions{Schema: `"null"`, BlockBytes: 1}
	if _, err := NewWriter(&failing{0}, o); !errors.Is(err, errDisk) {
		t.Errorf("header: %v", err)
	}
	w, err := NewWriter(&failing{1}, o)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Append([]byte{1}, 1); !errors.Is(err, errDisk) {
			t.Errorf("block: %v", err)
		}
	}
	if err := w.Close(); !errors.Is(err, errDisk) {
		t.Errorf("close: %v", err)
	}
	w, err = NewWriter(&failing{9}, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append([]byte{1}, 0); err == nil {
		t.Error("bytes of no rows were taken")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w.Append(nil, 1) == nil || w.Close() == nil {
		t.Error("a closed writer goes on")
	}
}

func TestWriterOptions(t *testing.T) {
	for _, c := range []struct {
		o    WriterOptions
		want string
	}{
		{WriterOptions{}, "Schema is empty"},
		{WriterOptions{Schema: "1", Codec: "lzo"}, `"lzo" cannot be written`},
		{WriterOptions{Schema: "1", Codec: "deflate", Level: 10}, "must be 1 to 9"},
		{WriterOptions{Schema: "1", BlockBytes: -1}, "BlockBytes is -1"},
		{WriterOptions{Schema: "1", Meta: []Meta{{Key: "avro.sync"}}}, `"avro.sync"`},
	} {
		if _, err := NewWriter(io.Discard, &c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
}

// Once its buffers have grown a writer allocates nothing.
func TestWriterDoesNotAllocate(t *testing.T) {
	if raced {
		t.Skip("the race detector allocates; make test runs this without the race detector too")
	}
	row := bytes.Repeat([]byte("ab"), 500)
	for _, codec := range []string{"null", "deflate", "snappy"} {
		w, err := NewWriter(io.Discard, &WriterOptions{Schema: "1", Codec: codec})
		if err != nil {
			t.Fatal(err)
		}
		write := func() {
			for range 1000 {
				if err := w.Append(row, 10); err != nil {
					t.Fatal(err)
				}
			}
		}
		write()
		if n := testing.AllocsPerRun(5, write); n > 0 {
			t.Errorf("%s: %v allocations for 1000 appends", codec, n)
		}
	}
}
