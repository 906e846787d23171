package local

import (
	"math/rand/v2"
	"testing"

	"avro2trevni/internal/tuple"
)

// Rows are given up up to the first group that is not written, in whatever order groups are.
func TestRowsAreGivenUpInOrder(t *testing.T) {
	const seed, groups = 1, 20
	rnd := rand.New(rand.NewPCG(seed, 0))
	for range 100 {
		s := &reduceStage{}
		for n := range groups {
			s.groups = append(s.groups, groupState{end: tuple.RowOf(n+1, 0)})
		}
		written, kept := map[int]bool{}, 0
		for _, n := range rnd.Perm(groups) {
			written[n] = true
			before := kept
			for written[kept] {
				kept++
			}
			end, ok := s.finish(n)
			if ok != (kept > before) || ok && end != tuple.RowOf(kept, 0) {
				t.Fatalf("seed %d: group %d of %v written: given up to %v, %v, want %d", seed, n, written, end, ok, kept)
			}
		}
		if kept != groups {
			t.Fatalf("seed %d: %d groups are kept for ever", seed, groups-kept)
		}
	}
}
