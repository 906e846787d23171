// Package tally counts and sums the values of a column, and finds the least and the greatest.
//
// It works on the bytes of whole blocks, in which the values follow one after another, as
// Avro, Trevni and Parquet's plain encoding have them:
//
//	Booleans        bits, the first value in the lowest
//	Varints         zigzag, up to 64 bits
//	Texts           a varint of the length, and the bytes
//	Wide            little-endian numbers of 4 or 8 bytes
//
// Values that a reader has decoded are added one by one, by Long, Text and Float.
package tally

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"unicode/utf8"

	"avro2trevni/cmd/trevni/show"
	"avro2trevni/trevni/block"
)

// Type is the type of a column's values.
type Type uint8

// The types.
const (
	Null    Type = iota
	Boolean      // the sum is the number of true values
	Int          // 32 bits: others are an error
	Long
	Unsigned // 64 bits at most
	Float
	Double
	Text // strings and bytes: the sum is that of their lengths
)

// Tally has the count, sum, least and greatest of a column's values. The zero value, with a
// type, has none.
type Tally struct {
	Type   Type
	Values uint64
	Empty  uint64 // places without a value: nulls, empty arrays
	NaNs   uint64

	high, low uint64 // sum of whole numbers, 128 bits, two's complement
	sum       float64
	min, max  int64 // of whole numbers; unsigned ones as uint64
	fmin      float64
	fmax      float64
	bmin      []byte // of texts
	bmax      []byte
	any       bool // min and max are set
}

// Booleans adds n booleans, the first in the lowest bit of b.
func (t *Tally) Booleans(b []byte, n int) {
	t.Values += uint64(n)
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

// Long adds a whole number.
func (t *Tally) Long(v int64) {
	t.Values++
	t.add(v)
	t.whole(v)
}

// whole takes a whole number into account for minimum and maximum.
func (t *Tally) whole(v int64) {
	if !t.any {
		t.min, t.max, t.any = v, v, true
		return
	}
	t.min, t.max = min(t.min, v), max(t.max, v)
}

// add adds a whole number to the sum.
func (t *Tally) add(v int64) {
	var carry uint64
	t.low, carry = bits.Add64(t.low, uint64(v), 0)
	t.high += uint64(v>>63) + carry
}

// Varints adds zigzag numbers, to the last byte. Of type Int they must fit 32 bits.
func (t *Tally) Varints(b []byte) error {
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
				return errors.New("a number that is cut short, or of more than 64 bits")
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
	t.Values += n
	if t.Type == Int && (least < math.MinInt32 || most > math.MaxInt32) {
		return fmt.Errorf("int %d to %d does not fit 32 bits", least, most)
	}
	t.whole(least)
	t.whole(most)
	return nil
}

// Texts adds strings or bytes, each after its length, to the last byte.
func (t *Tally) Texts(b []byte) error {
	for at := 0; at < len(b); {
		l, n := block.ReadLong(b[at:])
		at += max(n, 0)
		if n <= 0 || l < 0 || l > int64(len(b)-at) {
			return errors.New("a value that is cut short")
		}
		t.Text(b[at : at+int(l)])
		at += int(l)
	}
	return nil
}

// Text adds a string or bytes, and copies what it keeps.
func (t *Tally) Text(v []byte) {
	t.Values++
	t.low += uint64(len(v))
	switch {
	case !t.any:
		t.bmin, t.bmax, t.any = bytes.Clone(v), bytes.Clone(v), true
	case bytes.Compare(v, t.bmin) < 0:
		t.bmin = append(t.bmin[:0], v...)
	case bytes.Compare(v, t.bmax) > 0:
		t.bmax = append(t.bmax[:0], v...)
	}
}

// Wide adds little-endian values of the width that the type has in bytes: 4 or 8, for Float
// and Unsigned, 8 for Double.
func (t *Tally) Wide(b []byte, width int) error {
	if len(b)%width != 0 {
		return fmt.Errorf("%d bytes after the last value", len(b)%width)
	}
	switch {
	case t.Type == Double:
		t.doubles(b)
	case width == 4:
		t.fours(b)
	default:
		for ; len(b) > 0; b = b[8:] {
			t.unsigned(binary.LittleEndian.Uint64(b))
		}
	}
	return nil
}

func (t *Tally) fours(b []byte) {
	for ; len(b) > 0; b = b[4:] {
		v := binary.LittleEndian.Uint32(b)
		if t.Type == Float {
			t.Float(float64(math.Float32frombits(v)))
			continue
		}
		t.unsigned(uint64(v))
	}
}

// unsigned adds a number without a sign.
func (t *Tally) unsigned(v uint64) {
	t.Values++
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
func (t *Tally) doubles(b []byte) {
	sum, least, most, n := t.sum, t.fmin, t.fmax, uint64(0)
	for ; len(b) >= 8; b = b[8:] {
		v := math.Float64frombits(binary.LittleEndian.Uint64(b))
		if v != v || !t.any {
			t.sum, t.fmin, t.fmax = sum, least, most
			t.Float(v)
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
	t.Values += n
}

// Float adds a number, of either width.
func (t *Tally) Float(v float64) {
	t.Values++
	switch {
	case v != v:
		t.NaNs++
		return
	case !t.any:
		t.fmin, t.fmax, t.any = v, v, true
	}
	t.sum += v
	t.fmin, t.fmax = min(t.fmin, v), max(t.fmax, v)
}

// Sum returns the sum as a text, "" where there is none.
func (t *Tally) Sum() string {
	switch t.Type {
	case Null:
		return ""
	case Float, Double:
		return floatText(t.sum, 64)
	}
	v := new(big.Int).SetUint64(t.high)
	v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(t.low))
	if t.high>>63 == 1 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), 128))
	}
	return v.String()
}

