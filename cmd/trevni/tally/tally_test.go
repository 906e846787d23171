package tally

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"avro2trevni/trevni/block"
)

// whole numbers, however large their sum.
func TestTallyWholeNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tl := Tally{Type: Long}
		sum := new(big.Int)
		var all []int64
		for range rapid.IntRange(1, 4).Draw(t, "blocks") {
			numbers := rapid.SliceOf(rapid.OneOf(rapid.Int64(), rapid.Int64Range(-3, 3),
				rapid.SampledFrom([]int64{math.MaxInt64, math.MinInt64}))).Draw(t, "numbers")
			if err := tl.Varints(longs(numbers...)); err != nil {
				t.Fatal(err)
			}
			for _, n := range numbers {
				sum.Add(sum, big.NewInt(n))
			}
			all = append(all, numbers...)
		}
		if got := tl.Sum(); got != sum.String() || tl.Values != uint64(len(all)) {
			t.Fatalf("sum %s of %d, want %s of %d", got, tl.Values, sum, len(all))
		}
		if len(all) > 0 && (tl.min != slices.Min(all) || tl.max != slices.Max(all)) {
			t.Fatalf("%d to %d, want %d to %d", tl.min, tl.max, slices.Min(all), slices.Max(all))
		}
	})
}

func TestTallyDoubles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOf(rapid.OneOf(rapid.Float64Range(-1e9, 1e9), rapid.Just(math.NaN()))).Draw(t, "numbers")
		var raw, raw32 []byte
		var sum float64
		var real []float64
		for i, n := range numbers {
			n = float64(float32(n))
			numbers[i] = n
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(n))
			raw32 = binary.LittleEndian.AppendUint32(raw32, math.Float32bits(float32(n)))
			if n == n {
				sum += n
				real = append(real, n)
			}
		}
		double, single := Tally{Type: Double}, Tally{Type: Float}
		if err := double.Wide(raw, 8); err != nil {
			t.Fatal(err)
		}
		if err := single.Wide(raw32, 4); err != nil {
			t.Fatal(err)
		}
		for _, tl := range []Tally{double, single} {
			if tl.sum != sum || tl.Values != uint64(len(numbers)) || tl.NaNs != uint64(len(numbers)-len(real)) {
				t.Fatalf("%d: sum %v of %d with %d NaN, want %v of %v", tl.Type, tl.sum, tl.Values, tl.NaNs, sum, numbers)
			}
			if len(real) > 0 && (tl.fmin != slices.Min(real) || tl.fmax != slices.Max(real)) {
				t.Fatalf("%d: %v to %v of %v", tl.Type, tl.fmin, tl.fmax, numbers)
			}
		}
	})
}

func TestTallyBooleansAndStrings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flags := rapid.SliceOf(rapid.Bool()).Draw(t, "flags")
		packed := make([]byte, (len(flags)+7)/8)
		trues := 0
		for i, f := range flags {
			if f {
				packed[i/8] |= 1 << (i % 8)
				trues++
			}
		}
		if len(packed) > 0 && rapid.Bool().Draw(t, "dirt") {
			packed[len(packed)-1] |= ^byte(0) << ((len(flags)-1)%8 + 1) // bits after the last count for nothing
		}
		b := Tally{Type: Boolean}
		b.Booleans(packed, len(flags))
		if b.low != uint64(trues) || b.Values != uint64(len(flags)) {
			t.Fatalf("%d of %d, want %v", b.low, b.Values, flags)
		}
		texts := rapid.SliceOfN(rapid.SliceOf(rapid.Byte()), 1, 20).Draw(t, "texts")
		var raw []byte
		for _, s := range texts {
			raw = append(block.AppendLong(raw, int64(len(s))), s...)
		}
		s := Tally{Type: Text}
		if err := s.Texts(raw); err != nil {
			t.Fatal(err)
		}
		least, most := slices.MinFunc(texts, bytes.Compare), slices.MaxFunc(texts, bytes.Compare)
		if s.Values != uint64(len(texts)) || !bytes.Equal(s.bmin, least) || !bytes.Equal(s.bmax, most) {
			t.Fatalf("%d, %q to %q of %q", s.Values, s.bmin, s.bmax, texts)
		}
	})
}

func TestTallyFixed(t *testing.T) {
	raw := binary.LittleEndian.AppendUint64(nil, math.MaxUint64)
	raw = binary.LittleEndian.AppendUint64(raw, 3)
	f := Tally{Type: Unsigned}
	g := Tally{Type: Unsigned}
	if err := f.Wide(raw, 8); err != nil {
		t.Fatal(err)
	}
	if err := g.Wide(raw, 4); err != nil {
		t.Fatal(err)
	}
	if f.Sum() != "18446744073709551618" || f.Min() != "3" || f.Max() != "18446744073709551615" {
		t.Errorf("fixed64: %s, %s to %s", f.Sum(), f.Min(), f.Max())
	}
	if g.Sum() != "8589934593" || g.Min() != "0" || g.Max() != "4294967295" {
		t.Errorf("fixed32: %s, %s to %s", g.Sum(), g.Min(), g.Max())
	}
	if err := f.Wide(raw[:9], 8); err == nil {
		t.Error("a byte too many is no error")
	}
}

// longs returns numbers as varints.
func longs(numbers ...int64) (b []byte) {
	for _, n := range numbers {
		b = block.AppendLong(b, n)
	}
	return b
}
