package mapper

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"

	"avro2trevni/trevni/block"
)

// loop is the state of one array or map that the walk is inside of.
type loop struct {
	left  int  // elements of the present Avro block still to come, this one included
	total int  // elements so far, as recorded in the array's length
	start int  // where in the column's buffer the array's values begin; of a layout with lengths
	rep   byte // the repetition level outside of it; of a layout with levels
}

// continuation has the bit of each byte that says a varint goes on.
const continuation = 0x8080808080808080

// errShort says that the bytes end inside a row.
var errShort = errors.New("mapper: row runs past the end")

// walk shreds whole rows from src[pos:]: at most rows of them, and none that begins limit
// bytes or more after pos, where bytes of fills and constants count too. It returns where the
// last row ends, where that row began, and how many there were. The package's page has a
// picture of what ends a walk.
//
// Where a row is cut off (errShort) or makes no sense, those before it are done and
// counted, and the columns hold part of it: the caller takes that back or gives up.
// Rows must take bytes: those that take none are [Mapper.hollow]'s.
//
// This is the job's inner loop: one turn a value, no allocation but for a buffer's
// growth. Values are copied in words that may be longer than the value; where src or
// the buffer has no room for that the careful way in careful.go is taken.
func (m *Mapper) walk(src []byte, pos, limit int, rows int64) (end, last int, done int64, err error) {
	if m.p.levels {
		return m.walkLevels(src, pos, limit, rows)
	}
	ops, cols, fill := m.p.ops, m.cols, m.p.fillSize
	stop := pos + limit
	m.spentRow = -1
	last = pos
	for done < rows && pos < stop && pos < len(src) {
		begin := pos
		for pc := uint32(0); pc < uint32(len(ops)); {
			o := &ops[pc]
			c := &cols[o.column]
			switch o.code {
			case opLong, opInt:
				if pos > len(src)-8 || c.n > len(c.buf)-8 {
					goto careful
				}
				w := binary.LittleEndian.Uint64(src[pos:])
				n := bits.TrailingZeros64(^w&continuation)>>3 + 1
				if o.code != opLong && n > 4 || n > 8 {
					goto long
				}
				binary.LittleEndian.PutUint64(c.buf[c.n:], w)
				c.n += n
				pos += n
				pc++
			case opEnum:
				if pos >= len(src) || c.n >= len(c.buf) {
					goto careful
				}
				b := src[pos]
				if b&0x81 != 0 || uint32(b>>1) >= o.n { // negative, or more than 63, or no symbol
					goto long
				}
				c.buf[c.n] = b
				c.n++
				pos++
				pc++
			case opEight:
				if pos > len(src)-8 || c.n > len(c.buf)-8 {
					goto careful
				}
				*(*[8]byte)(c.buf[c.n:]) = *(*[8]byte)(src[pos:])
				c.n += 8
				pos += 8
				pc++
			case opFour:
				if pos > len(src)-4 || c.n > len(c.buf)-4 {
					goto careful
				}
				*(*[4]byte)(c.buf[c.n:]) = *(*[4]byte)(src[pos:])
				c.n += 4
				pos += 4
				pc++
			case opString:
				if pos > len(src)-32 || c.n > len(c.buf)-32 {
					goto careful
				}
				b := src[pos]
				if b&0x81 != 0 { // negative, or more than 63 bytes
					goto long
				}
				n := int(b>>1) + 1
				if n <= 16 {
					*(*[16]byte)(c.buf[c.n:]) = *(*[16]byte)(src[pos:])
				} else if n <= 32 {
					*(*[32]byte)(c.buf[c.n:]) = *(*[32]byte)(src[pos:])
				} else if n > len(src)-pos || n > len(c.buf)-c.n {
					goto careful
				} else {
					copy(c.buf[c.n:c.n+n], src[pos:])
				}
				c.n += n
				pos += n
				pc++
			case opFixed:
				n := int(o.n)
				if n > 31 || pos > len(src)-32 || c.n > len(c.buf)-33 {
					goto long
				}
				c.buf[c.n] = o.value
				*(*[32]byte)(c.buf[c.n+1:]) = *(*[32]byte)(src[pos:])
				c.n += n + 1
				pos += n
				pc++
			case opBoolean:
				if pos >= len(src) || src[pos] > 1 {
					goto careful
				}
				c.boolean(src[pos])
				pos++
				pc++
			case opOption:
				if pos >= len(src) {
					goto careful
				}
				switch b := src[pos]; b {
				case o.value:
					c.values++
					c.bits = 0
					if !c.lengths.Repeat(1) {
						c.add(1)
					}
					pc++
				case o.null:
					if !c.lengths.Repeat(0) {
						c.add(0)
					}
					pc = o.jump
				default:
					goto careful
				}
				pos++
			case opArray:
				if pos >= len(src) || src[pos]&0x81 != 0 { // negative, or more than 63
					goto careful
				}
				n := int(src[pos] >> 1)
				c.values += int64(n)
				c.bits = 0
				if !c.lengths.Repeat(n) {
					c.add(n)
				}
				pos++
				pc++
				if n == 0 {
					pc = o.jump
				} else {
					m.loops[o.n] = loop{left: n, total: n, start: c.n}
				}
			case opNext:
				l := &m.loops[o.n]
				if l.left > 1 {
					l.left--
					pc = o.jump
					continue
				}
				if pos >= len(src) || src[pos] != 0 {
					goto careful
				}
				pos++
				pc++
			case opUnion:
				table := m.p.tables[o.n]
				if pos >= len(src) || src[pos]&0x81 != 0 || int(src[pos]>>1) >= len(table) {
					goto careful
				}
				chosen := int(src[pos] >> 1)
				for i := range table {
					if b := &table[i]; b.column >= 0 {
						present := 0
						if i == chosen {
							present = 1
						}
						m.cols[b.column].length(present)
					}
				}
				pos++
				pc = table[chosen].jump
			case opJump:
				pc = o.jump
			case opSkip:
				if pos, err = m.p.skip(int(o.n), src, pos, 0); err != nil {
					return begin, last, done, m.skipped(err)
				}
				pc++
			case opToDouble, opToFloat, opDouble:
				if pos, err = m.promote(o, c, src, pos); err != nil {
					return begin, last, done, m.wrong(o, err)
				}
				pc++
			case opPresent:
				c.values++
				c.bits = 0
				if !c.lengths.Repeat(1) {
					c.add(1)
				}
				pc++
			default:
				goto careful
			}
			continue
		long:
			if n := m.longValue(o, c, src, pos); n > 0 {
				pos += n
				pc++
				continue
			}
		careful:
			pos, pc, err = m.careful(src, pos, pc)
			if err != nil {
				return begin, last, done, err
			}
			if m.made > 0 {
				stop -= m.spend(done)
			}
		}
		done++
		stop -= fill
		last = begin
	}
	return pos, last, done, nil
}

// varint reads a zigzag varint at src[pos:] and returns its value and length in
// bytes; errShort if src ends in it, an error if it is longer than 64 bits.
func varint(src []byte, pos int) (v int64, n int, err error) {
	v, n = block.ReadLong(src[pos:])
	switch {
	case n == 0:
		return 0, 0, errShort
	case n < 0:
		return 0, 0, errVarint
	}
	return v, n, nil
}

// Errors of values that no writer writes.
var (
	errVarint  = errors.New("number of more than 64 bits")
	errInt     = errors.New("number of more than 32 bits in an int")
	errBoolean = errors.New("boolean that is neither 0 nor 1")
)

// maxLength is the most elements of an array and bytes of a string: Trevni's lengths
// and sizes are 32-bit.
const maxLength = math.MaxInt32
