package jobs

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"testing"

	"avro2trevni/internal/storage/storagetest"
)

// What some readers of the files may not expect is logged, and shown with the plan; files of
// another format have nothing of the kind. The plan of Parquet names no checksum.
func TestParquetNotes(t *testing.T) {
	const schema = `{"type":"record","name":"r","fields":[{"name":"Id","type":"long"},{"name":"id","type":"string"}]}`
	const want = `the names "Id" and "id" differ only in case`
	for _, format := range []string{FormatParquet, FormatTrevni} {
		m := storagetest.NewMem()
		m.Write("/in/a.avro", avroFile(t, schema, record1(1, "a")))
		var log, plan bytes.Buffer
		o := Options{
			Format: format, FS: m, Memory: 128 << 20, TempDirs: []string{os.TempDir()}, Inputs: []string{"/in"}, Output: "/out",
			Log: slog.New(slog.NewJSONHandler(&log, nil)),
		}
		must(t, Describe(t.Context(), &o, &plan))
		is := format == FormatParquet
		if strings.Contains(plan.String(), "\n("+want) != is || strings.Contains(plan.String(), "checksum") == is {
			t.Errorf("%s: %s", format, plan.String())
		}
		log.Reset()
		_, err := Convert(t.Context(), &o)
		must(t, err)
		logged := strings.ReplaceAll(log.String(), `\"`, `"`)
		if strings.Count(logged, want) != map[bool]int{true: 1}[is] {
			t.Errorf("%s: %s", format, log.String())
		}
	}
}
