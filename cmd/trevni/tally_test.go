package main

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// whole numbers, however large their sum.
func TestTallyWholeNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tl := tally{typ: trevni.Long}
		sum := new(big.Int)
		var all []int64
		for range rapid.IntRange(1, 4).Draw(t, "blocks") {
			numbers := rapid.SliceOf(rapid.OneOf(rapid.Int64(), rapid.Int64Range(-3, 3),
				rapid.SampledFrom([]int64{math.MaxInt64, math.MinInt64}))).Draw(t, "numbers")
			if err := tl.data(longs(numbers...)); err != nil {
				t.Fatal(err)
			}
			for _, n := range numbers {
				sum.Add(sum, big.NewInt(n))
			}
			all = append(all, numbers...)
		}
		if got := tl.sumText(); got != sum.String() || tl.values != uint64(len(all)) {
			t.Fatalf("sum %s of %d, want %s of %d", got, tl.values, sum, len(all))
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
		double, single := tally{typ: trevni.Double}, tally{typ: trevni.Float}
		if err := double.data(raw); err != nil {
			t.Fatal(err)
		}
		if err := single.data(raw32); err != nil {
			t.Fatal(err)
		}
		for _, tl := range []tally{double, single} {
			if tl.sum != sum || tl.values != uint64(len(numbers)) || tl.nans != uint64(len(numbers)-len(real)) {
				t.Fatalf("%s: sum %v of %d with %d NaN, want %v of %v", tl.typ, tl.sum, tl.values, tl.nans, sum, numbers)
			}
			if len(real) > 0 && (tl.fmin != slices.Min(real) || tl.fmax != slices.Max(real)) {
				t.Fatalf("%s: %v to %v of %v", tl.typ, tl.fmin, tl.fmax, numbers)
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
		b := tally{typ: trevni.Boolean}
		b.booleans(packed, len(flags))
		if b.low != uint64(trues) || b.values != uint64(len(flags)) {
			t.Fatalf("%d of %d, want %v", b.low, b.values, flags)
		}
		texts := rapid.SliceOfN(rapid.SliceOf(rapid.Byte()), 1, 20).Draw(t, "texts")
		var raw []byte
		for _, s := range texts {
			raw = append(block.AppendLong(raw, int64(len(s))), s...)
		}
		s := tally{typ: trevni.Bytes}
		if err := s.data(raw); err != nil {
			t.Fatal(err)
		}
		least, most := slices.MinFunc(texts, bytes.Compare), slices.MaxFunc(texts, bytes.Compare)
		if s.values != uint64(len(texts)) || !bytes.Equal(s.bmin, least) || !bytes.Equal(s.bmax, most) {
			t.Fatalf("%d, %q to %q of %q", s.values, s.bmin, s.bmax, texts)
		}
	})
}

func TestTallyFixed(t *testing.T) {
	raw := binary.LittleEndian.AppendUint64(nil, math.MaxUint64)
	raw = binary.LittleEndian.AppendUint64(raw, 3)
	f := tally{typ: trevni.Fixed64}
	g := tally{typ: trevni.Fixed32}
	if err := f.data(raw); err != nil {
		t.Fatal(err)
	}
	if err := g.data(raw); err != nil {
		t.Fatal(err)
	}
	if f.sumText() != "18446744073709551618" || f.minText() != "3" || f.maxText() != "18446744073709551615" {
		t.Errorf("fixed64: %s, %s to %s", f.sumText(), f.minText(), f.maxText())
	}
	if g.sumText() != "8589934593" || g.minText() != "0" || g.maxText() != "4294967295" {
		t.Errorf("fixed32: %s, %s to %s", g.sumText(), g.minText(), g.maxText())
	}
	if err := f.data(raw[:9]); err == nil {
		t.Error("a byte too many is no error")
	}
}

// FuzzTally feeds bytes as values of each type.
func FuzzTally(f *testing.F) {
	for typ := trevni.Null; typ <= trevni.Bytes; typ++ {
		f.Add(uint8(typ), longs(5, 300, -1, 2), longs(3, 1, 2, 3, -4, 1, 2, 3))
	}
	f.Fuzz(func(t *testing.T, typ uint8, plain, array []byte) {
		kind := trevni.Type(typ % 10)
		if kind > trevni.Boolean {
			one := tally{typ: kind}
			n := len(plain) // more than there are values
			if err := one.data(plain); err == nil {
				n = int(one.values)
			}
			if size, err := block.SkipValues(plain, kind, n); one.values > 0 && int(one.values) == n && err == nil && size != len(plain) && kind != trevni.Int {
				t.Fatalf("%d values in %d bytes, not in %d", n, size, len(plain))
			}
		}
		two := tally{typ: kind}
		var lengths block.LengthReader
		for lengths.Reset(array, kind); lengths.Next(); {
			if two.run(&lengths) != nil {
				return
			}
		}
	})
}
