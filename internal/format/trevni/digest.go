package trevni

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"avro2trevni/internal/colsum"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// Summer makes the digest of a column, block by block. One goroutine at a time.
//
//	blocks of a column:  | 3 v v v | -4 v v |  ...     lengths and values
//	lengths:             3 1 1 ...                     each as 4 bytes
//	values:              v v v v v ...                 their bytes
//
// Packed booleans are taken as a byte each; but those of a column with a parent, whose
// number a block does not tell, only as how many are true.
type Summer struct {
	colsum.Column
	of trevni.Column
	*scratch
}

// scratch is what summers of one goroutine share: it is empty between calls.
type scratch struct {
	lengths block.LengthReader
	buf     []byte
}

// NewSummers returns a summer for each column. They share memory: they are for one
// goroutine together.
func NewSummers(columns []trevni.Column) []*Summer {
	shared := new(scratch)
	all := make([]*Summer, len(columns))
	for i, c := range columns {
		all[i] = &Summer{of: c, scratch: shared}
	}
	return all
}

// SumMemory is the bytes that the summers of that many columns hold.
func SumMemory(columns int) int64 { return int64(columns)*256 + 16<<10 }

// Reset begins a new stretch.
func (s *Summer) Reset() { s.Column = colsum.Column{} }

// Add adds a block of that many rows, in its form before compression.
func (s *Summer) Add(block []byte, rows int64) error {
	switch {
	case s.of.Array:
		return s.array(block)
	case s.of.Type != trevni.Boolean:
		s.Values.Write(block)
	case s.of.Parent == "":
		return s.booleans(block, rows)
	default:
		for _, b := range block {
			s.True += int64(bits.OnesCount8(b))
		}
	}
	return nil
}

// array adds lengths and values.
func (s *Summer) array(block []byte) error {
	s.lengths.Reset(block, s.of.Type)
	for s.lengths.Next() {
		s.length(s.lengths.Length, int64(s.lengths.Count))
		s.Values.Write(s.lengths.Data)
	}
	s.flush()
	return s.lengths.Err()
}

// few is how many equal lengths are written one by one: more are faster combined.
const few = 1 << 10

// length adds n equal lengths.
func (s *Summer) length(length int, n int64) {
	if n > few {
		s.flush()
		var one colsum.Sum
		one.Write(binary.LittleEndian.AppendUint32(nil, uint32(length)))
		s.Lengths = s.Lengths.Then(one.Repeat(n))
		return
	}
	for range n {
		s.buf = binary.LittleEndian.AppendUint32(s.buf, uint32(length))
	}
	if len(s.buf) > 4*few {
		s.flush()
	}
}

func (s *Summer) flush() {
	s.Lengths.Write(s.buf)
	s.buf = s.buf[:0]
}

// booleans adds packed booleans, one a row.
func (s *Summer) booleans(block []byte, rows int64) error {
	if rows > 8*int64(len(block)) {
		return fmt.Errorf("%d booleans in %d bytes", rows, len(block))
	}
	for i := range rows {
		s.buf = append(s.buf, block[i>>3]>>(i&7)&1)
		if len(s.buf) == cap(s.buf) && len(s.buf) > few {
			s.Values.Write(s.buf)
			s.buf = s.buf[:0]
		}
	}
	s.Values.Write(s.buf)
	s.buf = s.buf[:0]
	return nil
}
