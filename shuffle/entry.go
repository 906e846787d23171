package shuffle

import (
	"encoding/binary"
	"hash/crc32"

	"avro2trevni/internal/tuple"
)

// Wire sizes, in bytes.
const (
	entrySize  = 56
	blockSize  = 4096 // an index block, and a page of the cache
	perBlock   = 73   // entries of an index block
	blockCRC   = blockSize - 4
	blockNum   = blockSize - 8
	fenceSize  = 12
	footerSize = 72
)

// magic ends a run file.
const magic = "a2tRUN\x00\x01"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// entry is a tuple without its value and note, and where they are: offsets into a
// chunk, or a run file. The checksums are zero in a chunk.
type entry struct {
	col     uint32
	row     tuple.Row
	rows    uint32
	values  uint32
	raw     uint32
	size    uint32
	off     uint64 // of the value
	noteOff uint64 // of the note
	note    uint32 // bytes of the note
	sum     uint32 // CRC-32C of the value
	noteSum uint32 // CRC-32C of the note
}

// end is the row after the last.
func (e *entry) end() tuple.Row { return e.row + tuple.Row(e.rows) }

// encode writes e to b, which has entrySize bytes.
func (e *entry) encode(b []byte) {
	_ = b[entrySize-1]
	le := binary.LittleEndian
	le.PutUint32(b, e.col)
	le.PutUint64(b[4:], uint64(e.row))
	le.PutUint32(b[12:], e.rows)
	le.PutUint32(b[16:], e.values)
	le.PutUint32(b[20:], e.raw)
	le.PutUint32(b[24:], e.size)
	le.PutUint64(b[28:], e.off)
	le.PutUint64(b[36:], e.noteOff)
	le.PutUint32(b[44:], e.note)
	le.PutUint32(b[48:], e.sum)
	le.PutUint32(b[52:], e.noteSum)
}

// decode reads e from b, which has entrySize bytes.
func (e *entry) decode(b []byte) {
	_ = b[entrySize-1]
	le := binary.LittleEndian
	e.col = le.Uint32(b)
	e.row = tuple.Row(le.Uint64(b[4:]))
	e.rows = le.Uint32(b[12:])
	e.values = le.Uint32(b[16:])
	e.raw = le.Uint32(b[20:])
	e.size = le.Uint32(b[24:])
	e.off = le.Uint64(b[28:])
	e.noteOff = le.Uint64(b[36:])
	e.note = le.Uint32(b[44:])
	e.sum = le.Uint32(b[48:])
	e.noteSum = le.Uint32(b[52:])
}

// entries is a sequence of encoded entries that sorts by column, then row, then by
// place in the chunk, which is the order of arrival.
type entries []byte

func (s entries) at(i int) []byte { return s[i*entrySize : (i+1)*entrySize] }

func (s entries) key(i int) (uint32, tuple.Row) {
	b := s.at(i)
	return binary.LittleEndian.Uint32(b), tuple.Row(binary.LittleEndian.Uint64(b[4:]))
}

// Len is for sort.Interface.
func (s entries) Len() int { return len(s) / entrySize }

// Less is for sort.Interface.
func (s entries) Less(i, j int) bool {
	c1, r1 := s.key(i)
	c2, r2 := s.key(j)
	if c1 == c2 && r1 == r2 {
		le := binary.LittleEndian
		return le.Uint64(s.at(i)[28:]) < le.Uint64(s.at(j)[28:])
	}
	return tuple.Less(c1, r1, c2, r2)
}

// Swap is for sort.Interface.
func (s entries) Swap(i, j int) {
	a, b := (*[entrySize]byte)(s.at(i)), (*[entrySize]byte)(s.at(j))
	*a, *b = *b, *a
}

// span is the smallest range of columns and rows that holds some entries.
type span struct {
	minCol, maxCol uint32
	minRow, end    tuple.Row
}

// add extends the range; first is set if it is still empty.
func (p *span) add(e *entry, first bool) {
	if first {
		*p = span{minCol: e.col, maxCol: e.col, minRow: e.row, end: e.end()}
		return
	}
	p.minCol, p.maxCol = min(p.minCol, e.col), max(p.maxCol, e.col)
	p.minRow, p.end = min(p.minRow, e.row), max(p.end, e.end())
}

// meets reports whether the range may hold tuples of the column and rows.
func (p *span) meets(col uint32, from, to tuple.Row) bool {
	return p.minCol <= col && col <= p.maxCol && p.minRow < to && from < p.end
}
