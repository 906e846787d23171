package trevni

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"avro2trevni/internal/tuple"
	"avro2trevni/reducer"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

func TestAppendBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want, got []byte
		bits := 0
		for range rapid.IntRange(1, 6).Draw(t, "parts") {
			src := rapid.SliceOfN(rapid.Byte(), 1, 20).Draw(t, "src")
			from := rapid.IntRange(0, 8*len(src)).Draw(t, "from")
			to := rapid.IntRange(from, 8*len(src)).Draw(t, "to")
			got = appendBits(got, bits, src, from, to)
			for i := from; i < to; i++ {
				if bits%8 == 0 {
					want = append(want, 0)
				}
				want[bits/8] |= src[i/8] >> (i % 8) & 1 << (bits % 8)
				bits++
			}
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%d bits are %x, want %x", bits, got, want)
		}
	})
}

// lengthsOf returns all lengths of a block of an array column, runs written out, and
// the bytes of all values.
func lengthsOf(raw []byte, typ trevni.Type) (lengths []int, values []byte, err error) {
	for i := 0; i < len(raw); {
		it, err := itemAt(raw[i:])
		if err != nil {
			return nil, nil, err
		}
		i += it.size
		n, err := walker(typ).values(raw[i:], it)
		if err != nil {
			return nil, nil, err
		}
		lengths = append(lengths, slices.Repeat([]int{it.each}, min(it.count, 1<<16))...)
		values = append(values, raw[i:i+n]...)
		i += n
	}
	return lengths, values, nil
}

// FuzzSeam joins any two runs: the lengths and values are those of both, or the
// runs are malformed.
func FuzzSeam(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 5))
	tb := &table{cols: allColumns()}
	tb.split(r, 50, 10)
	for i, c := range tb.cols {
		if c.Array {
			cells := tb.splits[0][i]
			f.Add(raw(&c, cells[:r.IntN(50)]), raw(&c, cells[25:]), byte(c.Type))
		}
	}
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x0f}, []byte{3}, byte(trevni.Null))
	f.Fuzz(func(t *testing.T, a, b []byte, typ byte) {
		kind := trevni.Type(typ % 10)
		s := seam{walk: walker(kind)}
		block, err := s.append(nil, a)
		if err == nil {
			block, err = s.append(block, b)
		}
		la, va, errA := lengthsOf(a, kind)
		lb, vb, errB := lengthsOf(b, kind)
		if (err == nil) != (errA == nil && errB == nil) {
			t.Fatalf("joined with %v; the parts have %v, %v", err, errA, errB)
		}
		if err != nil {
			if !errors.Is(err, reducer.ErrRun) {
				t.Fatalf("error is %v", err)
			}
			return
		}
		if len(block) > len(a)+len(b) {
			t.Fatalf("%d and %d bytes joined are %d", len(a), len(b), len(block))
		}
		l, v, err := lengthsOf(block, kind)
		short := len(la)+len(lb) < 1<<15 // lengthsOf cuts long runs short
		if err != nil || short && !slices.Equal(l, append(la, lb...)) || !bytes.Equal(v, append(va, vb...)) {
			t.Fatalf("%x and %x joined are %x: %v", a, b, block, err)
		}
	})
}

// FuzzPart cuts any bytes anywhere: it gives an error or no more than the bound.
func FuzzPart(f *testing.F) {
	f.Add([]byte{0x05, 1, 2, 3, 4}, uint32(1), uint32(0), uint32(1), uint32(2), uint32(0), uint32(2))
	f.Add([]byte{0x07, 0x03, 2, 4}, uint32(2), uint32(0), uint32(0), uint32(1), uint32(1), uint32(1))
	f.Add([]byte{0x05, 1, 2, 3, 4, 0x04, 5, 6}, uint32(3), uint32(0), uint32(4), uint32(0), uint32(0), uint32(7))
	f.Add([]byte("plain"), uint32(0), uint32(0), uint32(2), uint32(0), uint32(0), uint32(4))
	f.Fuzz(func(t *testing.T, raw []byte, run1, at1, off1, run2, at2, off2 uint32) {
		p := piece{of: uint32(len(raw)),
			lo: Cut{Rows: 1, Run: run1, Length: at1, Value: off1},
			hi: Cut{Rows: 2, Run: run2, Length: at2, Value: off2}}
		got, err := p.part(nil, raw)
		if err != nil {
			if !errors.Is(err, reducer.ErrRun) {
				t.Fatalf("error is %v", err)
			}
			return
		}
		if bound := p.bound(array); uint64(len(got)) > uint64(bound) {
			t.Fatalf("%d bytes, the bound is %d", len(got), bound)
		}
	})
}

