package shuffle

import (
	"fmt"
	"math"
	"testing"

	"avro2trevni/internal/tuple"
)

// BenchmarkAdd adds in place what a codec would have written there: it measures the
// bookkeeping, with all in memory and released as it goes.
func BenchmarkAdd(b *testing.B) {
	for _, size := range []int{1, 30 << 10} {
		b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
			s := mustNew(b, Options{Memory: 256 << 20, Writers: 1, Files: newMemFiles()})
			defer mustClose(b, s)
			w := s.NewWriter()
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				buf, err := w.Buffer(size)
				if err != nil {
					b.Fatal(err)
				}
				if err := w.Add(tuple.Tuple{Row: tuple.Row(i), Rows: 1, Size: uint32(size), Value: buf[:size]}); err != nil {
					b.Fatal(err)
				}
				if i%1000 == 0 {
					s.Release(tuple.Row(i))
				}
			}
		})
	}
}

// BenchmarkSpill adds 64 MiB in blocks, or 8 MiB in single rows, to a fraction of the
// memory: copying, sorting, spilling and merging.
func BenchmarkSpill(b *testing.B) {
	for _, bb := range []struct {
		name   string
		memory int64
		n      int
		size   uint32
	}{{"blocks", 16 << 20, 2184, 30 << 10}, {"rows", 8 << 20, 200_000, 40}} {
		b.Run("tuples="+bb.name, func(b *testing.B) {
			value := make([]byte, bb.size)
			b.SetBytes(int64(bb.n) * int64(bb.size))
			b.ReportAllocs()
			for b.Loop() {
				s := mustNew(b, Options{Memory: bb.memory, Writers: 1, TempDirs: []string{b.TempDir()}})
				w := s.NewWriter()
				for i := range bb.n {
					x := tuple.Tuple{Column: uint32(i % 16), Row: tuple.Row(i / 16 * 8000), Rows: 8000, Size: bb.size, Value: value}
					if err := w.Add(x); err != nil {
						b.Fatal(err)
					}
				}
				if err := w.Seal(); err != nil {
					b.Fatal(err)
				}
				mustClose(b, s)
			}
		})
	}
}

// BenchmarkScan reads all columns back, from memory and from run files.
func BenchmarkScan(b *testing.B) {
	const n, size = 2184, 30 << 10
	for _, bb := range []struct {
		name   string
		memory int64
	}{{"memory", 256 << 20}, {"disk", 16 << 20}} {
		b.Run("in="+bb.name, func(b *testing.B) {
			s := mustNew(b, Options{Memory: bb.memory, Writers: 1, TempDirs: []string{b.TempDir()}})
			defer mustClose(b, s)
			w := s.NewWriter()
			value := make([]byte, size)
			for i := range n {
				x := tuple.Tuple{Column: uint32(i % 16), Row: tuple.Row(i / 16 * 8000), Rows: 8000, Size: size, Value: value}
				if err := w.Add(x); err != nil {
					b.Fatal(err)
				}
			}
			if err := w.Seal(); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(n * size)
			b.ReportAllocs()
			for b.Loop() {
				for c := range uint32(16) {
					sc := s.Scan(c, 0, math.MaxUint64)
					for sc.Next() {
						var err error
						if value, err = sc.Value(value[:0]); err != nil {
							b.Fatal(err)
						}
					}
					if err := sc.Close(); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
