package jobs

import (
	"encoding/binary"
	"fmt"
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
