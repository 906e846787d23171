package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage/s3/s3test"
	"avro2trevni/jobs"
)

// Each verb prints of files on S3 what it prints of the same files on disk, and does not
// request each block by itself.
func TestS3(t *testing.T) {
	s := s3test.New(t)
	s.Setenv(t)
	avro, out := "../../testdata/avro/fastavro-1.13.1-flat.avro", filepath.Join(t.TempDir(), "out")
	_, err := jobs.Convert(t.Context(), &jobs.Options{Inputs: []string{avro}, Output: out, BlockSize: 1024, Memory: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(out + "/*")
	if err != nil || len(names) < 2 {
		t.Fatal(names, err)
	}
	for _, name := range append(names, avro) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s.Put("bucket/out/"+filepath.Base(name), data)
	}
	s.Remove("bucket/out/" + filepath.Base(avro))
	data, err := os.ReadFile(avro)
	if err != nil {
		t.Fatal(err)
	}
	s.Put("bucket/avro/a.avro", data)
	for _, args := range []string{
		"meta OUT", "meta --json OUT/part-00000.trv", "cat OUT", "scan OUT", "verify OUT", "verify --against AVRO OUT", "cat OUT/none.trv",
	} {
		s.Forget()
		local, remote := new(printed), new(printed)
		local.run(args, out, avro)
		remote.run(args, "s3://bucket/out", "s3://bucket/avro")
		want := strings.ReplaceAll(strings.ReplaceAll(local.out.String(), out, "s3://bucket/out"), avro, "s3://bucket/avro")
		got := remote.out.String()
		if !slices.Equal(strings.Fields(got), strings.Fields(want)) || remote.code != local.code {
			t.Errorf("%s: exit %d, %s\nwant %d, %s", args, remote.code, got, local.code, want)
		}
		if n := len(s.Requests()); n == 0 || n > 20 {
			t.Errorf("%s: %d requests: %v", args, n, s.Requests())
		}
	}
	refused := new(printed)
	if refused.run("meta OUT", "gs://bucket/a.trv", ""); refused.code != exit.StatusUsage {
		t.Errorf("gs: %d, %s", refused.code, refused.err.String())
	}
}

// printed is a run of the program.
type printed struct {
	out, err bytes.Buffer
	code     int
}

func (p *printed) run(args, out, avro string) {
	words := strings.Fields(strings.NewReplacer("OUT", out, "AVRO", avro).Replace(args))
	p.code = run(words, &p.out, &p.err)
}
