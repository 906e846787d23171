package mapper

import (
	"encoding/binary"
	"math/bits"
)

// walkLevels is [Mapper.walk] for a layout with levels. The two are apart so that neither costs
// the other registers.
func (m *Mapper) walkLevels(src []byte, pos, limit int, rows int64) (end, last int, done int64, err error) {
	ops, cols, fill := m.p.ops, m.cols, m.p.fillSize
	stop := pos + limit
	m.spentRow = -1
	last = pos
	for done < rows && pos < stop && pos < len(src) {
		begin := pos
		m.rep = 0
		for pc := uint32(0); pc < uint32(len(ops)); {
			o := &ops[pc]
			c := &cols[o.column]
			switch o.code {
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
			case opBoolean:
				if pos >= len(src) || src[pos] > 1 {
					goto careful
				}
				c.boolean(src[pos])
				pos++
				pc++
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
			case opLevel:
				c.level(m.rep, o.value)
				pc++
			case opMaybeLeaf:
				if pos >= len(src) {
					goto careful
				}
				switch b := src[pos]; b {
				case o.value:
					c.level(m.rep, byte(o.n))
					pc++
				case o.null:
					c.level(m.rep, byte(o.n)-1)
					pc = o.jump
				default:
					goto careful
				}
				pos++
			case opMaybe:
				if pos >= len(src) {
					goto careful
				}
				switch b := src[pos]; b {
				case o.value:
					pc++
				case o.null:
					m.absent(m.p.absences[o.n])
					pc = o.jump
				default:
					goto careful
				}
				pos++
			case opInt64, opInt32:
				if pos > len(src)-8 || c.n > len(c.buf)-8 {
					goto careful
				}
				w := binary.LittleEndian.Uint64(src[pos:])
				ends := ^w & continuation
				n := bits.TrailingZeros64(ends)>>3 + 1
				if n > 4 && (n > 8 || o.code == opInt32 || o.null != 0) {
					goto long
				}
				w &= (ends ^ (ends - 1)) &^ continuation
				w = squeeze(w)
				binary.LittleEndian.PutUint64(c.buf[c.n:], w>>1^-(w&1))
				if c.n += 8; o.code == opInt32 {
					c.n -= 4
				}
				pos += n
				pc++
			case opText:
				if pos > len(src)-32 || c.n > len(c.buf)-36 {
					goto careful
				}
				b := src[pos]
				if b&0x81 != 0 { // negative, or more than 63 bytes
					goto long
				}
				n := int(b >> 1)
				pos++
				binary.LittleEndian.PutUint32(c.buf[c.n:], uint32(n))
				if n <= 15 {
					*(*[16]byte)(c.buf[c.n+4:]) = *(*[16]byte)(src[pos:])
				} else if n > len(src)-pos || n > len(c.buf)-c.n-4 {
					pos--
					goto careful
				} else {
					copy(c.buf[c.n+4:c.n+4+n], src[pos:])
				}
				c.n += 4 + n
				pos += n
				pc++
			case opRaw:
				n := int(o.n)
				if n > 32 || pos > len(src)-32 || c.n > len(c.buf)-32 {
					goto long
				}
				*(*[32]byte)(c.buf[c.n:]) = *(*[32]byte)(src[pos:])
				c.n += n
				pos += n
				pc++
			case opIndex:
				if pos >= len(src) || c.n > len(c.buf)-4 || src[pos]&0x81 != 0 || uint32(src[pos]>>1) >= o.n {
					goto long
				}
				binary.LittleEndian.PutUint32(c.buf[c.n:], uint32(src[pos]>>1))
				c.n += 4
				pos++
				pc++
			case opList:
				if pos >= len(src) || src[pos]&0x81 != 0 { // negative, or more than 63
					goto careful
				}
				if n := int(src[pos] >> 1); n == 0 {
					m.absent(m.p.absences[o.n])
					pc = o.jump
				} else {
					m.loops[o.value] = loop{left: n, total: n, rep: m.rep}
					pc++
				}
				pos++
			case opListNext:
				l := &m.loops[o.value]
				if l.left > 1 {
					l.left--
					m.rep = byte(o.n)
					pc = o.jump
					continue
				}
				if pos >= len(src) || src[pos] != 0 {
					goto careful
				}
				m.rep = l.rep
				pos++
				pc++
			case opSwitch:
				table := m.p.tables[o.n]
				if pos >= len(src) || src[pos]&0x81 != 0 || int(src[pos]>>1) >= len(table) {
					goto careful
				}
				pc = table[src[pos]>>1].jump
				pos++
			case opAbsent:
				m.absent(m.p.absences[o.n])
				pc++
			default:
				goto careful
			}
			continue
		long:
			if n := m.longValueLevels(o, c, src, pos); n > 0 {
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
