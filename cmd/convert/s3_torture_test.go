package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/s3"
	"avro2trevni/internal/storage/s3/s3test"
	"avro2trevni/jobs/publish"
)

// tornS3 is an output on S3 whose runs are killed.
type tornS3 struct {
	fs  *s3.FS
	out string
}

// look returns the inputs that the output has, nil if it has no _SUCCESS; if it has one,
// its files are those that are there.
func (o *tornS3) look(t *testing.T) (inputs []string) {
	t.Helper()
	data, _, err := o.fs.Load(storage.Join(o.out, publish.SuccessName), 1<<20)
	if err != nil {
		return nil
	}
	var r struct {
		Inputs  []struct{ Path string }
		Outputs []struct {
			Path  string
			Bytes int64
		}
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	there := map[string]int64{}
	if err := o.fs.List(o.out, func(below string, info fs.FileInfo) error {
		if publish.IsPublishedName(below) && below != publish.SuccessName {
			there[below] = info.Size()
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, out := range r.Outputs {
		if there[out.Path] != out.Bytes {
			t.Errorf("%s has %d bytes, and should have %d", out.Path, there[out.Path], out.Bytes)
		}
		delete(there, out.Path)
	}
	if len(there) > 0 {
		t.Errorf("files that _SUCCESS does not list: %v", there)
	}
	for _, in := range r.Inputs {
		inputs = append(inputs, filepath.Base(in.Path))
	}
	return inputs
}

// left returns what runs have left.
func (o *tornS3) left(t *testing.T) (names []string) {
	t.Helper()
	err := o.fs.List(storage.Join(o.out, publish.TempName), func(below string, _ fs.FileInfo) error {
		names = append(names, below)
		return nil
	})
	if err == nil {
		err = o.fs.Pending(o.out, func(k storage.Ticket) error { names = append(names, k.Name); return nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// The program is killed at random instants while it writes to a server of others; a run that
// is not killed then ends as if nothing had been. KILLS says how often, SEED when.
func TestTortureOnS3(t *testing.T) {
	server := s3test.NewReal(t)
	server.Setenv(t)
	server.Bucket(t, "lab")
	f, err := s3.New(t.Context(), "s3://lab", &s3.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for i := range 3 {
		writeRows(t, filepath.Join(dir, fmt.Sprint(i, ".avro")), ids(int64(i)*2000, 2000))
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("SEED=%d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	took, hits := 300*time.Millisecond, 0
	for n := range kills(t) {
		o := &tornS3{f, fmt.Sprintf("s3://lab/out%d", n)}
		run := func(wait time.Duration, args ...string) (killed bool) {
			cmd := exec.Command("convert", append(append([]string{"--s3-lease", "1s", "--file-size", "16KiB", "--block-size", "1KiB", "--workers", "2"}, args...), o.out)...)
			var log strings.Builder
			cmd.Stderr = &log
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if wait > 0 {
				time.AfterFunc(wait, func() { _ = cmd.Process.Kill() })
			}
			err := cmd.Wait()
			if err != nil && wait == 0 {
				t.Fatalf("kill %d: %v: %s", n, err, log.String())
			}
			return err != nil
		}
		began := time.Now()
		run(0, filepath.Join(dir, "0.avro"))
		took = min(took, time.Since(began))
		mode := []string{"replace", "append"}[n%2]
		want := []string{"1.avro"}
		if mode == "append" {
			want = []string{"0.avro", "1.avro"}
		}
		if run(1+time.Duration(r.Int64N(int64(took))), "--if-exists", mode, filepath.Join(dir, "1.avro")) {
			hits++
		}
		if is := o.look(t); is != nil && !slices.Equal(is, want) && !slices.Equal(is, []string{"0.avro"}) {
			t.Errorf("kill %d: inputs %v", n, is)
		}
		run(0, "--if-exists", mode, filepath.Join(dir, "1.avro"))
		if is := o.look(t); !slices.Equal(is, want) {
			t.Errorf("kill %d, then again: inputs %v, want %v", n, is, want)
		}
		if left := o.left(t); len(left) > 0 {
			t.Errorf("kill %d, then again: left %v", n, left)
		}
	}
	t.Logf("%d of %d runs were killed", hits, kills(t))
}
