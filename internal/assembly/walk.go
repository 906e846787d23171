package assembly

import (
	"encoding/binary"
	"math/bits"
)

// room is what the buffer has left before an instruction takes the quick way: more than any of
// them writes there.
const room = 72

// walk appends up to rows rows, until the buffer is used up to stop, and returns how many. Where
// a row makes no sense, those before it are done, and what was appended of it is taken back.
//
// This is the inner loop: one turn a value. What is not the common case is careful's: the end of
// a batch, a long value, a wrong one.
func (r *Reader) walk(rows, stop int) (done int, err error) {
	ops, cursors := r.p.ops, r.cursors
	out, n := r.out, r.n
	for done < rows && n < stop {
		r.start, r.done = n, done
		r.rep = 0
		if cursors[0].empty() {
			if err := r.begin(); err != nil {
				r.n = n
				return done, err
			}
		}
		for pc := uint32(0); pc < uint32(len(ops)); {
			o := &ops[pc]
			c := &cursors[o.column]
			if n > len(out)-room {
				goto careful
			}
			switch o.code {
			case opLevel:
				if c.pos >= c.n || c.def[c.pos] != o.def || c.repeats && c.rep[c.pos] != r.rep {
					goto careful
				}
				c.pos++
			case opMaybeLeaf:
				if c.pos >= c.n || c.repeats && c.rep[c.pos] != r.rep {
					goto careful
				}
				d := c.def[c.pos]
				if d == o.def {
					out[n] = o.value
				} else if d == o.def-1 {
					out[n] = o.null
					c.pos++
					n++
					pc = o.jump
					continue
				} else {
					goto careful
				}
				c.pos++
				n++
			case opInt:
				if c.at > c.end-4 {
					goto careful
				}
				v := int32(binary.LittleEndian.Uint32(c.data[c.at:]))
				c.at += 4
				n += putVarint(out[n:n+8], uint64(uint32(v<<1)^uint32(v>>31)))
			case opLong:
				if c.at > c.end-8 {
					goto careful
				}
				v := int64(binary.LittleEndian.Uint64(c.data[c.at:]))
				u := uint64(v<<1) ^ uint64(v>>63)
				if u >= 1<<56 {
					goto careful
				}
				c.at += 8
				n += putVarint(out[n:n+8], u)
			case opEight:
				if c.at > c.end-8 {
					goto careful
				}
				*(*[8]byte)(out[n:]) = *(*[8]byte)(c.data[c.at:])
				n += 8
				c.at += 8
			case opFour:
				if c.at > c.end-4 {
					goto careful
				}
				*(*[4]byte)(out[n:]) = *(*[4]byte)(c.data[c.at:])
				n += 4
				c.at += 4
			case opText:
				if c.at >= c.end {
					goto careful
				}
				from, to := uint(c.offsets[c.at]), uint(c.offsets[c.at+1])
				k := to - from
				if k > 63 || to > uint(len(c.data)) { // or below 0
					goto careful
				}
				c.at++
				out[n] = byte(2 * k)
				n++
				if from+32 > uint(len(c.data)) {
					copy(out[n:], c.data[from:to])
				} else if k <= 32 {
					*(*[32]byte)(out[n:]) = *(*[32]byte)(c.data[from:])
				} else {
					copy(out[n:], c.data[from:to])
				}
				n += int(k)
			case opBoolean:
				if c.at >= c.end || c.data[c.at] > 1 {
					goto careful
				}
				out[n] = c.data[c.at]
				n++
				c.at++
			case opRaw:
				k := int(o.n)
				if k > 64 || c.at > c.end-k {
					goto careful
				}
				n += copy(out[n:n+k], c.data[c.at:])
				c.at += k
			case opMaybe:
				if c.pos >= c.n || c.def[c.pos] <= o.def {
					goto careful
				}
				out[n] = o.value
				n++
			case opList:
				if c.pos >= c.n || c.def[c.pos] <= o.def {
					goto careful
				}
				r.loops[o.slot] = loop{at: n, count: 1, rep: r.rep}
				n++
			case opNext:
				if c.pos >= c.n {
					goto careful
				}
				l := &r.loops[o.n]
				if c.rep[c.pos] == o.rep {
					l.count++
					r.rep = o.rep
					pc = o.jump
					continue
				}
				if l.count > 63 {
					goto careful
				}
				out[l.at] = byte(2 * l.count)
				out[n] = 0
				n++
				r.rep = l.rep
			case opEnd:
				if c.pos >= c.n || c.rep[c.pos] != 0 {
					goto careful
				}
			case opJump:
				pc = o.jump
				continue
			default:
				goto careful
			}
			pc++
			continue
		careful:
			r.out, r.n = out, n
			pc, err = r.careful(pc)
			out, n = r.out, r.n
			if err != nil {
				r.n = r.start
				return done, r.fault(c, err)
			}
		}
		if n-r.start > r.rowMax {
			r.n = r.start
			return done, r.fault(&cursors[0], r.errLarge())
		}
		done++
	}
	r.n = n
	return done, nil
}

// putVarint writes u, below 2^56, to the 8 bytes of b, and returns how many of them it takes.
func putVarint(b []byte, u uint64) int {
	if u < 0x80 {
		b[0] = byte(u)
		return 1
	}
	k := (bits.Len64(u) + 6) / 7
	u = u&0x000000000fffffff | u&0x00fffffff0000000<<4
	u = u&0x00003fff00003fff | u&0x0fffc0000fffc000<<2
	u = u&0x007f007f007f007f | u&0x3f803f803f803f80<<1
	binary.LittleEndian.PutUint64(b, u|0x8080808080808080&(1<<(8*(k-1))-1))
	return k
}
