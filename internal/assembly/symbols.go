package assembly

import "hash/maphash"

// symbols finds a symbol's index by its bytes: a table with open addressing.
type symbols struct {
	names []string
	seed  maphash.Seed
	slots []int32 // index + 1; 0: none
}

func newSymbols(names []string) *symbols {
	if names == nil {
		return nil
	}
	size := 4
	for size < 2*len(names) {
		size *= 2
	}
	s := &symbols{names: names, seed: maphash.MakeSeed(), slots: make([]int32, size)}
	for i, name := range names {
		at := maphash.String(s.seed, name) & uint64(size-1)
		for s.slots[at] != 0 {
			at = (at + 1) & uint64(size-1)
		}
		s.slots[at] = int32(i + 1)
	}
	return s
}

// find returns a symbol's index, -1 if there is no such symbol.
func (s *symbols) find(name []byte) int {
	if s == nil {
		return -1
	}
	mask := uint64(len(s.slots) - 1)
	for at := maphash.Bytes(s.seed, name) & mask; s.slots[at] != 0; at = (at + 1) & mask {
		if i := s.slots[at] - 1; s.names[i] == string(name) {
			return int(i)
		}
	}
	return -1
}
