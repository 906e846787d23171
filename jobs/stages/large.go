package stages

import (
	"errors"
	"fmt"

	"avro2trevni/internal/ocf"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/memory"
	"avro2trevni/reducer"
	"avro2trevni/shuffle"
)

// Large is what the largest block, or row, takes of those that did not fit the memory
// as it was divided, and the largest layout of a file. The zero value is that of none.
//
// Nobody knows how large blocks are before they are read, and most are small. So a job
// begins with little room for large ones; where that does not do, it divides its memory
// anew, among fewer workers if need be, and begins again.
type Large struct {
	Read  int64 // bytes that its reader needs, past its base
	row   int64 // the most bytes of a row of it, if it was that which did not fit
	value int64 // bytes of its column's run, encoded, if it was that

	layout int64 // bytes of a file's layout: blocks that compress well are many in a file
}

// LargeRow is returned for a row that is sorted and does not fit its share of the memory.
type LargeRow struct{ Bytes int64 }

// Error says how large the row is.
func (e *LargeRow) Error() string {
	return fmt.Sprintf("jobs: a row of %d bytes, to be sorted, does not fit the memory as it is divided", e.Bytes)
}

// With returns what is needed where a conversion failed so, l itself if that was not for a
// large block or row; and what needs it.
func (l Large) With(failed error) (Large, string) {
	block, row, wide, value, layout := (*ocf.MemoryError)(nil), (*LargeRow)(nil), (*memory.TooWide)(nil), (*shuffle.ValueError)(nil), (*reducer.LayoutError)(nil)
	what := "a block"
	switch {
	case errors.As(failed, &block):
		if e := (*ocf.Error)(nil); errors.As(failed, &e) {
			what = fmt.Sprintf("the block at %d of %s", e.Block, e.Path)
		}
		read := block.Need
		if full := (*memory.Full)(nil); errors.As(failed, &full) {
			read += full.Rows // which the reader knows nothing of
		}
		l.Read, l.row = max(l.Read, read), max(l.row, block.Row)
		return l, what
	case errors.As(failed, &row):
		l.Read, l.row = max(l.Read, row.Bytes), max(l.row, row.Bytes)
		return l, "a row of " + units.Size(row.Bytes)
	case errors.As(failed, &wide):
		l.Read, l.row = max(l.Read, wide.Need), max(l.row, wide.Bytes)
		return l, "a row that has " + units.Size(wide.Bytes) + " in the wanted schema"
	case errors.As(failed, &value):
		l.value = max(l.value, value.Need)
		return l, "a value of " + units.Size(value.Need)
	case errors.As(failed, &layout):
		l.layout = max(l.layout, layout.Need)
		return l, "a file whose layout takes " + units.Size(layout.Need)
	}
	return l, ""
}

// Half returns half as much again, room to spare.
func (l Large) Half() Large {
	return Large{l.Read + l.Read/2, l.row + l.row/2, l.value + l.value/2, l.layout + l.layout/2}
}

// add adds what the stages hold while they have the block, or the row, in hand: its
// reader; its column's run in the shuffle, encoded; and what writes it to a file; if decoded,
// also what indexes or verifies it.
func (l Large) add(n *memory.Needs, decoded bool) {
	n.Read = l.Read
	n.Group = max(n.Group, l.layout)
	if l.row == 0 && l.value == 0 {
		return
	}
	encoded := max(l.row+l.row/6+64*units.KiB, l.value)
	n.Reducer += encoded
	if decoded {
		n.Reducer += max(l.row, l.value)
	}
	n.Add(memory.Needs{Shuffle: func(workers int) int64 { return shuffle.MemoryFor(workers, encoded) }})
}
