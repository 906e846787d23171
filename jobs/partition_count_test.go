package jobs

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage/storagetest"
)

// Whether the partitions are too many is judged in the order of the inputs: a later input that is
// read first does not use up what the first may have. A row of the first with no folder's name is
// what fails, and so it is if it comes after the row that is of one partition too many.
func TestTooManyPartitionsInOrder(t *testing.T) {
	const text = `{"type":"record","name":"r","fields":[{"name":"pad","type":"bytes"},{"name":"s","type":"string"}]}`
	rnd := rand.New(rand.NewPCG(1, 0))
	row := func(s string, bytes int) []byte {
		pad := make([]byte, bytes)
		for i := range pad {
			pad[i] = byte(rnd.Uint32())
		}
		return append(append(binary.AppendVarint(nil, int64(len(pad))), pad...), textBytes(s)...)
	}
	long := strings.Repeat("n", 300)
	for _, c := range []struct {
		name   string
		inputs [][]string
		want   string
		status int
	}{
		{"a name that is too long comes first", [][]string{{"a", long}, {"b", "c", "d"}}, "in/0.avro: bytes 0 to", exit.StatusFailed},
		{"in the same split", [][]string{{"a"}, {"b", "c", "d", long}}, "in/1.avro: bytes 0 to", exit.StatusFailed},
		{"it comes after", [][]string{{"a"}, {"b", "c", "d"}, {long}}, "more than 3 partitions", exit.StatusRefused},
		{"as many as may be", [][]string{{"a", "b"}, {"b", "c", "a"}, {long}}, "in/2.avro: bytes 0 to", exit.StatusFailed},
	} {
		for _, workers := range []int{1, 2, 3} {
			m := storagetest.NewMem()
			for i, names := range c.inputs {
				rows := [][]byte{row(names[0], 3000)} // each input is one split
				for _, s := range names[1:] {
					rows = append(rows, row(s, 0))
				}
				m.Write(fmt.Sprintf("/in/%d.avro", i), avroFile(t, text, rows...))
			}
			o := Options{
				Inputs: []string{"/in"}, Output: "/out", PartitionBy: "s", MaxPartitions: 3, Workers: workers,
				SplitSize: 4 << 10, TempDirs: []string{t.TempDir()}, FS: m,
			}
			if workers > 1 {
				o.FS = &lateFS{FS: m, late: "/in/0.avro", other: "/in/1.avro", read: make(chan struct{})}
			}
			_, err := Convert(t.Context(), &o)
			if exit.Code(err) != c.status || !strings.Contains(fmt.Sprint(err), c.want) {
				t.Errorf("%s, %d workers: %v; want %s", c.name, workers, err, c.want)
			}
		}
	}
}

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
