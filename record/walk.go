package record

import (
	"encoding/binary"
	"math/bits"
)

// continuation has the bit of each byte that says a varint goes on.
const continuation = 0x8080808080808080

// room is what the buffer has left before an instruction takes the quick way: more
// than any of them writes there.
const room = 72

// walk appends up to rows rows, all of whose values are in the present blocks, until
// the buffer is used up to stop, and returns how many. Where a row makes no sense,
// those before it are done, and what was appended of it is taken back.
//
// This is the inner loop: one turn a value. Values are copied in words that may be
// longer than the value; what is not the common case is careful's.
func (r *Reader) walk(rows, stop int) (done int, err error) {
	ops, cursors := r.p.ops, r.cursors
	if len(ops) == 0 {
		return rows, nil
	}
	out, n := r.out, r.n
	for done < rows && n < stop {
		r.start = n
		for pc := uint32(0); pc < uint32(len(ops)); {
			o := &ops[pc]
			c := &cursors[o.column]
			if n > len(out)-room {
				goto careful
			}
			switch o.code {
			case opLong, opInt:
				w := binary.LittleEndian.Uint64(c.buf[c.pos:])
				k := bits.TrailingZeros64(^w&continuation)>>3 + 1
				if k > c.end-c.pos || k > 8 || k > 4 && o.code == opInt {
					goto careful
				}
				binary.LittleEndian.PutUint64(out[n:], w)
				n += k
				c.pos += k
			case opEnum:
				b := c.buf[c.pos]
				if c.pos >= c.end || b&0x81 != 0 || uint32(b>>1) >= o.n {
					goto careful
				}
				out[n] = b
				n++
				c.pos++
			case opEight:
				if c.end-c.pos < 8 {
					goto careful
				}
				*(*[8]byte)(out[n:]) = *(*[8]byte)(c.buf[c.pos:])
				n += 8
				c.pos += 8
			case opFour:
				if c.end-c.pos < 4 {
					goto careful
				}
				*(*[4]byte)(out[n:]) = *(*[4]byte)(c.buf[c.pos:])
				n += 4
				c.pos += 4
			case opString:
				b := c.buf[c.pos]
				k := int(b>>1) + 1
				if b&0x81 != 0 || k > c.end-c.pos { // negative, or more than 63 bytes, or cut
					goto careful
				}
				if k <= 16 {
					*(*[16]byte)(out[n:]) = *(*[16]byte)(c.buf[c.pos:])
				} else if k <= 32 {
					*(*[32]byte)(out[n:]) = *(*[32]byte)(c.buf[c.pos:])
				} else {
					copy(out[n:n+k], c.buf[c.pos:])
				}
				n += k
				c.pos += k
			case opFixed:
				k := int(o.n)
				if k > 32 || k >= c.end-c.pos || c.buf[c.pos] != o.value {
					goto careful
				}
				*(*[32]byte)(out[n:]) = *(*[32]byte)(c.buf[c.pos+1:])
				n += k
				c.pos += k + 1
			case opBoolean:
				if c.pos >= c.end {
					goto careful
				}
				out[n] = c.buf[c.pos] >> c.bit & 1
				n++
				c.bit++
				c.pos += int(c.bit >> 3)
				c.bit &= 7
			case opByte:
				if c.pos >= c.end || c.buf[c.pos] > 1 {
					goto careful
				}
				out[n] = c.buf[c.pos]
				n++
				c.pos++
			case opOption:
				one := c.one
				if c.run > 0 {
					c.run--
				} else {
					b := c.buf[c.pos]
					if c.pos >= c.end || b > 2 || b == 1 {
						goto careful
					}
					one = int(b >> 1)
					c.pos++
				}
				n++
				if one == 0 {
					out[n-1] = o.null
					pc = o.jump
					continue
				}
				out[n-1] = o.value
			case opArray:
				b := c.buf[c.pos]
				if c.run > 0 || c.pos >= c.end || b&0x81 != 0 {
					goto careful
				}
				c.pos++
				out[n] = b
				n++
				if b == 0 {
					pc = o.jump
					continue
				}
				r.loops[o.n] = int(b >> 1)
			case opNext:
				if r.loops[o.n]--; r.loops[o.n] > 0 {
					pc = o.jump
					continue
				}
				c.aligned()
				out[n] = 0
				n++
			case opJump:
				pc = o.jump
				continue
			default:
				goto careful
			}
			pc++
			continue
		careful:
			r.out, r.n, r.done = out, n, done
			pc, err = r.careful(pc)
			out, n = r.out, r.n
			if err != nil {
				r.n = r.start
				return done, r.fault(c, err)
			}
		}
		if int64(n-r.start) > r.o.RowBytes {
			r.n, r.done = r.start, done
			return done, r.fault(&cursors[ops[0].column], r.errLarge())
		}
		done++
	}
	r.n = n
	return done, nil
}
