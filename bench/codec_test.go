package main

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/golang/snappy"
	kflate "github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/s2"

	"avro2trevni/trevni"
)

// sampled is how many blocks of each column the codecs run over.
const sampled = 8

// columnBlocks reads blocks of all columns of lineitem, before compression, from
// the file that the data verb makes; without it the benchmark is skipped.
func columnBlocks(b *testing.B) (blocks [][]byte, size int64) {
	b.Helper()
	f, err := os.Open("../.cache/bench/lineitem.trv")
	if err != nil {
		b.Skip("no data: bin/bench data lineitem lineitem-trevni")
	}
	b.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	r, err := trevni.NewReader(f, info.Size(), nil)
	if err != nil {
		b.Fatal(err)
	}
	for c := range r.Header().Columns {
		for i := range sampled {
			raw, err := r.ReadBlock(c, i, nil)
			if err != nil {
				b.Fatal(err)
			}
			blocks = append(blocks, raw)
			size += int64(len(raw))
		}
	}
	return blocks, size
}

// blockCodec is one of the libraries at one level.
type blockCodec struct {
	name   string
	encode func(dst, src []byte) []byte
	decode func(dst, src []byte) ([]byte, error)
}

// deflater is what the two deflate encoders have in common.
type deflater interface {
	io.WriteCloser
	Reset(io.Writer)
}

func deflateCodec(name string, level int, make func(io.Writer, int) (deflater, error)) blockCodec {
	w, err := make(io.Discard, level)
	if err != nil {
		panic(err)
	}
	var out bytes.Buffer
	r := kflate.NewReader(bytes.NewReader(nil))
	return blockCodec{
		name: fmt.Sprintf("%s-%d", name, level),
		encode: func(_, src []byte) []byte {
			out.Reset()
			w.Reset(&out)
			w.Write(src)
			w.Close()
			return out.Bytes()
		},
		decode: func(dst, src []byte) ([]byte, error) {
			if err := r.(kflate.Resetter).Reset(bytes.NewReader(src), nil); err != nil {
				return nil, err
			}
			buf := bytes.NewBuffer(dst[:0])
			_, err := buf.ReadFrom(r)
			return buf.Bytes(), err
		},
	}
}

func blockCodecs() []blockCodec {
	all := []blockCodec{
		{"golang-snappy", snappy.Encode, snappy.Decode},
		{"s2-snappy", s2.EncodeSnappy, snappy.Decode},
		{"s2-snappy-better", s2.EncodeSnappyBetter, snappy.Decode},
		{"s2-snappy-s2-decode", s2.EncodeSnappy, s2.Decode},
	}
	for _, level := range []int{1, 3, 4, 5, 6, 7, 9} {
		all = append(all, deflateCodec("klauspost-deflate", level, func(w io.Writer, l int) (deflater, error) { return kflate.NewWriter(w, l) }))
	}
	return append(all, deflateCodec("std-deflate", 6, func(w io.Writer, l int) (deflater, error) { return flate.NewWriter(w, l) }))
}

// BenchmarkEncode compresses blocks of 64 KiB of lineitem's columns; out/in is the
// compressed size in proportion.
func BenchmarkEncode(b *testing.B) {
	blocks, size := columnBlocks(b)
	dst := make([]byte, s2.MaxEncodedLen(1<<20))
	for _, c := range blockCodecs() {
		b.Run("codec="+c.name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			var out int
			for b.Loop() {
				out = 0
				for _, block := range blocks {
					out += len(c.encode(dst, block))
				}
			}
			b.ReportMetric(float64(out)/float64(size), "out/in")
		})
	}
}

// BenchmarkDecode is about what BenchmarkEncode made.
func BenchmarkDecode(b *testing.B) {
	blocks, size := columnBlocks(b)
	dst := make([]byte, 1<<20)
	for _, c := range blockCodecs() {
		b.Run("codec="+c.name, func(b *testing.B) {
			var encoded [][]byte
			for _, block := range blocks {
				encoded = append(encoded, bytes.Clone(c.encode(make([]byte, s2.MaxEncodedLen(len(block))), block)))
			}
			b.SetBytes(size)
			for b.Loop() {
				for _, e := range encoded {
					if _, err := c.decode(dst, e); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
