package hadooptest_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"avro2trevni/internal/hadooptest"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/hdfs"
	"avro2trevni/jobs"
	"avro2trevni/jobs/report"
)

const (
	mib      = 1 << 20
	schema   = `{"type":"record","name":"r","fields":[{"name":"id","type":"long"},{"name":"text","type":"string"}]}`
	rows     = 60_000
	fileSize = 5 * mib // some files of the input, each of several of HDFS's smallest blocks
)

// scratch is a folder for what is made once, for all tests.
var scratch string

// TestMain runs the tests side by side: they wait more than they work. Those that kill
// nothing share a cluster, whose blocks are smaller than their files.
func TestMain(m *testing.M) {
	if text := os.Getenv(holding); text != "" {
		hold(text)
	}
	err := flag.Set("test.parallel", "16")
	if err == nil {
		scratch, err = os.MkdirTemp("", "hadooptest-")
	}
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(scratch)
	hadooptest.Main(m, hadooptest.Options{Yarn: true, Conf: map[string]string{"dfs.blocksize": "1048576"}})
}

// programs builds the commands, and returns the folder that they are in.
var programs = sync.OnceValues(func() (string, error) {
	bin := filepath.Join(scratch, "bin") + "/"
	if out, err := exec.Command("go", "build", "-o", bin, "../../cmd/...").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return bin, nil
})

// bin returns the folder of the commands.
func bin(t *testing.T) string {
	t.Helper()
	dir, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// originals makes the input, and converts it on this machine.
var originals = sync.OnceValues(func() (dir string, err error) {
	in := filepath.Join(scratch, "in.avro")
	if err := writeInput(in); err != nil {
		return "", err
	}
	_, err = jobs.Convert(context.Background(), options(in, filepath.Join(scratch, "local")))
	return scratch, err
})

// original returns the input, a file of rows whose ids count up from 0, about 24 MB that
// don't compress, and what it is converted to on this machine.
func original(t *testing.T) (in, local string) {
	t.Helper()
	dir, err := originals()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "in.avro"), filepath.Join(dir, "local")
}

func writeInput(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w, err := ocf.NewWriter(f, &ocf.WriterOptions{Schema: schema, Codec: "null"})
	if err != nil {
		return errors.Join(err, f.Close())
	}
	r := rand.New(rand.NewPCG(3, 1))
	for id := range rows {
		row := binary.AppendVarint(nil, int64(id))
		row = binary.AppendVarint(row, 400)
		for range 400 {
			row = append(row, byte('!'+r.IntN(90)))
		}
		err = errors.Join(err, w.Append(row, 1))
	}
	return errors.Join(err, w.Close(), f.Close())
}

// options are those of all conversions of the input, so that their files are the same.
func options(input, output string) *jobs.Options {
	return &jobs.Options{Inputs: []string{input}, Output: output, FileSize: fileSize, SplitSize: 2 * mib, Memory: 128 * mib}
}

func convert(t *testing.T, o *jobs.Options) *report.Report {
	t.Helper()
	r, err := jobs.Convert(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// router returns the file system of paths and of the cluster.
func router(t *testing.T) *storage.Router {
	r := newRouter(t.Context())
	t.Cleanup(func() { r.Close() })
	return r
}

func newRouter(ctx context.Context) *storage.Router {
	return &storage.Router{Local: storage.Local{}, Connect: func(root string) (storage.FS, error) {
		return hdfs.New(ctx, root, &hdfs.Options{})
	}}
}

// equal checks that two outputs hold the same files, but for what tells times.
func equal(t *testing.T, f storage.FS, got, want string) {
	t.Helper()
	g, w := contents(t, f, got), contents(t, f, want)
	if len(g) != len(w) || len(w) < 4 {
		t.Errorf("%s holds %d files, %s %d", got, len(g), want, len(w))
	}
	for name := range w {
		if !bytes.Equal(g[name], w[name]) {
			t.Errorf("%s differs: %d bytes, want %d", storage.Join(got, name), len(g[name]), len(w[name]))
		}
	}
}

// contents returns the files of an output; anything but an output's files is an error.
func contents(t *testing.T, f storage.FS, dir string) map[string][]byte {
	t.Helper()
	infos, err := f.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all, success := map[string][]byte{}, false
	for _, info := range infos {
		switch name := info.Name(); {
		case name == "_SUCCESS":
			success = true
		case strings.HasPrefix(name, "part-"):
			if all[name], err = storage.ReadFile(f, storage.Join(dir, name), 64*mib); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is left", storage.Join(dir, name))
		}
	}
	if !success {
		t.Errorf("%s has no _SUCCESS", dir)
	}
	return all
}

// blocks returns how many blocks fsck counts below a path.
func blocks(t *testing.T, c *hadooptest.Cluster, path string) int {
	t.Helper()
	said := c.Fsck(t, path)
	m := regexp.MustCompile(`Total blocks \(validated\):\s+(\d+)`).FindStringSubmatch(said)
	if m == nil {
		t.Fatalf("fsck says %s", said)
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// within waits until something is so. It is to be so sooner or later: the bound is for
// what never comes.
func within(t *testing.T, d time.Duration, what string, so func() bool) {
	t.Helper()
	for started := time.Now(); time.Since(started) < d; time.Sleep(20 * time.Millisecond) {
		if so() {
			return
		}
	}
	t.Fatalf("%s: not within %v", what, d)
}
