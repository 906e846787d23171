package jobs

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"avro2trevni/internal/avrotest"
	"avro2trevni/internal/exit"
	"avro2trevni/internal/units"
)

// For any size of files that is accepted, no file is larger unless it has one row, and those
// are counted; and a size is accepted as soon as it has room for a few rows.
func TestFileSizeIsKept(t *testing.T) {
	rnd := rand.New(rand.NewPCG(avrotest.Seed(t), 0))
	for name, shape := range shapes {
		dir := t.TempDir()
		in := filepath.Join(dir, "in.avro")
		makeInput(t, in, name, 0, min(shape.rows, 600))
		for n := range 5 {
			o := Options{
				Inputs: []string{in}, Output: filepath.Join(dir, fmt.Sprint(n)), FileSize: units.KiB << rnd.IntN(8),
				BlockSize: units.KiB << rnd.IntN(10), Codec: []string{"null", "snappy"}[rnd.IntN(2)], TempDirs: []string{dir},
			}
			rep, err := Convert(t.Context(), &o)
			if exit.Code(err) == exit.StatusRefused {
				t.Logf("%s, files of %d bytes: %v", name, o.FileSize, err)
				continue
			}
			must(t, err)
			over := int64(0)
			for _, out := range rep.Outputs {
				if out.Bytes > o.FileSize {
					over++
					if out.Rows > 1 {
						t.Fatalf("%s, files of %d bytes, blocks of %d: %s has %d bytes and %d rows", name, o.FileSize, o.BlockSize, out.Path, out.Bytes, out.Rows)
					}
				}
			}
			if over != rep.Counters.OversizeFiles {
				t.Errorf("%d files of one row that are larger, and the report says %d", over, rep.Counters.OversizeFiles)
			}
		}
	}
}
