package storage_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"sync"
	"testing"

	"avro2trevni/internal/storage"
)

// recorded is a file in memory that notes what was read, and fails from some offset on.
type recorded struct {
	*bytes.Reader
	bad int64

	mu   sync.Mutex
	most int64 // the end of the farthest read
}

var errBad = errors.New("bad place")

func (r *recorded) ReadAt(p []byte, off int64) (int, error) {
	r.mu.Lock()
	r.most = max(r.most, off+int64(len(p)))
	r.mu.Unlock()
	if off+int64(len(p)) > r.bad {
		return 0, errBad
	}
	return r.Reader.ReadAt(p, off)
}

func (r *recorded) Stat() (fs.FileInfo, error) { return nil, fs.ErrInvalid }
func (r *recorded) Close() error               { return nil }

func record(n int) ([]byte, *recorded) {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(i * 7 / 3)
	}
	return data, &recorded{Reader: bytes.NewReader(data), bad: 1 << 40}
}

// Reads of any size at any place give what is there, ahead or not.
func TestAheadReadsTheSame(t *testing.T) {
	const seed = 8
	r := rand.New(rand.NewPCG(seed, 0))
	data, f := record(10_000)
	a := storage.ReadAhead(f, 7_000)
	defer a.Close()
	off := 0
	for range 5_000 {
		if r.IntN(10) == 0 {
			off = r.IntN(len(data))
		}
		p := make([]byte, r.IntN(300))
		n, err := a.ReadAt(p, int64(off))
		want := data[off:min(off+len(p), len(data))]
		if !bytes.Equal(p[:n], want) || err == nil && n < len(p) || err != nil && err != io.EOF {
			t.Fatalf("seed %d: read %d of %d at %d: %v", seed, n, len(p), off, err)
		}
		if off += n; off >= len(data) {
			off = 0
		}
	}
}

// The next bytes are asked for before they are wanted, and none past the end given.
func TestAheadReadsAhead(t *testing.T) {
	_, f := record(10_000)
	a := storage.ReadAhead(f, 350)
	for _, off := range []int64{0, 100, 200} {
		if _, err := a.ReadAt(make([]byte, 100), off); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil { // which waits
		t.Fatal(err)
	}
	if f.most != 350 {
		t.Errorf("read up to %d, want 350", f.most)
	}
}

// An error ahead is told to who wants those bytes, not before.
func TestAheadError(t *testing.T) {
	_, f := record(1_000)
	f.bad = 150
	a := storage.ReadAhead(f, 1_000)
	defer a.Close()
	p := make([]byte, 100)
	if _, err := a.ReadAt(p, 0); err != nil {
		t.Errorf("the error came early: %v", err)
	}
	if _, err := a.ReadAt(p, 100); !errors.Is(err, errBad) {
		t.Errorf("got %v, want %v", err, errBad)
	}
}
