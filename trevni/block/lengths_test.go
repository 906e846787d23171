package block

import (
	"bytes"
	"testing"
)

// weave writes lengths, each with that many values of one byte, numbered from 0.
func weave(lengths []int) []byte {
	var l Lengths
	l.Reset()
	var buf []byte
	value := byte(0)
	for _, n := range lengths {
		buf = l.Add(buf, n)
		for range n {
			buf = append(buf, value)
			value++
		}
	}
	return l.Close(buf)
}

func repeat(n, times int) []int {
	s := make([]int, times)
	for i := range s {
		s[i] = n
	}
	return s
}

// zz is the zigzag varint of v.
func zz(v int64) []byte { return AppendLong(nil, v) }

func TestLengthsWeave(t *testing.T) {
	many := make([]byte, 40)
	for i := range many {
		many[i] = byte(i)
	}
	for _, c := range []struct {
		name    string
		lengths []int
		want    [][]byte
	}{
		{"nothing", nil, nil},
		{"a zero", []int{0}, [][]byte{zz(0)}},
		{"a one", []int{1}, [][]byte{zz(1), {0}}},
		{"two zeros", repeat(0, 2), [][]byte{zz(-1)}},
		{"two ones", repeat(1, 2), [][]byte{zz(-2), {0, 1}}},
		{"three zeros", repeat(0, 3), [][]byte{zz(-3)}},
		{"three ones", repeat(1, 3), [][]byte{zz(-4), {0, 1, 2}}},
		{"twos are never a run", repeat(2, 2), [][]byte{zz(2), {0, 1}, zz(2), {2, 3}}},
		{"a number of two bytes", repeat(1, 40), [][]byte{zz(-78), many}},
		{"what Java was seen to read", []int{1, 1, 1, 1, 1, 0, 0, 1},
			[][]byte{zz(-8), {0, 1, 2, 3, 4}, zz(-1), zz(1), {5}}},
		{"mixed", []int{0, 1, 3, 0, 0}, [][]byte{zz(0), zz(1), {0}, zz(3), {1, 2, 3}, zz(-1)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := bytes.Join(c.want, nil)
			if got := weave(c.lengths); !bytes.Equal(got, want) {
				t.Errorf("got  %x\nwant %x", got, want)
			}
		})
	}
}

func TestLengthsRun(t *testing.T) {
	var l Lengths
	l.Reset()
	if _, n, _ := l.Run(nil); n != 0 {
		t.Fatalf("a run of %d is open before the first length", n)
	}
	buf := append(l.Add(nil, 3), 1, 2, 3)
	if _, n, _ := l.Run(buf); n != 0 {
		t.Fatalf("a run of %d is open after a length of three", n)
	}
	buf = append(l.Add(buf, 1), 4)
	buf = append(l.Add(buf, 1), 5)
	if at, n, values := l.Run(buf); at != 4 || n != 2 || values != 2 {
		t.Fatalf("Run = %d, %d, %d, want 4, 2, 2", at, n, values)
	}
}

