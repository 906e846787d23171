package reducer

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// sizes of what is written at a time: around a page, and larger than all of them.
var pageSizes = []int{1, 2, 4095, pageBytes - 1, pageBytes, pageBytes + 1, pageCount*pageBytes + 7}

func TestPagesWriteWhatTheyAreGiven(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var want, got bytes.Buffer
	p := newPages(&got)
	for i := range 60 {
		b := make([]byte, pageSizes[rnd.IntN(len(pageSizes))])
		for k := range b {
			b[k] = byte(rnd.Uint32())
		}
		want.Write(b)
		if i%2 == 0 && len(b) <= pageBytes {
			place, err := p.room(len(b))
			if err != nil {
				t.Fatal(err)
			}
			b = append(place, b...)
		}
		if n, err := p.Write(b); n != len(b) || err != nil {
			t.Fatalf("Write of %d bytes = %d, %v", len(b), n, err)
		}
	}
	if err := p.close(true); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("%d bytes came out, not the %d that went in", got.Len(), want.Len())
	}
}

func TestPagesWithoutAny(t *testing.T) {
	var got bytes.Buffer
	p := newPages(&got)
	if err := errors.Join(p.close(true), p.close(true)); err != nil || got.Len() > 0 {
		t.Errorf("%d bytes, %v", got.Len(), err)
	}
}

func TestPagesAbandoned(t *testing.T) {
	var got bytes.Buffer
	p := newPages(&got)
	if _, err := p.Write(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	if err := p.close(false); err != nil || got.Len() > 0 {
		t.Errorf("%d bytes of a file given up were written, %v", got.Len(), err)
	}
}

// writerFunc is a function as a writer.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestPagesFail checks that a writer's failure comes back, at the latest from close,
// and that nothing is written behind it.
func TestPagesFail(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		name string
		fail func(p []byte) (int, error)
		want string
	}{
		{"error", func([]byte) (int, error) { return 0, boom }, "reducer: write: boom"},
		{"short", func(p []byte) (int, error) { return len(p) - 1, nil }, io.ErrShortWrite.Error()},
		{"panic", func([]byte) (int, error) { panic("boom") }, "internal error: boom"},
	} {
		for at := range 3 {
			calls := 0
			p := newPages(writerFunc(func(b []byte) (int, error) {
				if calls++; calls <= at {
					return len(b), nil
				}
				return c.fail(b)
			}))
			_, err := p.Write(make([]byte, 10*pageBytes))
			if closed := p.close(true); err == nil {
				err = closed
			} else if closed == nil {
				t.Errorf("%s at %d: close forgot it", c.name, at)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s at %d: %v", c.name, at, err)
			}
			if calls != at+1 {
				t.Errorf("%s at %d: %d calls", c.name, at, calls)
			}
		}
	}
}
