package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// tally has the count, sum, least and greatest of a column's values. It works on the bytes
// of whole blocks, in which the values follow one after another.
type tally struct {
	typ    trevni.Type
	values uint64
	empty  uint64 // lengths of zero
	nans   uint64

	high, low uint64 // sum of whole numbers, 128 bits, two's complement
	sum       float64
	min, max  int64 // of whole numbers; fixed64 as uint64
	fmin      float64
	fmax      float64
	bmin      []byte // of strings and bytes
	bmax      []byte
	any       bool // min and max are set
}

// block adds the walker's block.
func (t *tally) block(w *walker) error {
	if w.n.col.Array {
		return w.count(t.run)
	}
	switch n := int(w.units); t.typ {
	case trevni.Null:
		t.values += w.units
		return nil
	case trevni.Boolean:
		if _, err := block.SkipValues(w.raw, t.typ, n); err != nil {
			return err
		}
		t.booleans(w.raw, n)
		return nil
	}
	before := t.values
	if err := t.data(w.raw); err != nil {
		return err
	}
	if n := t.values - before; w.known && n != w.units {
		return fmt.Errorf("%w: %s values, %s", trevni.ErrCorrupt, comma(n), w.wanted())
	}
	return nil
}

// run adds a run of lengths.
func (t *tally) run(r *block.LengthReader) error {
	if r.Length == 0 {
		t.empty += uint64(r.Count)
		return nil
	}
	switch {
	case t.typ == trevni.Null:
		t.values += uint64(r.Length) * uint64(r.Count)
		return nil
	case t.typ == trevni.Boolean && r.Length == 1: // a byte each
		for i := range r.Data {
			t.booleans(r.Data[i:i+1], 1)
		}
		return nil
	case t.typ == trevni.Boolean:
		t.booleans(r.Data, r.Length)
		return nil
	}
	return t.data(r.Data)
}

// data adds values to the last byte.
func (t *tally) data(b []byte) error {
	switch t.typ {
	case trevni.Int, trevni.Long:
		return t.varints(b)
	case trevni.String, trevni.Bytes:
		return t.strings(b)
	case trevni.Float, trevni.Fixed32:
		return t.fours(b)
	default:
		return t.eights(b)
	}
}

func (t *tally) booleans(b []byte, n int) {
	t.values += uint64(n)
	ones := 0
	for i := range n / 8 {
		ones += bits.OnesCount8(b[i])
	}
	if n%8 > 0 {
		ones += bits.OnesCount8(b[n/8] << (8 - n%8))
	}
	t.low += uint64(ones)
	if ones < n {
		t.whole(0)
	}
	if ones > 0 {
		t.whole(1)
	}
}

// whole takes a whole number into account for minimum and maximum.
func (t *tally) whole(v int64) {
	if !t.any {
		t.min, t.max, t.any = v, v, true
		return
	}
	t.min, t.max = min(t.min, v), max(t.max, v)
}

// add adds a whole number to the sum.
func (t *tally) add(v int64) {
	var carry uint64
	t.low, carry = bits.Add64(t.low, uint64(v), 0)
	t.high += uint64(v>>63) + carry
}

func (t *tally) varints(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	least, most := int64(math.MaxInt64), int64(math.MinInt64)
	n, sum := uint64(0), int64(0)
	for at := 0; at < len(b); {
		var v int64
		if c := b[at]; c < 0x80 {
			v = int64(c>>1) ^ -int64(c&1)
			at++
		} else {
			var size int
			if v, size = block.ReadLong(b[at:]); size <= 0 {
				return fmt.Errorf("%w: a number that is cut short, or of more than 64 bits", trevni.ErrCorrupt)
			}
			at += size
		}
		n++
		least, most = min(least, v), max(most, v)
		if next := sum + v; (next > sum) == (v > 0) { // no overflow
			sum = next
		} else {
			t.add(sum)
			sum = v
		}
	}
	t.add(sum)
	t.values += n
	if t.typ == trevni.Int && (least < math.MinInt32 || most > math.MaxInt32) {
		return fmt.Errorf("%w: int %d to %d does not fit 32 bits", trevni.ErrCorrupt, least, most)
	}
	t.whole(least)
	t.whole(most)
	return nil
}

