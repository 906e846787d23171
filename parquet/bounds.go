package parquet

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"
)

const (
	// shortBound is the size to which bounds of byte arrays are shortened, if possible, in
	// bytes.
	shortBound = 64
	// longBound is the largest size of any bound, in bytes; a longer one is left out.
	longBound = 4096
)

// setBounds sets the bounds and the NaNs of a page's values, which are n in PLAIN form, at
// least one.
func (m *Meta) setBounds(o order, data []byte, n int) {
	m.MinExact, m.MaxExact = true, true
	switch o {
	case booleans:
		m.setBooleans(data, n)
	case signed32:
		lo, hi := bounds32(data)
		m.Min, m.Max = binary.LittleEndian.AppendUint32(nil, uint32(lo)), binary.LittleEndian.AppendUint32(nil, uint32(hi))
	case signed64:
		lo, hi := bounds64(data)
		m.Min, m.Max = binary.LittleEndian.AppendUint64(nil, uint64(lo)), binary.LittleEndian.AppendUint64(nil, uint64(hi))
	case floats:
		m.setFloats(data)
	case doubles:
		m.setDoubles(data)
	}
	if m.Min == nil {
		m.MinExact, m.MaxExact = false, false
	}
}

// setBooleans sets the bounds of n bits.
func (m *Meta) setBooleans(data []byte, n int) {
	ones := 0
	for _, b := range data {
		ones += bits.OnesCount8(b)
	}
	m.Min, m.Max = []byte{0}, []byte{1}
	if ones == n {
		m.Min[0] = 1
	}
	if ones == 0 {
		m.Max[0] = 0
	}
}

func bounds32(data []byte) (lo, hi int32) {
	lo, hi = math.MaxInt32, math.MinInt32
	for ; len(data) >= 4; data = data[4:] {
		v := int32(binary.LittleEndian.Uint32(data))
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}

func bounds64(data []byte) (lo, hi int64) {
	lo, hi = math.MaxInt64, math.MinInt64
	for ; len(data) >= 8; data = data[8:] {
		v := int64(binary.LittleEndian.Uint64(data))
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}

func (m *Meta) setFloats(data []byte) {
	lo, hi := float32(math.Inf(1)), float32(math.Inf(-1))
	n := len(data) / 4
	for ; len(data) >= 4; data = data[4:] {
		v := float32At(data)
		if v != v {
			m.NaNs++
		}
		if v < lo {
			lo = v
		}
		if v > hi {
			hi = v
		}
	}
	if m.NaNs == n {
		return
	}
	if lo == 0 {
		lo = float32(math.Copysign(0, -1))
	}
	if hi == 0 {
		hi = 0
	}
	m.Min = binary.LittleEndian.AppendUint32(nil, math.Float32bits(lo))
	m.Max = binary.LittleEndian.AppendUint32(nil, math.Float32bits(hi))
}

func (m *Meta) setDoubles(data []byte) {
	lo, hi := math.Inf(1), math.Inf(-1)
	n := len(data) / 8
	for ; len(data) >= 8; data = data[8:] {
		v := float64At(data)
		if v != v {
			m.NaNs++
		}
		if v < lo {
			lo = v
		}
		if v > hi {
			hi = v
		}
	}
	if m.NaNs == n {
		return
	}
	if lo == 0 {
		lo = math.Copysign(0, -1)
	}
	if hi == 0 {
		hi = 0
	}
	m.Min = binary.LittleEndian.AppendUint64(nil, math.Float64bits(lo))
	m.Max = binary.LittleEndian.AppendUint64(nil, math.Float64bits(hi))
}

// An extent finds the least and the greatest of byte arrays. Most comparisons are of their
// first eight bytes.
type extent struct {
	o                order
	some             bool
	min, max         []byte
	minHead, maxHead uint64 // first eight bytes, big-endian, then zeros
}

// add takes a value, which must not change afterwards.
func (e *extent) add(v []byte) {
	h := head(v)
	if e.o == signedDigits && len(v) > 0 {
		h ^= 1 << 63 // negative before positive
	}
	if !e.some {
		e.some, e.min, e.max, e.minHead, e.maxHead = true, v, v, h, h
		return
	}
	if h < e.minHead || h == e.minHead && bytes.Compare(v, e.min) < 0 {
		e.min, e.minHead = v, h
	}
	if h > e.maxHead || h == e.maxHead && bytes.Compare(v, e.max) > 0 {
		e.max, e.maxHead = v, h
	}
}

func head(v []byte) uint64 {
	if len(v) >= 8 {
		return binary.BigEndian.Uint64(v)
	}
	var h [8]byte
	copy(h[:], v)
	return binary.BigEndian.Uint64(h[:])
}

// setExtent sets the bounds of a page of byte arrays, which are kept short where their length
// is not fixed.
func (m *Meta) setExtent(n *Node, e *extent) {
	lo, hi := e.min, e.max
	if n.Type == ByteArray {
		text := n.Logical.Kind == StringType || n.Logical.Kind == EnumType || n.Logical.Kind == JSONType
		lo, hi = shortMin(lo, text), shortMax(hi, text)
	}
	if !e.some || len(lo) > longBound || len(hi) > longBound {
		return
	}
	m.Min, m.MinExact = append([]byte{}, lo...), len(lo) == len(e.min)
	m.Max, m.MaxExact = append([]byte{}, hi...), len(hi) == len(e.max) && bytes.Equal(hi, e.max)
}

// shortMin returns the front of v: as many bytes as a bound may have, and whole characters of
// text.
func shortMin(v []byte, text bool) []byte {
	if len(v) <= shortBound {
		return v
	}
	n := shortBound
	if text {
		for n > shortBound-utf8.UTFMax && !utf8.RuneStart(v[n]) {
			n--
		}
	}
	return v[:n]
}

// shortMax returns the front of v, its last byte or character made one greater, and v itself
// where none can be: all are the greatest there is, or it is not text.
func shortMax(v []byte, text bool) []byte {
	front := shortMin(v, text)
	if len(front) == len(v) {
		return v
	}
	for len(front) > 0 {
		if !text {
			last := len(front) - 1
			if front[last] != 0xff {
				front = slices.Clone(front)
				front[last]++
				return front
			}
			front = front[:last]
			continue
		}
		r, size := utf8.DecodeLastRune(front)
		if r == utf8.RuneError && size <= 1 {
			return v
		}
		front = front[:len(front)-size]
		if r == 0xd7ff {
			r = 0xdfff // the surrogates are no characters
		}
		if r < utf8.MaxRune {
			return utf8.AppendRune(slices.Clone(front), r+1)
		}
	}
	return v
}
