package block

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"

	"avro2trevni/trevni/internal/fault"
)

// CheckSorted returns the number of the first of n values of type t in b that is less than
// the one before it, or n if there is none. Before the first comes prev, as it is written
// in a block, or nothing if it is nil. It also returns the last value, as it is written in
// b, or prev if n is 0. Bytes that are not n such values and nothing else are [ErrCorrupt].
//
// The order is that of columns with first values (FirstValues of a trevni.Column), as
// ColumnReader.SeekValue of package trevni expects them: numbers by their value; floats and
// doubles as Java orders them, -0 before 0 and NaN last; strings and
// bytes byte by byte, unsigned, a prefix first. Columns of nulls and of booleans have
// none: [ErrMisuse].
func CheckSorted(b []byte, t Type, n int, prev []byte) (bad int, last []byte, err error) {
	switch t {
	case Int:
		return ascendingOf(b, n, prev, takeInt, cmp.Compare[int64])
	case Long:
		return ascendingOf(b, n, prev, takeLong, cmp.Compare[int64])
	case Fixed32:
		return ascendingOf(b, n, prev, takeFixed32, cmp.Compare[uint32])
	case Fixed64:
		return ascendingOf(b, n, prev, takeFixed64, cmp.Compare[uint64])
	case Float:
		return ascendingOf(b, n, prev, takeFloat, CompareFloats[float32])
	case Double:
		return ascendingOf(b, n, prev, takeDouble, CompareFloats[float64])
	case String, Bytes:
		return ascendingOf(b, n, prev, ReadBytes, bytes.Compare)
	}
	return 0, nil, fault.Misusef("values of type %s have no order", t)
}

// ascendingOf is CheckSorted for values that take reads and compare orders.
func ascendingOf[T any](b []byte, n int, prev []byte, take func([]byte) (T, int, error), compare func(x, y T) int) (int, []byte, error) {
	bad, last, at, i := n, prev, 0, 0
	var before T
	if prev != nil {
		var err error
		if before, _, err = take(prev); err != nil {
			return 0, nil, err
		}
	} else if n > 0 { // the first is no less than itself
		var err error
		if before, _, err = take(b); err != nil {
			return 0, nil, err
		}
	}
	for ; i < n; i++ {
		v, size, err := take(b[at:])
		if err != nil {
			return i, nil, err
		}
		if bad == n && compare(v, before) < 0 {
			bad = i
		}
		before, last = v, b[at:at+size]
		at += size
	}
	if at != len(b) {
		return bad, nil, fault.Corruptf("%d bytes after the last of %d values", len(b)-at, n)
	}
	return bad, last, nil
}

func takeLong(b []byte) (int64, int, error) {
	v, n := ReadLong(b)
	if n <= 0 {
		return 0, 0, badVarint(n)
	}
	return v, n, nil
}

func takeInt(b []byte) (int64, int, error) {
	v, n, err := takeLong(b)
	if err == nil && v != int64(int32(v)) {
		err = fault.Corruptf("int %d does not fit 32 bits", v)
	}
	return v, n, err
}

func takeFixed32(b []byte) (uint32, int, error) {
	if _, err := within(b, 4); err != nil {
		return 0, 0, err
	}
	return binary.LittleEndian.Uint32(b), 4, nil
}

func takeFixed64(b []byte) (uint64, int, error) {
	if _, err := within(b, 8); err != nil {
		return 0, 0, err
	}
	return binary.LittleEndian.Uint64(b), 8, nil
}

func takeFloat(b []byte) (float32, int, error) {
	v, n, err := takeFixed32(b)
	return math.Float32frombits(v), n, err
}

func takeDouble(b []byte) (float64, int, error) {
	v, n, err := takeFixed64(b)
	return math.Float64frombits(v), n, err
}

// CompareFloats orders as Java's Float.compare and Double.compare do.
func CompareFloats[F float32 | float64](x, y F) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case x != x || y != y: // NaN
		return boolToInt(x != x) - boolToInt(y != y)
	}
	return boolToInt(math.Signbit(float64(y))) - boolToInt(math.Signbit(float64(x))) // of zeros, or equal
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
