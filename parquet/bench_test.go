package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// BenchmarkDictionary looks up pages of 20,000 numbers, in chunks with different counts of distinct numbers.
func BenchmarkDictionary(b *testing.B) {
	const values = 20000
	for _, distinct := range []int{7, 2500, 20000, 120000} {
		b.Run(fmt.Sprintf("distinct=%d", distinct), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			d := newDictionary(8, 1<<20, unbounded())
			data, to := make([]byte, 8*values), make([]int32, values)
			b.SetBytes(8 * values)
			for b.Loop() {
				b.StopTimer()
				for i := range values {
					binary.LittleEndian.PutUint64(data[8*i:], uint64(r.IntN(distinct))*1000003)
				}
				b.StartTimer()
				d.look(to, data, nil)
			}
		})
	}
}

// likeLineitem are columns such as TPC-H's lineitem has.
var likeLineitem = []struct {
	name  string
	leaf  *Node
	value func(r *rand.Rand, row int) []byte
}{
	{"orderkey", Column("", Required, Int64, Logical{}), func(_ *rand.Rand, row int) []byte {
		return binary.LittleEndian.AppendUint64(nil, uint64(row/4+row/32*24))
	}},
	{"partkey", Column("", Required, Int64, Logical{}), func(r *rand.Rand, _ int) []byte {
		return binary.LittleEndian.AppendUint64(nil, r.Uint64N(200000))
	}},
	{"quantity", Column("", Required, Double, Logical{}), func(r *rand.Rand, _ int) []byte {
		return float64s(float64(1 + r.IntN(50)))
	}},
	{"price", Column("", Required, Double, Logical{}), func(r *rand.Rand, _ int) []byte {
		return float64s(math.Round(r.Float64()*1e7) / 100)
	}},
	{"shipdate", Column("", Required, Int32, Logical{Kind: DateType}), func(r *rand.Rand, _ int) []byte {
		return binary.LittleEndian.AppendUint32(nil, 8036+r.Uint32N(2526))
	}},
	{"flag", Column("", Required, ByteArray, Logical{Kind: StringType}), func(r *rand.Rand, _ int) []byte {
		return strings1([]string{"A", "N", "R"}[r.IntN(3)]).Data
	}},
	{"instruct", Column("", Required, ByteArray, Logical{Kind: StringType}), func(r *rand.Rand, _ int) []byte {
		return strings1([]string{"DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"}[r.IntN(4)]).Data
	}},
	{"comment", Column("", Required, ByteArray, Logical{Kind: StringType}), func(r *rand.Rand, _ int) []byte {
		words := []string{"quickly ", "final ", "deposits ", "sleep ", "furiously ", "ironic ", "packages ", "are ", "carefully ", "bold "}
		text := ""
		for range 2 + r.IntN(4) {
			text += words[r.IntN(len(words))]
		}
		return strings1(text[r.IntN(5):]).Data
	}},
	{"optional", Column("", Optional, Int64, Logical{}), func(r *rand.Rand, _ int) []byte {
		return binary.LittleEndian.AppendUint64(nil, r.Uint64N(1000))
	}},
}

// BenchmarkEncoder makes chunks of 30 pages of 20,000 rows, as lineitem's at 32 MiB of Avro a
// row group, and of 4 pages of 1,000 rows, as those of wide tables.
func BenchmarkEncoder(b *testing.B) {
	for _, shape := range []struct{ pages, rows int }{{30, 20000}, {4, 1000}} {
		for _, o := range []EncoderOptions{{Codec: Codec{Name: "snappy"}}, {Codec: Codec{Name: "snappy"}, Modern: true}} {
			for _, column := range likeLineitem {
				name := fmt.Sprintf("rows=%d/modern=%v/column=%s", shape.rows, o.Modern, column.name)
				b.Run(name, func(b *testing.B) { benchmarkChunk(b, o, column.leaf, column.value, shape.pages, shape.rows) })
			}
		}
	}
}

func benchmarkChunk(b *testing.B, o EncoderOptions, leaf *Node, value func(*rand.Rand, int) []byte, pages, rows int) {
	r := rand.New(rand.NewPCG(3, 4))
	chunk := make([]Values, pages)
	bytes := 0
	for i := range chunk {
		chunk[i].Rows = rows
		for row := range rows {
			if leaf.Repetition == Optional {
				def := byte(min(1, r.IntN(5)))
				if chunk[i].Def = append(chunk[i].Def, def); def == 0 {
					continue
				}
			}
			chunk[i].Data = append(chunk[i].Data, value(r, i*rows+row)...)
		}
		bytes += len(chunk[i].Data)
	}
	e, err := NewEncoder(one(b, leaf), o)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	var out []byte
	for b.Loop() {
		out = out[:0]
		for _, v := range chunk {
			if out, _, err = e.Page(out, 0, v); err != nil {
				b.Fatal(err)
			}
		}
		if out, _, err = e.EndChunk(out, 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(out))/float64(bytes), "ratio")
}