func TestLengthsAddDoesNotAllocate(t *testing.T) {
	var l Lengths
	buf := make([]byte, 0, 1<<16)
	if n := testing.AllocsPerRun(100, func() {
		l.Reset()
		b := buf[:0]
		for i := range 1000 {
			b = l.Add(b, i%3)
			b = append(b, 1, 1)[:len(b)+i%3]
		}
		l.Close(b)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestLengthsGrow(t *testing.T) {
	for _, c := range []struct {
		name    string
		lengths []int // the last is grown
		more    int
	}{
		{"the first one", []int{1}, 1},
		{"the last of a run of ones", []int{1, 1, 1}, 4},
		{"the last of a long run", repeat(1, 50), 1},
		{"more than one", []int{0, 0, 5}, 2},
		{"to a longer number", []int{2, 60}, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l Lengths
			l.Reset()
			var buf []byte
			value := byte(0)
			values := func(n int) {
				for range n {
					buf = append(buf, value)
					value++
				}
			}
			for _, n := range c.lengths {
				buf = l.Add(buf, n)
				values(n)
			}
			last := c.lengths[len(c.lengths)-1]
			buf = l.Grow(buf, last, c.more, last)
			values(c.more)
			buf = l.Close(l.Add(buf, 0))

			grown := append(append([]int(nil), c.lengths[:len(c.lengths)-1]...), last+c.more, 0)
			if want := weave(grown); !bytes.Equal(buf, want) {
				t.Errorf("got  %x\nwant %x", buf, want)
			}
		})
	}
}

func TestLengthsRollback(t *testing.T) {
	for _, before := range [][]int{nil, {0}, {1}, repeat(1, 3), repeat(1, 40), repeat(0, 40), {2}, {1, 0, 1}} {
		for _, after := range [][]int{nil, {0}, {1}, {1, 1, 0}, repeat(1, 5000), {7}, append(repeat(1, 5000), 0, 3)} {
			var l Lengths
			l.Reset()
			var buf []byte
			put := func(lengths []int) {
				for i, n := range lengths {
					buf = l.Add(buf, n)
					for range n {
						buf = append(buf, byte(i))
					}
				}
			}
			put(before)
			was, n := l, len(buf)
			put(after)
			l.Rollback(buf, was, n)
			l, buf = was, buf[:n]
			put([]int{1, 0})
			got := l.Close(buf)

			l.Reset()
			buf = nil
			put(before)
			put([]int{1, 0})
			if want := l.Close(buf); !bytes.Equal(got, want) {
				t.Errorf("before %v after %d lengths: got %x, want %x", before, len(after), got, want)
			}
		}
	}
}

// Repeat does what Add does, or nothing.
func TestLengthsRepeat(t *testing.T) {
	for _, lengths := range [][]int{{0, 0, 1, 1, 1}, {2, 2, 0}, {1, 0, 1, 0}, repeat(1, 100)} {
		var l Lengths
		l.Reset()
		var buf []byte
		repeated := 0
		for i, n := range lengths {
			if l.Repeat(n) {
				repeated++
				if i == 0 || n > 1 || lengths[i-1] != n {
					t.Errorf("%v: length %d prolonged a run that was not open", lengths, i)
				}
			} else {
				buf = l.Add(buf, n)
			}
			for range n {
				buf = append(buf, byte(len(buf)))
			}
		}
		var added Lengths
		added.Reset()
		var want []byte
		for _, n := range lengths {
			want = added.Add(want, n)
			for range n {
				want = append(want, byte(len(want)))
			}
		}
		if buf, want = l.Close(buf), added.Close(want); !bytes.Equal(buf, want) {
			t.Errorf("%v: got %x, want %x", lengths, buf, want)
		}
		if lengths[0] == 1 && len(lengths) == 100 && repeated != 99 {
			t.Errorf("%d of 100 ones were repeated", repeated)
		}
	}
}

func TestShortCode(t *testing.T) {
	for count := 1; count <= shortRun; count++ {
		for open := range 2 {
			want := AppendLengthRun(nil, open == 1, count)
			if got := shortCode(open, count); len(want) != 1 || got != want[0] {
				t.Errorf("%d lengths of %d: %x, want %x", count, open, got, want)
			}
		}
	}
}

func TestLengthsAddZeros(t *testing.T) {
	for _, before := range [][]int{nil, {0}, {1, 1}, {3}} {
		for _, n := range []int{0, 1, 2, 5000} {
			var l, one Lengths
			l.Reset()
			one.Reset()
			var got, want []byte
			for _, length := range before {
				got = append(l.Add(got, length), make([]byte, length)...)
				want = append(one.Add(want, length), make([]byte, length)...)
			}
			got = l.AddZeros(got, n)
			for range n {
				want = one.Add(want, 0)
			}
			if got, want = l.Close(l.Add(got, 0)), one.Close(one.Add(want, 0)); !bytes.Equal(got, want) {
				t.Errorf("%d after %v: got %x, want %x", n, before, got, want)
			}
		}
	}
}
