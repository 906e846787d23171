package record_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/internal/ocf"
	"avro2trevni/jobs"
	"avro2trevni/record"
	"avro2trevni/trevni"
)

const testdata = "../testdata"

// convert makes a Trevni file of an Avro file, with blocks of size bytes.
func convert(t testing.TB, avro string, size int) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.trv")
	o := &jobs.Options{Inputs: []string{avro}, Output: out, BlockSize: size, Memory: 64 << 20, Workers: 1}
	if _, err := jobs.Convert(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// avroRows returns an Avro file's schema, and its rows' bytes and number.
func avroRows(t testing.TB, path string) (text string, rows []byte, n int64) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return avroData(t, data)
}

// avroData is avroRows of a file in memory.
func avroData(t testing.TB, data []byte) (text string, rows []byte, n int64) {
	t.Helper()
	h, err := ocf.ReadHeader(bytes.NewReader(data), int64(len(data)), "", ocf.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	r := ocf.NewReader(ocf.Limits{WindowBytes: 64 << 20}, nil)
	defer r.Close()
	if err := r.Open(bytes.NewReader(data), "", int64(len(data)), h, 0, int64(len(data))); err != nil {
		t.Fatal(err)
	}
	for {
		b, err := r.Next()
		if err == io.EOF {
			return h.Schema, rows, n
		}
		if err != nil {
			t.Fatal(err)
		}
		n += b.Rows
		for last := false; !last; {
			var w []byte
			if w, last, err = r.Window(0); err != nil {
				t.Fatal(err)
			}
			if !last {
				t.Fatal("block of more than a window")
			}
			rows = append(rows, w...)
		}
	}
}

// open opens a Trevni file in memory.
func open(t testing.TB, data []byte) *trevni.Reader {
	t.Helper()
	f, err := trevni.NewReader(bytes.NewReader(data), int64(len(data)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// reader returns a reader of a Trevni file in memory.
func reader(t testing.TB, data []byte, want string) *record.Reader {
	t.Helper()
	r, err := record.NewReader(open(t, data), &record.Options{Schema: want})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// all returns the rows from where r stands to the end, taken at most max at a time.
func all(t testing.TB, r *record.Reader, max int) (rows []byte, n int64) {
	t.Helper()
	for {
		out, k, err := r.ReadRows(rows, max)
		if err == io.EOF {
			return rows, n
		}
		if err != nil {
			t.Fatal(err)
		}
		if k < 1 || k > max {
			t.Fatalf("%d rows, %d asked for", k, max)
		}
		rows, n = out, n+int64(k)
	}
}

// fixtures returns the paths of all files in a folder of testdata, and below.
func fixtures(t testing.TB, folder, ext string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(filepath.Join(testdata, folder), func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ext) {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatal(errors.Join(err, errors.New("no fixtures")))
	}
	return paths
}

// name is a path's last element without its ending.
func name(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

// read reads a file.
func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