func (t *tally) strings(b []byte) error {
	for at := 0; at < len(b); {
		l, n := block.ReadLong(b[at:])
		at += max(n, 0)
		if n <= 0 || l < 0 || l > int64(len(b)-at) {
			return fmt.Errorf("%w: a value that is cut short", trevni.ErrCorrupt)
		}
		v := b[at : at+int(l)]
		at += int(l)
		t.values++
		t.low += uint64(l)
		switch {
		case !t.any:
			t.bmin, t.bmax, t.any = bytes.Clone(v), bytes.Clone(v), true
		case bytes.Compare(v, t.bmin) < 0:
			t.bmin = append(t.bmin[:0], v...)
		case bytes.Compare(v, t.bmax) > 0:
			t.bmax = append(t.bmax[:0], v...)
		}
	}
	return nil
}

func (t *tally) fours(b []byte) error {
	if len(b)%4 != 0 {
		return fmt.Errorf("%w: %d bytes after the last value", trevni.ErrCorrupt, len(b)%4)
	}
	for ; len(b) > 0; b = b[4:] {
		v := binary.LittleEndian.Uint32(b)
		if t.typ == trevni.Float {
			t.float(float64(math.Float32frombits(v)))
			continue
		}
		t.values++
		t.add(int64(v))
		t.whole(int64(v))
	}
	return nil
}

func (t *tally) eights(b []byte) error {
	if len(b)%8 != 0 {
		return fmt.Errorf("%w: %d bytes after the last value", trevni.ErrCorrupt, len(b)%8)
	}
	if t.typ == trevni.Double {
		t.doubles(b)
		return nil
	}
	for ; len(b) > 0; b = b[8:] {
		t.fixed64(binary.LittleEndian.Uint64(b))
	}
	return nil
}

// fixed64 adds a number without a sign.
func (t *tally) fixed64(v uint64) {
	t.values++
	var carry uint64
	t.low, carry = bits.Add64(t.low, v, 0)
	t.high += carry
	if !t.any {
		t.min, t.max, t.any = int64(v), int64(v), true
		return
	}
	t.min, t.max = int64(min(uint64(t.min), v)), int64(max(uint64(t.max), v))
}

// doubles adds doubles, those between NaNs with no branch a value.
func (t *tally) doubles(b []byte) {
	sum, least, most, n := t.sum, t.fmin, t.fmax, uint64(0)
	for ; len(b) >= 8; b = b[8:] {
		v := math.Float64frombits(binary.LittleEndian.Uint64(b))
		if v != v || !t.any {
			t.sum, t.fmin, t.fmax = sum, least, most
			t.float(v)
			sum, least, most = t.sum, t.fmin, t.fmax
			continue
		}
		n++
		sum += v
		if v < least {
			least = v
		}
		if v > most {
			most = v
		}
	}
	t.sum, t.fmin, t.fmax = sum, least, most
	t.values += n
}

// float adds one number.
func (t *tally) float(v float64) {
	t.values++
	switch {
	case v != v:
		t.nans++
		return
	case !t.any:
		t.fmin, t.fmax, t.any = v, v, true
	}
	t.sum += v
	t.fmin, t.fmax = min(t.fmin, v), max(t.fmax, v)
}

// sumText returns the sum, empty where there is none.
func (t *tally) sumText() string {
	switch t.typ {
	case trevni.Null:
		return ""
	case trevni.Float, trevni.Double:
		return floatText(t.sum, 64)
	}
	v := new(big.Int).SetUint64(t.high)
	v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(t.low))
	if t.high>>63 == 1 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), 128))
	}
	return v.String()
}

func (t *tally) minText() string { return t.text(t.min, t.fmin, t.bmin) }
func (t *tally) maxText() string { return t.text(t.max, t.fmax, t.bmax) }

// text returns the one of three that is of the column's type.
func (t *tally) text(i int64, f float64, b []byte) string {
	if !t.any {
		return ""
	}
	switch t.typ {
	case trevni.Boolean:
		return fmt.Sprint(i == 1)
	case trevni.Fixed64:
		return fmt.Sprint(uint64(i))
	case trevni.Float:
		return floatText(f, 32)
	case trevni.Double:
		return floatText(f, 64)
	case trevni.String, trevni.Bytes:
		return extreme(b)
	}
	return fmt.Sprint(i)
}
