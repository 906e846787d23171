package parquet

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
)

// An order is how the values of a column compare (TypeDefinedOrder of the specification).
type order uint8

const (
	unordered    order = iota // no minimum and maximum
	booleans                  // false, true
	signed32                  // little-endian
	signed64                  // little-endian
	floats                    // by value; NaN is in no bound
	doubles                   // by value; NaN is in no bound
	lexical                   // bytes, unsigned
	signedDigits              // big-endian two's complement, all of one length
)

// order returns how a leaf's values compare.
func (n *Node) order() order {
	switch {
	case n.Logical.Kind == IntervalType, n.Logical.Kind == NullType:
		return unordered
	case n.Logical.Kind == DecimalType && n.Type == ByteArray:
		return unordered // numbers of any length: nothing that is made here has them
	case n.Logical.Kind == DecimalType && n.Type == FixedLenByteArray:
		return signedDigits
	}
	switch n.Type {
	case Boolean:
		return booleans
	case Int32:
		return signed32
	case Int64:
		return signed64
	case Float:
		return floats
	case Double:
		return doubles
	}
	return lexical
}

// compare compares two values in PLAIN form, without length. No float is NaN.
func (o order) compare(a, b []byte) int {
	switch o {
	case signed32:
		return cmp.Compare(int32(binary.LittleEndian.Uint32(a)), int32(binary.LittleEndian.Uint32(b)))
	case signed64:
		return cmp.Compare(int64(binary.LittleEndian.Uint64(a)), int64(binary.LittleEndian.Uint64(b)))
	case floats:
		return cmp.Compare(float32At(a), float32At(b))
	case doubles:
		return cmp.Compare(float64At(a), float64At(b))
	case signedDigits:
		if negative := a[0] >> 7; negative != b[0]>>7 {
			return 1 - 2*int(negative)
		}
	}
	return bytes.Compare(a, b)
}

// width returns the bytes of a value in PLAIN form, 0 if that differs or, of a boolean, is less
// than one.
func (n *Node) width() int {
	switch n.Type {
	case Int32, Float:
		return 4
	case Int64, Double:
		return 8
	case FixedLenByteArray:
		return n.Length
	}
	return 0
}

func float32At(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
func float64At(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }
