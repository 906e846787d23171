package jobs

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"avro2trevni/internal/exit"
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

// A column may have a codec of its own, by its name or its field's; the rows are the same.
func TestParquetCodecs(t *testing.T) {
	const schema = `{"type":"record","name":"r","fields":[{"name":"id","type":"long"},{"name":"tags","type":{"type":"array","items":"string"}},
		{"name":"u","type":{"type":"record","name":"v","fields":[{"name":"a","type":"string"},{"name":"b","type":"boolean"}]}}]}`
	const row = "\x02\x02\x06abc\x00\x06xyz\x01"
	for words, want := range map[string]string{
		"zstd":                            "[ZSTD ZSTD ZSTD ZSTD]",
		"zstd,id=null":                    "[UNCOMPRESSED ZSTD ZSTD ZSTD]",
		"u=gzip:9,u.b=null,tags=snappy":   "[SNAPPY SNAPPY GZIP UNCOMPRESSED]",
		"null,tags.list.element=zstd:3":   "[UNCOMPRESSED ZSTD UNCOMPRESSED UNCOMPRESSED]",
		"snappy:better,u=zstd,u.a=snappy": "[SNAPPY SNAPPY SNAPPY ZSTD]",
	} {
		m := storagetest.NewMem()
		m.Write("/in/a.avro", avroFile(t, schema, []byte(row), []byte(row)))
		_, err := parquetRun(t, m, Options{Codec: words, Verify: true})
		must(t, err)
		var got []string
		for _, c := range infoOf(t, m.Files()["/out/part-00000.parquet"]).RowGroups[0].Chunks {
			got = append(got, c.Codec.String())
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s", words, got, want)
		}
	}
	m := storagetest.NewMem()
	m.Write("/in/a.avro", avroFile(t, schema, []byte(row)))
	if _, err := parquetRun(t, m, Options{Codec: "zstd,nope=null"}); exit.Code(err) != exit.StatusRefused || !strings.Contains(err.Error(), `codec: "nope": no such column`) {
		t.Error(err)
	}
}
