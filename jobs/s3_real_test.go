package jobs

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/s3"
	"avro2trevni/internal/storage/s3/s3test"
)

// Every fixture, from a server that others made: the bytes are those of a local run, or the
// refusal is the same.
func TestS3Fixtures(t *testing.T) {
	r := s3test.NewReal(t)
	r.Setenv(t)
	r.Bucket(t, "bucket")
	f, err := s3.New(t.Context(), "s3://bucket", &s3.Options{})
	must(t, err)
	names, err := filepath.Glob("../testdata/*/*.avro")
	must(t, err)
	converted := 0
	for _, name := range names {
		data, err := os.ReadFile(name)
		must(t, err)
		object := "s3://bucket/" + filepath.ToSlash(name[len("../testdata/"):])
		_, err = f.Swap(object, storage.Any, data)
		must(t, err)
		for _, format := range []string{"trevni", "parquet"} {
			want, _, wantErr := s3Job(t, Options{Inputs: []string{name}, Format: format})
			got, _, err := s3Job(t, Options{Inputs: []string{object}, Format: format})
			if exit.Code(err) != exit.Code(wantErr) || !maps.Equal(got, want) {
				t.Errorf("%s, %s: %v; from disk %v", name, format, err, wantErr)
			}
			if err == nil {
				converted++
			}
		}
	}
	if converted < 100 {
		t.Errorf("%d fixtures were converted", converted)
	}
	t.Logf("%d files, %d conversions", len(names), converted)
}
