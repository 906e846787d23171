package ocf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/linkedin/goavro/v2"
)

func leCRC(b []byte) []byte { return binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(b)) }

// open opens a segment of a file.
func open(t testing.TB, file []byte, lim Limits, mem Memory, start, end int64) *Reader {
	t.Helper()
	h, err := header(file, lim)
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(lim, mem)
	if err := r.Open(bytes.NewReader(file), "t.avro", int64(len(file)), h, start, end); err != nil {
		t.Fatal(err)
	}
	return r
}

// What goavro writes is read, and is what goavro encodes.
func TestGoavro(t *testing.T) {
	const text = `{"type":"record","name":"R","fields":[{"name":"id","type":"long"},{"name":"s","type":"string"}]}`
	for _, codec := range []string{"null", "deflate", "snappy"} {
		t.Run(codec, func(t *testing.T) {
			var file bytes.Buffer
			w, err := goavro.NewOCFWriter(goavro.OCFConfig{W: &file, Schema: text, CompressionName: codec})
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for block := range 5 {
				var rows []any
				var raw []byte
				for i := range 300 {
					row := map[string]any{"id": int64(block*1000 + i), "s": strings.Repeat("s", i%7)}
					rows = append(rows, row)
					if raw, err = w.Codec().BinaryFromNative(raw, row); err != nil {
						t.Fatal(err)
					}
				}
				want = append(want, string(raw))
				if err := w.Append(rows); err != nil {
					t.Fatal(err)
				}
			}
			all, err := readFile(file.Bytes(), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			var raws []string
			for _, b := range all {
				raws = append(raws, b.raw)
				if b.Rows != 300 {
					t.Errorf("%d rows", b.Rows)
				}
			}
			if d := cmp.Diff(want, raws); d != "" {
				t.Error(d)
			}
		})
	}
}

// The fixtures of all writers read, in one window or many.
func TestFixtures(t *testing.T) {
	names, err := filepath.Glob("../../testdata/avro/*.avro")
	if err != nil || len(names) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			file := testdata(t, name)
			all, err := readFile(file, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			small, err := readFile(file, Limits{ReadBytes: minRead, WindowBytes: 64})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(all, small, cmp.AllowUnexported(got{})); d != "" {
				t.Error("small windows differ")
			}
		})
	}
}

// Damage that the container shows is found; the rest is for who decodes the rows.
func TestBroken(t *testing.T) {
	tests := []struct {
		name string
		kind error
	}{
		{"bad-sync-of-block-3", ErrCorrupt}, {"codec-unknown", ErrCodec}, {"deflate-bad", ErrCorrupt},
		{"deflate-cut", ErrCorrupt}, {"garbage-behind-last-block", ErrCorrupt}, {"header-count-huge", ErrCorrupt},
		{"header-key-length-huge", ErrCorrupt}, {"huge-rows", ErrLimit}, {"huge-size", ErrCorrupt},
		{"magic-of-avro-0", ErrCorrupt}, {"magic-only", ErrCorrupt}, {"negative-rows", ErrCorrupt},
		{"negative-size", ErrCorrupt}, {"no-schema", ErrCorrupt}, {"snappy-bad-crc", ErrCorrupt},
		{"snappy-declares-huge", ErrCorrupt}, {"snappy-flipped-byte", ErrCorrupt}, {"text", ErrCorrupt},
		{"truncated-before-sync-of-block-3", ErrCorrupt}, {"truncated-in-block-3", ErrCorrupt},
		{"truncated-in-count-of-block-3", ErrCorrupt}, {"truncated-in-header", ErrCorrupt},
		{"truncated-in-header-sync", ErrCorrupt}, {"truncated-in-sync-of-block-3", ErrCorrupt},
		{"zero-bytes", ErrCorrupt}, {"zstandard-bomb", ErrLimit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file, err := os.ReadFile("../../testdata/broken/" + tt.name + ".avro")
			if err != nil {
				t.Fatal(err)
			}
			for _, lim := range []Limits{{BlockBytes: 1 << 20}, {BlockBytes: 1 << 20, ReadBytes: minRead, WindowBytes: 64}} {
				_, err = readFile(file, lim)
				checkError(t, err, tt.kind)
			}
		})
	}
}

func TestBlockErrors(t *testing.T) {
	long := func(vs ...int64) (b []byte) {
		for _, v := range vs {
			b = appendLong(b, v)
		}
		return b
	}
	pad := make([]byte, 100)
	tests := []struct {
		name string
		tail []byte
		kind error
		has  string
	}{
		{"cut in the count", []byte{0x80}, io.ErrUnexpectedEOF, "count"},
		{"cut in the size", []byte{2, 0x80}, io.ErrUnexpectedEOF, "size"},
		{"count only", []byte{2}, io.ErrUnexpectedEOF, "size"},
		{"count of too many bits", bytes.Repeat([]byte{0xff}, 20), ErrCorrupt, "more than 64 bits"},
		{"negative count", append(long(-1, 1), pad...), ErrCorrupt, "-1 rows"},
		{"negative size", append(long(1, -1), pad...), ErrCorrupt, "-1 bytes"},
		{"huge size", append(long(1, 1<<62), pad...), io.ErrUnexpectedEOF, "has 84"},
		{"largest size", append(long(1, 1<<63-1), pad...), io.ErrUnexpectedEOF, "claims"},
		{"size a byte too large", append(long(1, 85), pad...), io.ErrUnexpectedEOF, "has 84"},
		{"wrong marker", append(long(1, 84), pad...), ErrCorrupt, "sync marker"},
		{"absurd count", append(long(1<<40, 84), pad...), ErrLimit, "rows"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			whole := container(t, "null", piece{1, []byte("first")})
			_, err := readFile(append(bytes.Clone(whole), tt.tail...), Limits{})
			checkError(t, err, tt.kind)
			var e *Error
			if errors.As(err, &e); e.Block != int64(len(whole)) {
				t.Errorf("block at %d, want %d", e.Block, len(whole))
			}
			for _, has := range []string{tt.has, "t.avro", fmt.Sprint(len(whole))} {
				if !strings.Contains(err.Error(), has) {
					t.Errorf("%q does not say %q", err, has)
				}
			}
		})
	}
}

