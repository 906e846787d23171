package parquet

import (
	"bytes"
	"encoding/binary"
	"math/big"

	"avro2trevni/parquet"
)

// Decimal makes Avro's decimals, two's complement and big-endian in any number of bytes, those
// of a column. It is not changed, and safe for any number of goroutines.
type Decimal struct {
	t           parquet.Type
	size        int    // bytes of a value in the column
	bound       int64  // 10 to the power of the digits, in a column of integers
	least, most []byte // in others, the numbers next to those with that many digits, the sign bit flipped
}

// NewDecimal returns what makes decimals those of a column.
func NewDecimal(column *parquet.Node) *Decimal {
	d := &Decimal{t: column.Type, size: column.Length}
	bound := tenTo(column.Logical.Precision)
	switch column.Type {
	case parquet.Int32:
		d.size, d.bound = 4, bound.Int64()
	case parquet.Int64:
		d.size, d.bound = 8, bound.Int64()
	default: // n of size bytes, its sign bit flipped, is n + 2^(8*size-1) without a sign
		half := new(big.Int).Lsh(big.NewInt(1), uint(8*d.size-1))
		d.most = new(big.Int).Add(half, bound).FillBytes(make([]byte, d.size))
		d.least = new(big.Int).Sub(half, bound).FillBytes(make([]byte, d.size))
	}
	return d
}

// Append appends a decimal to dst as the column's plain encoding has it: little-endian in one
// of integers, else big-endian. It returns false if the number has more digits than the type:
// Avro's writers need not look. No bytes at all are 0.
func (d *Decimal) Append(dst, avro []byte) ([]byte, bool) {
	avro = trimmed(avro)
	if len(avro) > d.size {
		return dst, false
	}
	var sign byte
	if len(avro) > 0 {
		sign = byte(int8(avro[0]) >> 7)
	}
	if d.bound == 0 {
		return d.appendBytes(dst, avro, sign)
	}
	v := int64(int8(sign))
	for _, b := range avro {
		v = v<<8 | int64(b)
	}
	switch {
	case v <= -d.bound || v >= d.bound:
		return dst, false
	case d.t == parquet.Int32:
		return binary.LittleEndian.AppendUint32(dst, uint32(v)), true
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(v)), true
}

func (d *Decimal) appendBytes(dst, avro []byte, sign byte) ([]byte, bool) {
	at := len(dst)
	for range d.size - len(avro) {
		dst = append(dst, sign)
	}
	dst = append(dst, avro...)
	v := dst[at:]
	v[0] ^= 0x80
	ok := bytes.Compare(v, d.least) > 0 && bytes.Compare(v, d.most) < 0
	v[0] ^= 0x80
	if !ok {
		return dst[:at], false
	}
	return dst, true
}

// trimmed takes off the bytes in front that only repeat the sign.
func trimmed(b []byte) []byte {
	for len(b) > 1 && (b[0] == 0 && b[1] < 0x80 || b[0] == 0xff && b[1] >= 0x80) {
		b = b[1:]
	}
	return b
}
