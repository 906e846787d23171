package rowsort

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/klauspost/compress/s2"
)

// value is what goes with a key: a row, or where a large one is.
type value struct {
	kind  uint32
	row   []byte // nil for a large one
	large bool
	size  int64 // of a large row, in bytes
	piece int64 // its first
}

// builder builds blocks.
type builder struct {
	buf  []byte
	last []byte // the key before
	rows int
}

// add appends an entry.
func (b *builder) add(key []byte, v value) {
	n := 0
	if b.rows > 0 {
		n = shared(b.last, key)
	}
	b.buf = binary.AppendUvarint(b.buf, uint64(n))
	b.buf = binary.AppendUvarint(b.buf, uint64(len(key)-n))
	b.buf = append(b.buf, key[n:]...)
	b.last = append(b.last[:n], key[n:]...)
	if v.large {
		b.buf = binary.AppendUvarint(b.buf, uint64(v.kind)<<1|1)
		b.buf = binary.AppendUvarint(b.buf, uint64(v.size))
		b.buf = binary.AppendUvarint(b.buf, uint64(v.piece))
	} else {
		b.buf = binary.AppendUvarint(b.buf, uint64(v.kind)<<1)
		b.buf = binary.AppendUvarint(b.buf, uint64(len(v.row)))
		b.buf = append(b.buf, v.row...)
	}
	b.rows++
}

// shared returns how many bytes two keys begin with alike.
func shared(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for i+8 <= n && binary.LittleEndian.Uint64(a[i:]) == binary.LittleEndian.Uint64(b[i:]) {
		i += 8
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// maxLen returns the largest possible size of the encoded block, in bytes.
func (b *builder) maxLen() int { return s2.MaxEncodedLen(len(b.buf)) }

// encode encodes the block into dst, which has room for maxLen bytes, and empties the
// builder.
func (b *builder) encode(dst []byte) []byte {
	out := s2.Encode(dst[:cap(dst)], b.buf)
	if len(out) >= len(b.buf) {
		out = append(dst[:0], b.buf...) // as long as its raw size: it is not compressed
	}
	b.buf, b.rows, b.last = b.buf[:0], 0, b.last[:0]
	return out
}

// decode appends the raw bytes of an encoded block to dst; there are raw of them.
func decode(dst, block []byte, raw uint32) ([]byte, error) {
	if len(block) == int(raw) {
		return append(dst, block...), nil
	}
	n, err := s2.DecodedLen(block)
	if err != nil || raw > maxBlock || n != int(raw) {
		return dst, fmt.Errorf("%w: %d bytes of a block of %d", ErrCorrupt, n, raw)
	}
	if cap(dst) < n {
		dst = make([]byte, 0, n)
	}
	out, err := s2.Decode(dst[:n], block)
	if err != nil {
		return dst, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return out, nil
}

// entry reads the entry at the start of b, whose key continues the previous one, and
// returns the rest.
func entry(b, before []byte) (rest, key []byte, v value, err error) {
	shared, b, ok1 := number(b, uint64(len(before)))
	own, b, ok2 := number(b, uint64(len(b)))
	if !ok1 || !ok2 || own > uint64(len(b)) || shared+own > MaxKey {
		return nil, nil, v, fmt.Errorf("%w: a key", ErrCorrupt)
	}
	key, b = append(before[:shared], b[:own]...), b[own:]
	kind, b, ok1 := number(b, math.MaxUint32)
	v.kind, v.large = uint32(kind>>1), kind&1 == 1
	size, b, ok2 := number(b, math.MaxInt64)
	v.size = int64(size)
	switch {
	case !ok1 || !ok2:
		return nil, nil, v, fmt.Errorf("%w: a row's size", ErrCorrupt)
	case v.large:
		piece, rest, ok := number(b, math.MaxInt64)
		if !ok {
			return nil, nil, v, fmt.Errorf("%w: a row's piece", ErrCorrupt)
		}
		v.piece = int64(piece)
		return rest, key, v, nil
	case size > uint64(len(b)):
		return nil, nil, v, fmt.Errorf("%w: a row", ErrCorrupt)
	}
	v.row = b[:size:size]
	return b[size:], key, v, nil
}

// number takes a number up to most off the front of b.
func number(b []byte, most uint64) (v uint64, rest []byte, ok bool) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), b[1:], uint64(b[0]) <= most
	}
	v, n := binary.Uvarint(b)
	if n <= 0 || v > most {
		return 0, nil, false
	}
	return v, b[n:], true
}
