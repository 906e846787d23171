package sorting

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// The split in which partitions become too many is the same whatever order they are found in, and
// what is kept is bounded.
func TestPartNumbers(t *testing.T) {
	const seed = 1
	rnd := rand.New(rand.NewPCG(seed, 0))
	for range 500 {
		most := 1 + rnd.IntN(8)
		splits := make([][]string, 1+rnd.IntN(8))
		seen, want := map[string]bool{}, -1
		for i := range splits {
			for range rnd.IntN(6) {
				splits[i] = append(splits[i], fmt.Sprint("p=", rnd.IntN(16)))
				if seen[splits[i][len(splits[i])-1]] = true; len(seen) > most && want < 0 {
					want = i
				}
			}
		}
		p := &partNumbers{most: most}
		got := endOf(p, rnd, splits)
		if got != want || len(p.all) > most+1 || len(p.index) != len(p.all) || want < 0 && len(p.all) != len(seen) {
			t.Fatalf("seed %d: at most %d of %q: too many in split %d, want %d; %d are kept", seed, most, splits, got, want, len(p.all))
		}
	}
}

// endOf numbers the partitions of splits in an order that is drawn, and returns the split in which
// they are too many, -1 if they are not.
func endOf(p *partNumbers, rnd *rand.Rand, splits [][]string) int {
	type found struct {
		split int
		name  string
	}
	var all []found
	for i, names := range splits {
		for _, name := range names {
			all = append(all, found{i, name})
		}
	}
	rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	end := math.MaxInt
	for _, f := range all {
		_, last := p.number([]byte(f.name), f.split)
		end = min(end, last)
	}
	if end == math.MaxInt {
		return -1
	}
	return end
}