// Min returns the least value as a text, "" if there is none.
func (t *Tally) Min() string { return t.text(t.min, t.fmin, t.bmin) }

// Max returns the greatest value as a text, "" if there is none.
func (t *Tally) Max() string { return t.text(t.max, t.fmax, t.bmax) }

// SumJSON returns the sum as encoding/json takes it, nil where there is none.
func (t *Tally) SumJSON() any {
	if t.Type == Null {
		return nil
	}
	return number(t.Sum())
}

// MinJSON and MaxJSON return the least and the greatest value as encoding/json takes them, nil if
// there is none: strings and bytes whole, with U+FFFD for what is not UTF-8.
func (t *Tally) MinJSON() any { return t.json(t.Min(), t.bmin) }

// MaxJSON is described with MinJSON.
func (t *Tally) MaxJSON() any { return t.json(t.Max(), t.bmax) }

func (t *Tally) json(text string, b []byte) any {
	switch {
	case !t.any:
		return nil
	case t.Type == Text:
		return string(b)
	case t.Type == Boolean:
		return text == "true"
	}
	return number(text)
}

// number returns a number as JSON has it; a string if JSON has no word for it.
func number(text string) any {
	switch text {
	case "NaN":
		return text
	case "+Inf":
		return "Infinity"
	case "-Inf":
		return "-Infinity"
	}
	return json.Number(text)
}

// text returns the one of three that is of the column's type.
func (t *Tally) text(i int64, f float64, b []byte) string {
	if !t.any {
		return ""
	}
	switch t.Type {
	case Boolean:
		return fmt.Sprint(i == 1)
	case Unsigned:
		return fmt.Sprint(uint64(i))
	case Float:
		return floatText(f, 32)
	case Double:
		return floatText(f, 64)
	case Text:
		return extreme(b)
	}
	return fmt.Sprint(i)
}

// widest is the largest number of characters of a least or greatest string.
const widest = 24

// extreme returns a string for a table, quoted, and cut if it is long.
func extreme(b []byte) string {
	text := show.Short(b)
	if utf8.RuneCountInString(text) > widest {
		text = string([]rune(text)[:widest-3]) + "..."
	}
	return `"` + text + `"`
}

// floatText returns a number as short as it can be.
func floatText(v float64, bits int) string { return strconv.FormatFloat(v, 'g', -1, bits) }
