package jobs

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"avro2trevni/internal/avrotest"
	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/publish"
)

// leastMemory returns the memory that a refusal says would do.
func leastMemory(t *testing.T, err error) int64 {
	t.Helper()
	said := regexp.MustCompile(`it needs at least .* \((\d+) bytes\)`).FindStringSubmatch(fmt.Sprint(err))
	if said == nil {
		t.Fatalf("it says %v", err)
	}
	n, err := strconv.ParseInt(said[1], 10, 64)
	must(t, err)
	return n
}

// Rows of any size are sorted, and parted, with the memory that a refusal says would do, whatever
// the number of workers, to the same bytes.
func TestSortLargeRowsTight(t *testing.T) {
	rnd := rand.New(rand.NewPCG(avrotest.Seed(t), 0))
	for _, size := range []int{70_000, 300_000, 1_500_000, 5_000_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Chdir(t.TempDir())
			text := strings.Repeat("large and dull ", size/15+1)
			var rows [][]byte
			for i := range int64(20_000_000/size + 4) {
				n := size - rnd.IntN(size/8)
				if i%4 == 0 {
					n = rnd.IntN(2000)
				}
				rows = append(rows, record1(rnd.Int64N(3), text[:n]))
			}
			writeAvro(t, "a.avro", record1Schema, rows...)
			for _, o := range []Options{{SortBy: []string{"id"}}, {PartitionBy: "id"}} {
				o.Inputs, o.Output, o.IfExists, o.TempDirs = []string{"a.avro"}, "out", IfExistsReplace, []string{t.TempDir()}
				var want []byte
				for _, workers := range []int{1, 2, 5} {
					o.Memory, o.Workers = 24*units.MiB, workers
					_, err := Convert(t.Context(), &o)
					for _, limit := range []int64{leastMemory(t, err), 100 * units.MiB} {
						o.Memory = max(o.Memory, limit)
						_, err := Convert(t.Context(), &o)
						for exit.Code(err) == exit.StatusRefused { // now of a row
							o.Memory = leastMemory(t, err)
							_, err = Convert(t.Context(), &o)
						}
						if err != nil {
							t.Fatalf("%d workers, %d bytes of memory: %v", workers, o.Memory, err)
						}
						got := outputBytes(t, "out")
						if want == nil {
							want = got
						}
						if !bytes.Equal(got, want) {
							t.Fatalf("%d workers, %d bytes of memory: the bytes differ", workers, o.Memory)
						}
					}
				}
			}
		})
	}
}

// outputBytes returns all files of an output but its report, in the order of their names.
func outputBytes(t *testing.T, dir string) (all []byte) {
	t.Helper()
	names, err := publish.List(storage.Local{}, dir, "")
	must(t, err)
	for _, p := range names {
		if p.Name != publish.SuccessName {
			data, err := os.ReadFile(dir + "/" + p.Name)
			must(t, err)
			all = append(append(all, p.Name...), data...)
		}
	}
	return all
}

// The row of a sort key that is too long is counted from the start of its own file's range, also
// where several files are one split.
func TestSortLongKeyNamesRow(t *testing.T) {
	t.Chdir(t.TempDir())
	long := strings.Repeat("k", 70_000)
	writeAvro(t, "a.avro", record1Schema, record1(0, "a"), record1(1, "b"), record1(2, "c"))
	writeAvro(t, "b.avro", record1Schema, record1(3, "d"), record1(4, long))
	for _, workers := range []int{1, 3} {
		_, err := Convert(t.Context(), &Options{Inputs: []string{"a.avro", "b.avro"}, Output: "out", SortBy: []string{"text"}, Workers: workers})
		wantExit(t, err, exit.StatusFailed, "row 1 of that range")
		if !strings.Contains(err.Error(), "b.avro") {
			t.Errorf("it says %v", err)
		}
	}
}

// A default of the reader's schema has room in the shuffle's share: that it fits is not
// something that depends on the number of workers.
func TestLargeDefault(t *testing.T) {
	t.Chdir(t.TempDir())
	var rows [][]byte
	for i := range int64(30) {
		rows = append(rows, record1(i, "x"))
	}
	writeAvro(t, "a.avro", record1Schema, rows...)
	schema := strings.Replace(record1Schema, `"fields":[`, `"fields":[{"name":"d","type":"string","default":"`+strings.Repeat("x", 5_000_000)+`"},`, 1)
	must(t, os.WriteFile("schema", []byte(schema), 0o666))
	var want []byte
	for _, workers := range []int{1, 2, 5} {
		o := Options{Inputs: []string{"a.avro"}, Output: "out", Schema: "schema", IfExists: IfExistsReplace, Workers: workers, Memory: 96 * units.MiB}
		_, err := Convert(t.Context(), &o)
		must(t, err)
		if got := outputBytes(t, "out"); want == nil {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Errorf("%d workers: the bytes differ", workers)
		}
	}
}
