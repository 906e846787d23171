package stages

import (
	"math/rand/v2"
	"slices"
	"testing"

	trv "avro2trevni/internal/format/trevni"

	"avro2trevni/internal/avrotest"
	"avro2trevni/internal/colsum"
	"avro2trevni/internal/jobtest"
	"avro2trevni/mapper"
	"avro2trevni/trevni"
)

// Splits' digests are put together in the order of the splits, whatever that of their end.
func TestMadeInAnyOrder(t *testing.T) {
	sum := func(text string) *mapper.Result {
		s := trv.NewSummers([]trevni.Column{{Name: "b"}})[0]
		jobtest.Must(t, s.Add([]byte(text), 1))
		return &mapper.Result{Sums: []colsum.Column{s.Column}}
	}
	want := sum("abcdef").Sums[0]
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {0, 2, 1}} {
		var m Made
		for _, split := range order {
			m.Done(split, sum([]string{"ab", "", "cdef"}[split]).Sums)
		}
		if m.Columns()[0] != want || len(m.runs) > 1 {
			t.Errorf("%v: %+v, want %+v", order, m.Columns()[0], want)
		}
	}
	var none Made
	none.Done(0, nil)
	if none.Columns() != nil {
		t.Error("digests that nobody asked for")
	}
}

// However late a split is, no more digests are held than there are workers, and one.
func TestMadeHoldsFew(t *testing.T) {
	rnd := rand.New(rand.NewPCG(avrotest.Seed(t), 0))
	const workers, splits = 5, 3000
	var m Made
	next, most := 0, 0
	var hands []int
	for next < splits || len(hands) > 0 {
		if len(hands) < workers && next < splits {
			hands = append(hands, next)
			next++
			continue
		}
		late := 0 // the first stays as long as there are others
		if len(hands) > 1 {
			late = 1 + rnd.IntN(len(hands)-1)
		}
		m.Done(hands[late], make([]colsum.Column, 1))
		hands = slices.Delete(hands, late, late+1)
		most = max(most, len(m.runs))
	}
	if most > workers+1 || len(m.runs) != 1 || m.runs[0].end != splits {
		t.Errorf("%d digests at a time, %d at the end", most, len(m.runs))
	}
}
