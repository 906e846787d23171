package jobs

import (
	"bytes"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/internal/units"
)

// lateFS gives the data of one file when another has been read and closed.
type lateFS struct {
	storage.FS
	late, other string
	survey      bool // only when files are read from their start, to look for damage
	began       atomic.Bool
	closed      atomic.Int32
	read        chan struct{}
}

// Write sees the log, which tells when files are read from their start.
func (l *lateFS) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("reading from its start")) {
		l.began.Store(true)
	}
	return len(line), nil
}

// Open implements [storage.FS].
func (l *lateFS) Open(name string) (storage.File, error) {
	f, err := l.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return &lateFile{f, l, name}, nil
}

type lateFile struct {
	storage.File
	l    *lateFS
	name string
}

// ReadAt implements io.ReaderAt.
func (f *lateFile) ReadAt(p []byte, off int64) (int, error) {
	if f.name == f.l.late && off > 0 && f.l.began.Load() == f.l.survey {
		<-f.l.read
	}
	return f.File.ReadAt(p, off)
}

// Close implements io.Closer. The first time, it is the header that was read, but in a survey.
func (f *lateFile) Close() error {
	first := int32(2)
	if f.l.survey {
		first = 1
	}
	if f.name == f.l.other && f.l.began.Load() == f.l.survey && f.l.closed.Add(1) == first {
		close(f.l.read)
	}
	return f.File.Close()
}

// What a job fails with is what is wrong with the first of its inputs, with rows in order and
// sorted, also if a later one is read first.
func TestFirstFailure(t *testing.T) {
	for _, sort := range [][]string{nil, {"id"}} {
		for _, workers := range []int{2, 4} {
			m := storagetest.NewMem()
			for i, bad := range []bool{false, true, false, true, true} {
				data, spans := blocksOf(t, "null", 0, 50, 50)
				if bad {
					data[spans[1].from+1] ^= 0x80 // the block's size
				}
				m.Write(fmt.Sprintf("/in/%d.avro", i), string(data))
			}
			o := Options{
				Inputs: []string{"/in"}, Output: "/out", SortBy: sort, Workers: workers, SplitSize: 8 * units.KiB, TempDirs: []string{t.TempDir()},
				FS: &lateFS{FS: m, late: "/in/1.avro", other: "/in/3.avro", read: make(chan struct{})},
			}
			_, err := Convert(t.Context(), &o)
			if err == nil || !strings.Contains(err.Error(), "/in/1.avro") {
				t.Errorf("sorted by %q, %d workers: %v", sort, workers, err)
			}
		}
	}
}
