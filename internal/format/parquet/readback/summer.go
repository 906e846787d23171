package readback

import (
	"encoding/binary"

	"avro2trevni/internal/colsum"
)

// Summer makes the digest of a column, piece by piece. One goroutine.
type Summer struct {
	colsum.Column
	buf []byte
}

// flushAt is the bytes after which what is gathered is digested.
const flushAt = 16 << 10

// Levels adds the levels of entries. Columns that are not in lists have no repetition levels,
// required ones have none at all.
func (s *Summer) Levels(def, rep []byte) {
	if len(rep) == 0 {
		s.Lengths.Write(def)
		return
	}
	b := s.buf[:0]
	for i, d := range def {
		if b = append(b, rep[i], d); len(b) >= flushAt {
			s.Lengths.Write(b)
			b = b[:0]
		}
	}
	s.Lengths.Write(b)
	s.buf = b[:0]
}

// Plain adds values in PLAIN encoding, which are not booleans.
func (s *Summer) Plain(values []byte) { s.Values.Write(values) }

// Booleans adds the first n of packed booleans.
func (s *Summer) Booleans(bits []byte, n int) {
	b := s.buf[:0]
	for i := range n {
		if b = append(b, bits[i>>3]>>(i&7)&1); len(b) >= flushAt {
			s.Values.Write(b)
			b = b[:0]
		}
	}
	s.Values.Write(b)
	s.buf = b[:0]
}

// Indexed adds values that are given as numbers of entries.
func (s *Summer) Indexed(entries *Entries, numbers []int32) {
	b := s.buf[:0]
	for _, n := range numbers {
		if b = append(b, entries.at(int(n))...); len(b) >= flushAt {
			s.Values.Write(b)
			b = b[:0]
		}
	}
	s.Values.Write(b)
	s.buf = b[:0]
	if cap(s.buf) > 4*flushAt {
		s.buf = nil // of a long value
	}
}

// Numbered is Indexed of numbers of 4 bytes, little-endian.
func (s *Summer) Numbered(entries *Entries, numbers []byte) {
	var some [256]int32
	for len(numbers) > 0 {
		n := min(len(some), len(numbers)/4)
		for i := range n {
			some[i] = int32(binary.LittleEndian.Uint32(numbers[4*i:]))
		}
		s.Indexed(entries, some[:n])
		numbers = numbers[4*n:]
	}
}

// Texts adds byte arrays that have no lengths in front: offsets has where each begins, and the
// end.
func (s *Summer) Texts(data []byte, offsets []uint32) {
	b := s.buf[:0]
	for i := 1; i < len(offsets); i++ {
		text := data[offsets[i-1]:offsets[i]]
		b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
		if len(b)+len(text) < flushAt {
			b = append(b, text...)
			continue
		}
		s.Values.Write(b)
		s.Values.Write(text)
		b = b[:0]
	}
	s.Values.Write(b)
	s.buf = b[:0]
}

// Entries are values that are known by their numbers, each in PLAIN encoding.
type Entries struct {
	data []byte
	ends []int // where each ends; nil if all have the width
	wide int
}

// Symbols returns the entries of texts.
func Symbols(texts []string) *Entries {
	e := new(Entries)
	for _, text := range texts {
		e.data = append(binary.LittleEndian.AppendUint32(e.data, uint32(len(text))), text...)
		e.ends = append(e.ends, len(e.data))
	}
	return e
}

// at returns entry n.
func (e *Entries) at(n int) []byte {
	if e.ends == nil {
		return e.data[n*e.wide : (n+1)*e.wide]
	}
	from := 0
	if n > 0 {
		from = e.ends[n-1]
	}
	return e.data[from:e.ends[n]]
}
