package trevni

import (
	"fmt"
	"io"
	"testing"

	"avro2trevni/trevni/block"
)

// BenchmarkBuild makes a file of one column of each type, value by value.
func BenchmarkBuild(b *testing.B) {
	for typ := range types {
		for _, codec := range []string{"null", "snappy"} {
			b.Run(fmt.Sprintf("type=%s/codec=%s", typ, codec), func(b *testing.B) {
				const rows = 50_000
				h := &Header{Columns: []Column{{Name: "c", Type: typ}}}
				h.SetCodec(codec)
				h.SetChecksum(ChecksumCRC32)
				values := samples[typ]
				c := tableColumn{Column: h.Columns[0]}
				for i := range rows {
					c.add(nil, values[i%len(values):][:1])
				}
				b.SetBytes(int64(len(c.block(0, rows))))
				b.ReportAllocs()
				for b.Loop() {
					w, err := NewWriter(io.Discard, h, nil)
					must(b, err)
					for i := range rows {
						must(b, w.Column(0).Row())
						must(b, buildOne(w.Column(0), values[i%len(values)]))
					}
					must(b, w.Close())
				}
			})
		}
	}
}

// buildOne gives a column a value of the samples; fixed numbers are told from others by
// their types there.
func buildOne(c *ColumnWriter, v any) error {
	switch v := v.(type) {
	case nil:
		return c.Null()
	case bool:
		return c.Boolean(v)
	case int32:
		return c.Int(v)
	case int64:
		return c.Long(v)
	case uint32:
		return c.Fixed32(v)
	case uint64:
		return c.Fixed64(v)
	case float32:
		return c.Float(v)
	case float64:
		return c.Double(v)
	case string:
		return c.String(v)
	default:
		return c.Bytes(v.([]byte))
	}
}

// BenchmarkChecksum sums blocks of 64 KiB.
func BenchmarkChecksum(b *testing.B) {
	raw := benchBlock("text")
	for _, sum := range []Checksum{ChecksumNull, ChecksumCRC32} {
		b.Run(fmt.Sprintf("sum=%s", sum), func(b *testing.B) {
			e := newEncoder(block.Codec{Name: "null"}, sum)
			dst := make([]byte, 0, e.MaxLen(len(raw)))
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := e.Append(dst, raw)
				must(b, err)
			}
		})
	}
}

// BenchmarkLengths writes the lengths of 10,000 rows of a nullable column or an array, in
// runs where they repeat.
func BenchmarkLengths(b *testing.B) {
	for _, bb := range []struct {
		name   string
		length func(i int) int
	}{
		{"ones", func(int) int { return 1 }},
		{"sparse", func(i int) int { return min(1, max(0, i%100-98)) }},
		{"alternating", func(i int) int { return i % 2 }},
		{"arrays", func(i int) int { return 2 + i%3 }},
	} {
		b.Run("rows="+bb.name, func(b *testing.B) {
			const rows = 10_000
			var l block.Lengths
			buf := make([]byte, 0, 2*rows)
			b.SetBytes(rows)
			b.ReportAllocs()
			for b.Loop() {
				l.Reset()
				buf = buf[:0]
				for i := range rows {
					buf = l.Add(buf, bb.length(i))
				}
				buf = l.Close(buf)
			}
		})
	}
}
