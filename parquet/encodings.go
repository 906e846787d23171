package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/parquet-go/parquet-go/encoding/bytestreamsplit"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
)

// modern lists, for each type, the encodings other than PLAIN and dictionaries that are
// tried if they are allowed. Those of later versions of the format (BYTE_STREAM_SPLIT of
// integers) and those that only some readers take (DELTA_BYTE_ARRAY of fixed length) are
// not there; nor is RLE of booleans, whose runs parquet-go 0.32 reads as other values.
func (n *Node) modern() []Encoding {
	switch n.Type {
	case Int32, Int64:
		return []Encoding{DeltaBinaryPacked}
	case Float, Double:
		return []Encoding{ByteStreamSplit}
	case ByteArray:
		return []Encoding{DeltaLengthByteArray, DeltaByteArray}
	}
	return nil
}

// An arranger turns PLAIN values into other encodings. Its buffers are reused: what it returns
// is good until the next call.
type arranger struct {
	out   []byte
	flat  []byte // byte arrays without lengths
	ints  []int32
	longs []int64
	sizes []uint32
	reals []float32
	wide  []float64
}

// plain is a page's values, n of them, at least one.
type plain struct {
	leaf    *Leaf
	data    []byte
	n       int
	offsets []uint32 // of byte arrays, as split makes them
}

// encode returns the values in the encoding. PLAIN is p.data itself.
func (a *arranger) encode(e Encoding, p *plain) ([]byte, error) {
	out, err := p.data, error(nil)
	switch {
	case e == Plain:
	case e == DeltaBinaryPacked && p.leaf.Type == Int32:
		var enc delta.BinaryPackedEncoding
		out, err = enc.EncodeInt32(a.out, a.int32s(p.data))
	case e == DeltaBinaryPacked && p.leaf.Type == Int64:
		var enc delta.BinaryPackedEncoding
		out, err = enc.EncodeInt64(a.out, a.int64s(p.data))
	case e == ByteStreamSplit && p.leaf.Type == Float:
		var enc bytestreamsplit.Encoding
		out, err = enc.EncodeFloat(a.out, a.float32s(p.data))
	case e == ByteStreamSplit && p.leaf.Type == Double:
		var enc bytestreamsplit.Encoding
		out, err = enc.EncodeDouble(a.out, a.float64s(p.data))
	case e == DeltaLengthByteArray && p.leaf.Type == ByteArray:
		var enc delta.LengthByteArrayEncoding
		a.flatten(p)
		out, err = enc.EncodeByteArray(a.out, a.flat, a.sizes)
	case e == DeltaByteArray && p.leaf.Type == ByteArray:
		var enc delta.ByteArrayEncoding
		a.flatten(p)
		out, err = enc.EncodeByteArray(a.out, a.flat, a.sizes)
	default:
		err = fmt.Errorf("no %s of %s", e, p.leaf.Type)
	}
	if e != Plain && err == nil {
		a.out = out
	}
	return out, err
}

// indices returns the body of a page of numbers of dictionary entries: their width in bits,
// then runs.
func (a *arranger) indices(entries []int32) ([]byte, error) {
	all := int32(0)
	for _, entry := range entries {
		all |= entry
	}
	enc := rle.Encoding{BitWidth: max(1, bits.Len32(uint32(all)))} // none is legal too, but rare
	out := append(a.out[:0], byte(enc.BitWidth))
	runs, err := enc.EncodeInt32(out[1:], entries)
	a.out = append(out, runs...) // onto themselves, unless there was no room
	return a.out, err
}

// appendLevels appends levels as runs, with their length in front if wanted.
func appendLevels(dst, levels []byte, most int, length bool) ([]byte, error) {
	start := len(dst)
	if length {
		dst = append(dst, 0, 0, 0, 0)
	}
	body := len(dst)
	enc := rle.Encoding{BitWidth: bits.Len(uint(most))}
	runs, err := enc.EncodeLevels(dst[body:], levels)
	dst = append(dst, runs...) // onto themselves, unless there was no room
	if length {
		binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-body))
	}
	return dst, err
}

// flatten sets flat to the byte arrays without lengths, sizes to where they begin and end.
func (a *arranger) flatten(p *plain) {
	a.flat, a.sizes = a.flat[:0], append(a.sizes[:0], 0)
	for i := range p.n {
		a.flat = append(a.flat, p.data[p.offsets[i]+4:p.offsets[i+1]]...)
		a.sizes = append(a.sizes, uint32(len(a.flat)))
	}
}

func (a *arranger) int32s(data []byte) []int32 {
	a.ints = a.ints[:0]
	for ; len(data) >= 4; data = data[4:] {
		a.ints = append(a.ints, int32(binary.LittleEndian.Uint32(data)))
	}
	return a.ints
}

func (a *arranger) int64s(data []byte) []int64 {
	a.longs = a.longs[:0]
	for ; len(data) >= 8; data = data[8:] {
		a.longs = append(a.longs, int64(binary.LittleEndian.Uint64(data)))
	}
	return a.longs
}

func (a *arranger) float32s(data []byte) []float32 {
	a.reals = a.reals[:0]
	for ; len(data) >= 4; data = data[4:] {
		a.reals = append(a.reals, math.Float32frombits(binary.LittleEndian.Uint32(data)))
	}
	return a.reals
}

func (a *arranger) float64s(data []byte) []float64 {
	a.wide = a.wide[:0]
	for ; len(data) >= 8; data = data[8:] {
		a.wide = append(a.wide, math.Float64frombits(binary.LittleEndian.Uint64(data)))
	}
	return a.wide
}

// memory returns the bytes that the arranger holds.
func (a *arranger) memory() int {
	return cap(a.out) + cap(a.flat) + 4*(cap(a.ints)+cap(a.sizes)+cap(a.reals)) + 8*(cap(a.longs)+cap(a.wide))
}
