package mapper

import (
	"fmt"
	"math"

	"avro2trevni/internal/colsum"
	"avro2trevni/internal/tuple"
	"avro2trevni/trevni/block"
)

// Run is a run of a column that is open: rows that the mapper has not sent. It belongs to
// the mapper, and is valid during a call.
type Run struct {
	Rows   int64 // at least 1
	Values int64 // those of an array column, or of its children, are counted by its lengths
	// Bytes are the values. In an array column, Lengths interleaves them with the lengths; the
	// last length may be open at a mark, but not when the run is sealed.
	Bytes   []byte
	Lengths block.Lengths
	// Def and Rep are the levels of the run's entries, a byte each: nil where the column's
	// highest is 0. Values counts entries then.
	Def, Rep []byte
}

// Encoder makes the parts of a file from the runs of one mapper. A format implements it. It
// is called where runs end, never for a single value, and by one goroutine at a time.
//
//	Begin  Mark Mark Seal Seal Mark ... Seal  End   Begin ...
type Encoder interface {
	// Begin begins a split. The previous one may have ended at any point.
	Begin()
	// Mark reports that a file may begin at the next row, inside a run. It returns
	// approximately how many of the run's bytes lie before that row; only estimates depend on
	// it.
	Mark(column int, r *Run) (raw int)
	// MaxLen returns the largest number of bytes that Seal appends for a run.
	MaxLen(column int, r *Run) int
	// Seal ends a column's run, and completes the tuple that is sent: it appends to the
	// Value, which is empty and has room for MaxLen bytes, and sets the Note. Column, Values
	// and Raw it may change. What the note points to is valid until the column's next call.
	Seal(column int, r *Run, t *tuple.Tuple) error
	// End ends a split. It sends the tuples that are known only now; the encoder sets their
	// Column, Values, Raw, Value and Note, and they cover all rows of the split. It returns
	// digests of the split's columns, if there are any; they belong to the caller.
	End(send func(tuple.Tuple) error) ([]colsum.Column, error)
}

// emit cuts column i's run before the next row, and sends it.
func (m *Mapper) emit(i int) error {
	c := &m.cols[i]
	if m.row == c.row {
		return nil
	}
	values := m.valuesOf(i)
	if raw := c.close(); len(raw) > math.MaxInt32 {
		return fault{fmt.Errorf("column %q: one row has more than a block can hold", m.p.columns[i].Name)}
	}
	if m.enc != nil {
		if err := m.seal(i, values); err != nil {
			return err
		}
	}
	c.next(m.row, values, len(m.result.Marks))
	return nil
}

// seal sends column i's run, which is closed; values is the column's so far.
func (m *Mapper) seal(i int, values int64) error {
	c := &m.cols[i]
	m.look(i, values)
	buf, err := m.sink.Buffer(m.enc.MaxLen(i, &m.open))
	if err != nil {
		return err
	}
	t := tuple.Tuple{
		Column: uint32(i), Row: tuple.RowOf(m.split, c.row), Rows: uint32(m.open.Rows),
		// Only of nulls can there be more than 32 bits count, and there it does not matter.
		Values: uint32(min(m.open.Values, math.MaxUint32)),
		Raw:    uint32(c.n), Value: buf,
	}
	if err := m.enc.Seal(i, &m.open, &t); err != nil {
		return err
	}
	t.Size = uint32(len(t.Value))
	m.weigh(c, len(t.Value))
	c.sent += m.count(&t)
	return m.sink.Add(t)
}

// look makes column i's run the one that the encoder is asked about; values is the column's so
// far.
func (m *Mapper) look(i int, values int64) {
	c, of := &m.cols[i], &m.p.columns[i]
	m.open = Run{Rows: m.row - c.row, Values: values - c.first, Bytes: c.buf[:c.n], Lengths: c.lengths}
	if of.MaxDef > 0 {
		m.open.Def = c.def[:c.entries]
	}
	if of.MaxRep > 0 {
		m.open.Rep = c.rep[:c.entries]
	}
}

// count counts a tuple that is sent, and returns the bytes that it takes in a file.
func (m *Mapper) count(t *tuple.Tuple) int64 {
	bytes := int64(t.Size) + int64(m.o.Overhead)
	m.result.Bytes += bytes
	m.result.Raw += int64(t.Raw)
	m.result.Runs++
	return bytes
}

// weigh adds to the marks inside a run what stands before each, now that the run's
// size is known.
func (m *Mapper) weigh(c *column, size int) {
	for k, at := range c.marks {
		share := int64(0)
		if c.n > 0 {
			share = int64(size) * int64(min(at, c.n)) / int64(c.n)
		}
		m.result.Marks[int(c.mark)+k].Bytes += c.sent + share
	}
}

// mark makes the next row one that a row group may begin at.
func (m *Mapper) mark() {
	n := len(m.result.Marks)
	m.result.Marks = append(m.result.Marks, Mark{Row: m.row})
	for i := range m.p.columns {
		c := &m.cols[i]
		rows := m.row - c.row
		if rows == 0 {
			c.mark = int32(n + 1)
			m.result.Marks[n].Bytes += c.sent
			continue
		}
		at := c.n
		if m.enc != nil {
			m.look(i, m.valuesOf(i))
			at = m.enc.Mark(i, &m.open)
		}
		c.marks = append(c.marks, at)
	}
	m.unmarked, m.marked = 0, m.row
}

// sendWhole sends a tuple of all the split's rows, which every part of it needs: it stands
// before each mark.
func (m *Mapper) sendWhole(t tuple.Tuple) error {
	if m.row == 0 {
		return nil // a split without rows has nothing
	}
	if m.row > math.MaxUint32 {
		return fault{fmt.Errorf("a split of more than %d rows", uint32(math.MaxUint32))}
	}
	buf, err := m.sink.Buffer(len(t.Value))
	if err != nil {
		return err
	}
	t.Row, t.Rows = tuple.RowOf(m.split, 0), uint32(m.row)
	t.Value, t.Size = append(buf, t.Value...), uint32(len(t.Value))
	n := m.count(&t)
	for i := range m.result.Marks {
		m.result.Marks[i].Bytes += n
	}
	return m.sink.Add(t)
}
