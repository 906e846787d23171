package reader

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// packers compress as writers do.
var packers = []struct {
	name  string
	codec Codec
	pack  func([]byte) []byte
}{
	{"none", Uncompressed, bytes.Clone},
	{"snappy", Snappy, func(b []byte) []byte { return snappy.Encode(nil, b) }},
	{"gzip", Gzip, gzipped},
	{"gzip of two members", Gzip, func(b []byte) []byte { return append(gzipped(b[:len(b)/2]), gzipped(b[len(b)/2:])...) }},
	{"zstd", Zstd, func(b []byte) []byte {
		w, _ := zstd.NewWriter(nil)
		return w.EncodeAll(b, nil)
	}},
	{"zstd without a size", Zstd, func(b []byte) []byte {
		var out bytes.Buffer
		w, _ := zstd.NewWriter(&out)
		_, _ = w.Write(b)
		_ = w.Flush()
		_ = w.Close()
		return out.Bytes()
	}},
	{"brotli", Brotli, func(b []byte) []byte {
		var out bytes.Buffer
		w := brotli.NewWriter(&out)
		_, _ = w.Write(b)
		_ = w.Close()
		return out.Bytes()
	}},
	{"lz4_raw", LZ4Raw, lz4Block},
	{"lz4, a block alone", LZ4, lz4Block},
	{"lz4 in Hadoop's frames", LZ4, func(b []byte) []byte {
		return append(hadoopFrame(b[:len(b)/3]), hadoopFrame(b[len(b)/3:])...)
	}},
	{"lz4 in the library's frames", LZ4, func(b []byte) []byte {
		var out bytes.Buffer
		w := lz4.NewWriter(&out)
		_, _ = w.Write(b)
		_ = w.Close()
		return out.Bytes()
	}},
}

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(b)
	_ = w.Close()
	return out.Bytes()
}

func lz4Block(b []byte) []byte {
	out := make([]byte, lz4.CompressBlockBound(len(b)))
	n, _ := lz4.CompressBlock(b, out, nil)
	if n > 0 {
		return out[:n]
	}
	// Incompressible: literals alone, with their length in the token and the bytes after it.
	out = []byte{byte(min(len(b), 15) << 4)}
	for rest := len(b) - 15; rest >= 0; rest -= 255 {
		out = append(out, byte(min(rest, 255)))
	}
	return append(out, b...)
}

func hadoopFrame(b []byte) []byte {
	block := lz4Block(b)
	head := binary.BigEndian.AppendUint32(nil, uint32(len(b)))
	return append(binary.BigEndian.AppendUint32(head, uint32(len(block))), block...)
}

// TestCodecs decompresses in every codec, twice with one decompressor; a size that is wrong, and
// bytes that are cut or changed, are errors or other bytes, never a panic.
func TestCodecs(t *testing.T) {
	r := rand.New(rand.NewPCG(seedOf(t), 7))
	random := make([]byte, 5000)
	for i := range random {
		random[i] = byte(r.IntN(256))
	}
	inputs := [][]byte{[]byte("a"), []byte(strings.Repeat("column ", 900)), random, make([]byte, 3<<20)}
	for _, p := range packers {
		t.Run(p.name, func(t *testing.T) {
			var d decompressor
			for _, want := range inputs {
				packed := p.pack(want)
				for range 2 {
					got, err := d.decode(p.codec, nil, packed, len(want))
					if err != nil || !bytes.Equal(got, want) {
						t.Fatalf("%d bytes: %d, %v", len(want), len(got), err)
					}
				}
				for _, n := range []int{0, len(want) - 1, len(want) + 1, 1 << 30} {
					if _, err := d.decode(p.codec, nil, packed, n); !errors.Is(err, ErrCorrupt) {
						t.Errorf("%d bytes, %d expected: %v", len(want), n, err)
					}
				}
				for cut := range min(len(packed), 100) {
					got, err := d.decode(p.codec, nil, packed[:cut], len(want))
					if err == nil && !bytes.Equal(got, want) || err != nil && !errors.Is(err, ErrCorrupt) {
						t.Errorf("%d of %d bytes: %d, %v", cut, len(packed), len(got), err)
					}
				}
			}
		})
	}
}

// TestHostileSizes gives every codec a few bytes that are said to become a gigabyte: memory
// is not allocated for what does not come.
func TestHostileSizes(t *testing.T) {
	const gigabyte = 1 << 30
	for _, p := range packers[1:] {
		packed := p.pack([]byte("no gigabyte"))
		var d decompressor
		if _, err := d.decode(p.codec, nil, packed, 11); err != nil { // its own tables
			t.Fatal(p.name, err)
		}
		n := allocated(func() {
			if _, err := d.decode(p.codec, nil, packed, gigabyte); err == nil {
				t.Error(p.name, "a gigabyte of 11 bytes")
			}
		})
		if n > 16<<20 {
			t.Errorf("%s: %d bytes were allocated", p.name, n)
		}
	}
}

// TestHostileSnappy gives snappy a block that says itself that it becomes a gigabyte.
func TestHostileSnappy(t *testing.T) {
	var d decompressor
	n := allocated(func() {
		if _, err := d.decode(Snappy, nil, append(binary.AppendUvarint(nil, 1<<30), 0, 'x'), 1<<30); err == nil {
			t.Error("a gigabyte of 7 bytes")
		}
	})
	if n > 1<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}

// TestUnsupportedCodecs names them.
func TestUnsupportedCodecs(t *testing.T) {
	for codec, name := range map[Codec]string{LZO: "LZO", 99: "codec 99"} {
		var d decompressor
		_, err := d.decode(codec, nil, []byte("x"), 1)
		if !errors.Is(err, ErrUnsupported) || errors.Is(err, ErrCorrupt) || !strings.Contains(fmt.Sprint(err), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
