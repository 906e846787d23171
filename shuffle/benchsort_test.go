package shuffle

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sort"
	"testing"

	"avro2trevni/internal/tuple"
)

// benchEntries are encoded entries of 16 columns: in the shuffle's order, as a mapper
// emits them (a block of each column in turn), or in none.
func benchEntries(order string, n int) entries {
	var all []entry
	for i := range n {
		all = append(all, entry{col: uint32(i % 16), row: tuple.Row(i / 16 * 8000), rows: 8000, off: uint64(i)})
	}
	switch order {
	case "sorted":
		sort.SliceStable(all, func(i, j int) bool { return all[i].col < all[j].col })
	case "random":
		rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	s := make(entries, n*entrySize)
	for i := range all {
		all[i].encode(s.at(i))
	}
	return s
}

// BenchmarkSort sorts a chunk's entries: about 70 of whole blocks, or many of single rows.
func BenchmarkSort(b *testing.B) {
	for _, order := range []string{"sorted", "mapped", "random"} {
		for _, n := range []int{70, 20_000} {
			b.Run(fmt.Sprintf("order=%s/entries=%d", order, n), func(b *testing.B) {
				given := benchEntries(order, n)
				s := bytes.Clone(given)
				b.SetBytes(int64(len(given)))
				b.ReportAllocs()
				for b.Loop() {
					copy(s, given)
					if !sort.IsSorted(entries(s)) {
						sort.Sort(entries(s))
					}
				}
			})
		}
	}
}

// BenchmarkMerge merges run files, of blocks or of single rows, into one, on files in
// memory. Every run has tuples of all columns, and its own rows.
func BenchmarkMerge(b *testing.B) {
	for _, runs := range []int{2, 16, 64} {
		for _, size := range []int{40, 30 << 10} {
			b.Run(fmt.Sprintf("runs=%d/size=%d", runs, size), func(b *testing.B) { benchMerge(b, runs, size) })
		}
	}
}

func benchMerge(b *testing.B, runs, size int) {
	const columns, total = 16, 32 << 20
	each := total / runs / columns / max(size, 1000)
	s := mustNew(b, Options{Memory: 256 << 20, chunkSize: 1 << 20, fanIn: 128, Writers: 1, Files: newMemFiles()})
	defer mustClose(b, s)
	value := make([]byte, size)
	var srcs []source
	for r := range runs {
		run := benchRun(b, s, value, columns, each, r)
		srcs = append(srcs, run)
		defer s.remove([]*runFile{run})
	}
	b.SetBytes(int64(runs * columns * each * size))
	b.ReportAllocs()
	for b.Loop() {
		merged, err := s.write(srcs, 0)
		if err != nil {
			b.Fatal(err)
		}
		s.remove([]*runFile{merged})
	}
}

// benchRun writes a run file of so many tuples of each column.
func benchRun(b *testing.B, s *Shuffle, value []byte, columns, each, run int) *runFile {
	b.Helper()
	c := &chunk{buf: make([]byte, int(chunkFor(int64(len(value))))*columns*each)}
	c.reset()
	for i := range columns * each {
		e := entry{
			col: uint32(i % columns), row: tuple.RowOf(run, int64(i/columns)*10), rows: 10,
			size: uint32(len(value)), off: uint64(c.pos),
		}
		c.pos += copy(c.buf[c.pos:], value)
		c.push(&e)
	}
	file, err := s.write([]source{c.seal()}, 0)
	if err != nil {
		b.Fatal(err)
	}
	return file
}
