package reducer

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// sizes of what is written at a time: around a page, and larger than all of them.
var pageSizes = []int{1, 2, 4095, pageBytes - 1, pageBytes, pageBytes + 1, 3*pageBytes + 7}

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

// known fills gaps with what stands at their place in a file that is known, slowly at
// times.
type known struct {
	want   []byte
	at     []int // of the blocks
	rnd    *rand.Rand
	fail   int // the block that fails, 0 if none
	closed bool
}

func (k *known) fill(gaps []gap) error {
	for _, g := range gaps {
		if g.block == k.fail && k.fail > 0 {
			return errFault
		}
		if k.rnd.IntN(100) == 0 {
			time.Sleep(time.Millisecond)
		}
		copy(g.dst, k.want[k.at[g.block]:])
	}
	return nil
}

func (k *known) close() error {
	k.closed = true
	return nil
}

// TestGaps checks that gaps are filled, by however many readers, before they are
// written, and that the failure of one comes back with nothing written after it.
func TestGaps(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	want := make([]byte, 20*pageBytes)
	rand.NewChaCha8([32]byte{}).Read(want)
	var at []int
	for end := 0; end < len(want); end += 1 + rnd.IntN(pageBytes/8) {
		at = append(at, end)
	}
	for readers := 1; readers <= 4; readers++ {
		for _, fail := range []int{0, 1, 301} { // no reader is asked for block 300
			all := make([]filler, readers)
			for i := range all {
				all[i] = &known{want: want, at: at, rnd: rand.New(rand.NewPCG(5, uint64(i))), fail: fail}
			}
			var got bytes.Buffer
			p := newPages(&got, all...)
			var err error
			for n := 0; n < len(at) && err == nil; n++ {
				end := len(want)
				if n+1 < len(at) {
					end = at[n+1]
				}
				b := want[at[n]:end]
				if n%3 > 0 {
					b, err = p.gap(0, n, end-at[n])
				}
				if err == nil {
					_, err = p.Write(b)
				}
			}
			closed := p.close(err == nil)
			if fail == 0 && (err != nil || closed != nil || !bytes.Equal(got.Bytes(), want)) {
				t.Errorf("%d readers: %d bytes came out of %d, %v, %v", readers, got.Len(), len(want), err, closed)
			}
			if fail > 0 && (!errors.Is(closed, errFault) || got.Len() > at[fail] || !bytes.Equal(got.Bytes(), want[:got.Len()])) {
				t.Errorf("%d readers, block %d at %d fails: %d bytes came out, %v", readers, fail, at[fail], got.Len(), closed)
			}
			for i := range all {
				if !all[i].(*known).closed {
					t.Errorf("%d readers: number %d was not closed", readers, i)
				}
			}
		}
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
// and that nothing is written after it.
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
