package trevni

import (
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"avro2trevni/trevni/block"
)

// benchBlock is a block of 64 KiB such as a job makes: dates, prices, or words of
// comments.
func benchBlock(kind string) []byte {
	rnd := rand.New(rand.NewPCG(3, 4))
	words := []string{"furiously", "ironic", "deposits", "quickly", "regular", "packages", "sleep", "carefully", "bold", "theodolites"}
	var buf []byte
	for len(buf) < 64<<10 {
		switch kind {
		case "date":
			buf = block.AppendLong(buf, 8000+rnd.Int64N(2500))
		case "price":
			buf = appendValue(buf, float64(rnd.IntN(10_000_000))/100)
		default:
			text := words[rnd.IntN(10)]
			for range 1 + rnd.IntN(5) {
				text += " " + words[rnd.IntN(10)]
			}
			buf = appendBytes(buf, text)
		}
	}
	return buf
}

func benchEach(b *testing.B, specs []string, f func(b *testing.B, spec block.Codec, raw []byte)) {
	for _, name := range specs {
		spec, err := block.ParseCodec(name)
		must(b, err)
		for _, kind := range []string{"date", "price", "text"} {
			b.Run(fmt.Sprintf("codec=%s/data=%s", name, kind), func(b *testing.B) {
				raw := benchBlock(kind)
				b.SetBytes(int64(len(raw)))
				b.ReportAllocs()
				f(b, spec, raw)
			})
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	benchEach(b, []string{"null", "snappy", "snappy:better", "deflate:1", "deflate", "deflate:9"}, func(b *testing.B, spec block.Codec, raw []byte) {
		e := newEncoder(spec, ChecksumCRC32)
		dst := make([]byte, 0, e.MaxLen(len(raw)))
		var size int
		for b.Loop() {
			d, err := e.Append(dst, raw)
			must(b, err)
			size = len(d)
		}
		b.ReportMetric(float64(size)/float64(len(raw)), "ratio")
	})
}

func BenchmarkDecode(b *testing.B) {
	benchEach(b, []string{"null", "snappy", "deflate"}, func(b *testing.B, spec block.Codec, raw []byte) {
		data, err := newEncoder(spec, ChecksumCRC32).Append(nil, raw)
		must(b, err)
		d, err := block.NewDecoder(block.Coding{Codec: spec, Checksum: ChecksumCRC32})
		must(b, err)
		dst := make([]byte, 0, len(raw))
		for b.Loop() {
			_, err := d.Decode(dst, data, len(raw))
			must(b, err)
		}
	})
}

// BenchmarkBlockWriter writes a file of 8 columns of 64 blocks, already compressed.
func BenchmarkBlockWriter(b *testing.B) {
	raw := benchBlock("price")
	data, err := encoder("snappy", ChecksumCRC32).Append(nil, raw)
	must(b, err)
	h := &Header{}
	h.SetCodec("snappy")
	h.SetChecksum(ChecksumCRC32)
	var blocks [][]Block
	for i := range 8 {
		h.Columns = append(h.Columns, Column{Name: fmt.Sprint("c", i), Type: Double})
		var bs []Block
		for range 64 {
			bs = append(bs, Block{Rows: uint32(len(raw) / 8), RawSize: uint32(len(raw)), Size: uint32(len(data) - 4)})
		}
		blocks, h.Rows = append(blocks, bs), uint64(64*len(raw)/8)
	}
	b.SetBytes(int64(8 * 64 * len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		w, err := NewBlockWriter(io.Discard, h, blocks)
		must(b, err)
		for range 8 * 64 {
			must(b, w.WriteBlock(data))
		}
		must(b, w.Close())
	}
}

// BenchmarkColumn reads a column by an iterator.
func BenchmarkColumn(b *testing.B) {
	const rows = 50_000
	c := tableColumn{Column: Column{Name: "c", Type: Long}}
	for i := range rows {
		c.add(nil, samples[Long][i%len(samples[Long]):][:1])
	}
	r := open(b, (&table{rows, []tableColumn{c}}).file(b, Metadata{{keyCodec, []byte("snappy")}}, 4000), nil)
	b.SetBytes(int64(len(c.block(0, rows))))
	b.ReportAllocs()
	for b.Loop() {
		c, err := r.Column(0)
		must(b, err)
		for _, err := range Values[int64](c) {
			must(b, err)
		}
	}
}

// batchDrain returns a function that takes all values of a plain column in batches.
// What they are read into is made once.
func batchDrain(t Type) func(c *ColumnReader) error {
	const n = 1024
	switch t {
	case Null:
		return func(c *ColumnReader) error {
			for {
				if _, err := c.ReadNulls(n); err != nil {
					return atEnd(err)
				}
			}
		}
	case Boolean:
		return drainInto(make([]bool, n), (*ColumnReader).ReadBooleans)
	case Int:
		return drainInto(make([]int32, n), (*ColumnReader).ReadInts)
	case Long:
		return drainInto(make([]int64, n), (*ColumnReader).ReadLongs)
	case Fixed32:
		return drainInto(make([]uint32, n), (*ColumnReader).ReadFixed32s)
	case Fixed64:
		return drainInto(make([]uint64, n), (*ColumnReader).ReadFixed64s)
	case Float:
		return drainInto(make([]float32, n), (*ColumnReader).ReadFloats)
	case Double:
		return drainInto(make([]float64, n), (*ColumnReader).ReadDoubles)
	}
	return drainInto(make([][]byte, n), (*ColumnReader).ReadBytes)
}

func drainInto[T any](dst []T, read func(*ColumnReader, []T) (int, error)) func(c *ColumnReader) error {
	return func(c *ColumnReader) error {
		for {
			if _, err := read(c, dst); err != nil {
				return atEnd(err)
			}
		}
	}
}

// atEnd returns the error that is not the end.
func atEnd(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// BenchmarkRead reads columns of each type in batches.
func BenchmarkRead(b *testing.B) {
	for typ := range types {
		for _, codec := range []string{"null", "snappy"} {
			b.Run(fmt.Sprintf("type=%s/codec=%s", typ, codec), func(b *testing.B) {
				const rows = 100_000
				c := tableColumn{Column: Column{Name: "c", Type: typ}}
				for i := range rows {
					c.add(nil, samples[typ][i%len(samples[typ]):][:1])
				}
				file := (&table{rows, []tableColumn{c}}).file(b, Metadata{{keyCodec, []byte(codec)}, {keyChecksum, []byte("crc32")}}, 8192)
				r, read := open(b, file, nil), batchDrain(typ)
				b.SetBytes(int64(len(c.block(0, rows))))
				b.ReportAllocs()
				for b.Loop() {
					cr, err := r.Column(0)
					must(b, err)
					must(b, read(cr))
				}
			})
		}
	}
}