// A cut that its run cannot have is an error, whatever it says, and nothing outside the
// run is looked at.
func TestForgedCuts(t *testing.T) {
	raw := append(block.AppendLengthRun(nil, true, 4), "abcd"...) // a run of four lengths of one
	at := func(run, length, value uint32) Cut {
		return Cut{Rows: 1, Run: run, Length: length, Value: value}
	}
	for name, c := range map[string]struct {
		lo, hi Cut
		want   string
	}{
		"after the bytes":        {lo: at(0, 0, 6), want: "a cut at byte 6 of 5"},
		"an end after them":      {hi: at(0, 0, 6), want: "a cut at byte 6 of 5"},
		"a length after them":    {lo: at(1, 6, 0), want: "a cut at byte 6 of 5"},
		"no length":              {lo: at(1, 5, 0), want: "not a length"},
		"more lengths":           {lo: at(5, 0, 4), want: "a cut after 5 of 4 lengths, at byte 4"},
		"more values":            {lo: at(2, 0, 5), want: "a cut after 2 of 4 lengths, at byte 5"},
		"turned round, in a run": {lo: at(3, 0, 3), hi: at(2, 0, 2), want: "cuts out of order"},
		"turned round":           {lo: at(0, 0, 4), hi: at(0, 0, 2), want: "cuts out of order"},
	} {
		p := piece{lo: c.lo, hi: c.hi}
		if _, err := p.part(nil, raw); !errors.Is(err, reducer.ErrRun) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	var cuts Cuts
	cuts = cuts.Append(Cut{Rows: 2, Values: 9}).Append(Cut{Rows: 4, Values: 3})
	for _, c := range []struct {
		values uint32
		lo, hi uint32
		want   string
	}{{9, 2, 4, "cuts out of order"}, {8, 2, 6, "a cut that its run cannot have"}, {9, 3, 6, "has no cut at"}} {
		_, err := pieceOf(plain, &tuple.Tuple{Rows: 6, Values: c.values}, cuts, c.lo, c.hi)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("from %d to %d: %v, want %s", c.lo, c.hi, err, c.want)
		}
	}
}

func TestSkipVarints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b []byte
		ends := []int{0}
		for _, v := range rapid.SliceOf(rapid.Int64()).Draw(t, "values") {
			b = block.AppendLong(b, v)
			ends = append(ends, len(b))
		}
		n := rapid.IntRange(0, len(ends)).Draw(t, "n")
		got, err := skipVarints(b, n)
		if n == len(ends) {
			if !errors.Is(err, reducer.ErrRun) {
				t.Fatalf("%d of %d numbers: %v", n, len(ends)-1, err)
			}
		} else if err != nil || got != ends[n] {
			t.Fatalf("%d numbers take %d bytes, %v, want %d", n, got, err, ends[n])
		}
	})
}

func TestItems(t *testing.T) {
	for _, c := range []struct {
		number int64
		want   item
	}{
		{0, item{1, 0, 1}}, {1, item{1, 1, 1}}, {2, item{1, 2, 1}}, {64, item{1, 64, 2}},
		{-1, item{2, 0, 1}}, {-2, item{2, 1, 1}}, {-3, item{3, 0, 1}}, {-4, item{3, 1, 1}},
		{3 - 2<<30, item{1 << 30, 0, 5}}, {2 - 2<<30, item{1 << 30, 1, 5}},
	} {
		got, err := itemAt(block.AppendLong(nil, c.number))
		if err != nil || got != c.want {
			t.Errorf("%d is %+v, %v, want %+v", c.number, got, err, c.want)
		}
		if c.number <= 1 {
			if code := appendItem(nil, got.count, got.each); !bytes.Equal(code, block.AppendLong(nil, c.number)) {
				t.Errorf("%+v is written %x", got, code)
			}
		}
	}
	for _, bad := range [][]byte{nil, {0x80}, block.AppendLong(nil, 1<<31), block.AppendLong(nil, -1<<31-1)} {
		if it, err := itemAt(bad); !errors.Is(err, reducer.ErrRun) {
			t.Errorf("%x is %+v, %v", bad, it, err)
		}
	}
}

// TestSeamKeepsRunsReadable checks that a run of lengths stays within 32 bits.
func TestSeamKeepsRunsReadable(t *testing.T) {
	half := block.AppendLengthRun(nil, false, 1<<29)
	s := seam{walk: walker(trevni.Int)}
	var joined []byte
	var err error
	for range 3 {
		if joined, err = s.append(joined, half); err != nil {
			t.Fatal(err)
		}
	}
	want := append(block.AppendLengthRun(nil, false, 1<<30), half...)
	if !bytes.Equal(joined, want) {
		t.Errorf("three halves are %x, want %x", joined, want)
	}
}