// A block is passed over without its data being read, but not without its marker.
func TestPassOver(t *testing.T) {
	for _, read := range []int{0, minRead} {
		file := container(t, "null", piece{1, lines(1000)}, piece{2, lines(500)}, piece{3, nil})
		r := open(t, file, Limits{ReadBytes: read, WindowBytes: 100}, nil, 0, int64(len(file)))
		var rows []int64
		for {
			b, err := r.Next()
			if err != nil {
				if err != io.EOF {
					t.Error(err)
				}
				break
			}
			if rows = append(rows, b.Rows); b.Rows == 2 {
				if _, _, err := r.Window(0); err != nil {
					t.Error(err)
				}
			}
		}
		if d := cmp.Diff([]int64{1, 2, 3}, rows); d != "" {
			t.Error(d)
		}
		first := bytes.Index(file[100:], testSync[:]) + 100
		file[first]++
		r = open(t, file, Limits{ReadBytes: read}, nil, 0, int64(len(file)))
		_, err := r.Next()
		if err == nil {
			_, err = r.Next()
		}
		checkError(t, err, ErrCorrupt)
		if _, again := r.Next(); again != err {
			t.Errorf("the error did not stay: %v", again)
		}
		if _, _, again := r.Window(0); again != err {
			t.Errorf("the error did not stay: %v", again)
		}
	}
}

// Each byte flipped and each length cut: the data that were written, or an error.
func TestSweeps(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			b := appendBlock(appendHeader(nil, g.codec), 3, golden(t, g.hex))
			b = appendBlock(b, 4, golden(t, g.hex))
			want, err := readFile(b, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range b {
				c := bytes.Clone(b)
				c[i] ^= 1 << (i % 8)
				sweep(t, fmt.Sprintf("byte %d", i), c, want, g.codec)
				sweep(t, fmt.Sprintf("cut at %d", i), b[:i], want, g.codec)
			}
		})
	}
}

// sweep reads a damaged file. What no checksum covers may be read: rows, and the data
// of the codecs that have none.
func sweep(t *testing.T, what string, file []byte, want []got, codec string) {
	t.Helper()
	for _, lim := range []Limits{{BlockBytes: 1 << 20}, {BlockBytes: 1 << 20, ReadBytes: minRead, WindowBytes: 16}} {
		all, err := readFile(file, lim)
		if err != nil {
			checkError(t, err, nil)
			continue
		}
		if h, err := header(file, lim); err != nil || h.Codec != codec {
			continue // the codec's name became another key or codec
		}
		if codec == "null" || codec == "deflate" || len(all) < len(want) {
			continue
		}
		for i := range all {
			if all[i].raw != want[i].raw {
				if codec == "xz" && strings.Contains(t.Name(), "without_check") {
					continue
				}
				t.Errorf("%s: block %d reads as %q", what, i, all[i].raw)
			}
		}
	}
}

// FuzzBlocks: any blocks of any codec are data or an error with its place, the same
// for all sizes of buffers, and never more memory than allowed.
func FuzzBlocks(f *testing.F) {
	for i, g := range goldens {
		f.Add(uint8(i), appendBlock(nil, 1, golden(f, g.hex)))
	}
	for i, codec := range written {
		f.Add(uint8(i), appendBlock(appendBlock(nil, 1, compress(f, codec, lines(300))), 0, compress(f, codec, nil)))
	}
	f.Fuzz(func(t *testing.T, n uint8, blocks []byte) {
		codec := codecs[int(n)%len(codecs)]
		file := append(appendHeader(nil, codec), blocks...)
		const limit = 1 << 20
		all, err := fuzzRead(t, file, Limits{BlockBytes: limit})
		small, err2 := fuzzRead(t, file, Limits{BlockBytes: limit, ReadBytes: minRead, WindowBytes: 50})
		if (err == nil) != (err2 == nil) {
			t.Fatalf("%s: %v, and in small windows %v", codec, err, err2)
		}
		if d := cmp.Diff(all, small, cmp.AllowUnexported(got{})); d != "" {
			t.Fatalf("%s: small windows differ: %s", codec, d)
		}
	})
}

func fuzzRead(t *testing.T, file []byte, lim Limits) ([]got, error) {
	mem := &account{limit: 600 << 20}
	r := open(t, file, lim, mem, 0, int64(len(file)))
	all, err := readAll(r, keepNone)
	if err != nil {
		checkError(t, err, nil)
	}
	if mem.now != 0 {
		t.Fatalf("%d bytes not returned", mem.now)
	}
	return all, err
}
