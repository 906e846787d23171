package parquet

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// symbols is the dictionary of a column whose values are numbers of symbols: those symbols that
// came, in the order in which they first came.
type symbols struct {
	names []string
	rank  []int32 // of each symbol among all as they sort
	entry []int32 // of each symbol in the dictionary, or -1
	used  []int32 // symbols in the dictionary
}

func newSymbols(names []string) *symbols {
	s := &symbols{names: names, rank: make([]int32, len(names)), entry: make([]int32, len(names))}
	sorted := make([]int, len(names))
	for i := range sorted {
		sorted[i] = i
	}
	slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(names[a], names[b]) })
	for rank, i := range sorted {
		s.rank[i] = int32(rank)
	}
	return s
}

func (s *symbols) reset() {
	s.used = s.used[:0]
	for i := range s.entry {
		s.entry[i] = -1
	}
}

// look sets to[i] to the dictionary's entry for the i'th number in data, and the page's bounds
// and bytes. It is an error if there is no such symbol.
func (s *symbols) look(to []int32, data []byte, m *Meta) error {
	lo, hi := -1, -1
	for i := range to {
		n := int(binary.LittleEndian.Uint32(data[4*i:]))
		if n >= len(s.names) {
			return fmt.Errorf("symbol %d of %d", n, len(s.names))
		}
		if s.entry[n] < 0 {
			s.entry[n] = int32(len(s.used))
			s.used = append(s.used, int32(n))
		}
		to[i] = s.entry[n]
		m.Bytes += int64(len(s.names[n]))
		if lo < 0 || s.rank[n] < s.rank[lo] {
			lo = n
		}
		if hi < 0 || s.rank[n] > s.rank[hi] {
			hi = n
		}
	}
	x := extent{o: lexical}
	x.add([]byte(s.names[lo]))
	x.add([]byte(s.names[hi]))
	m.setExtent(&Node{Type: ByteArray, Logical: Logical{Kind: StringType}}, &x)
	return nil
}

// plain returns the dictionary page's body.
func (s *symbols) plain() []byte {
	var b []byte
	for _, n := range s.used {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(s.names[n])))
		b = append(b, s.names[n]...)
	}
	return b
}
