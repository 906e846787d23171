package mapper

import (
	"context"
	"fmt"
	"math"

	"avro2trevni/internal/tuple"
)

// block shreds the rows of the present block.
func (m *Mapper) block(ctx context.Context, blocks Blocks, rows int64) error {
	m.empty = 0
	data, last, err := blocks.Window(0)
	if err != nil {
		return err
	}
	if rows > tuple.MaxRow-m.row {
		return fault{fmt.Errorf("a split of more than %d rows", int64(tuple.MaxRow))}
	}
	if m.p.minSize == 0 {
		if err := m.hollow(ctx, rows); err != nil {
			return err
		}
		rows = 0
	}
	pos := 0
	for rows > 0 {
		if err := ctx.Err(); err != nil { // a block may be large
			return err
		}
		done, end, err := m.step(data, pos, rows, last)
		rows, pos = rows-done, end
		switch {
		case err == errShort && last:
			return tooFew(len(data)-pos, rows)
		case err == errShort:
			if data, last, err = blocks.Window(len(data) - pos); err != nil {
				return err
			}
			pos = 0
		case err != nil:
			return err
		}
	}
	return m.ended(blocks, data, pos, last)
}

// tooFew is the error of a block that ends before its last rows do.
func tooFew(bytes int, rows int64) error {
	return fault{fmt.Errorf("%d bytes are left for %d rows, and they are too few", bytes, rows)}
}

// ended checks that the present block ends where its last row does.
func (m *Mapper) ended(blocks Blocks, data []byte, pos int, last bool) (err error) {
	for !last && pos == len(data) { // the end may come as a window of nothing
		if data, last, err = blocks.Window(0); err != nil {
			return err
		}
		pos = 0
	}
	if pos == len(data) {
		return nil
	}
	left := int64(len(data) - pos)
	for !last {
		if data, last, err = blocks.Window(0); err != nil {
			return err
		}
		left += int64(len(data))
	}
	return fault{fmt.Errorf("%d bytes are left after the last row", left)}
}

// step shreds rows up to the next checkpoint, or as far as data goes, and returns
// how many and where the next begins. errShort means that data ends first.
//
// Where checkpoints and marks fall must not depend on where windows end. So a walk that
// may end inside a row, or meet a row that is to have a mark before it, can be undone.
func (m *Mapper) step(data []byte, pos int, rows int64, last bool) (done int64, end int, err error) {
	giant := m.giant()
	undoable := !last || m.mayReach(giant, len(data))
	if undoable {
		m.save()
	}
	end, begin, done, err := m.walk(data, pos, m.interval()-m.since, min(rows, m.untilMark()))
	switch {
	case err == errShort && undoable:
		m.restore()
		return m.rewalk(data, pos, done, errShort)
	case err != nil:
		m.row += done
		return done, end, blame(err)
	case done == 0: // data was at its end
		return 0, pos, errShort
	case undoable && end-begin+m.constants(done-1) >= giant && m.row+done-1 > m.marked:
		m.restore()
		return m.markBeforeGiant(data, pos, done-1)
	}
	return done, end, m.advance(done, end-pos)
}

// mayReach reports whether a row in n bytes may be of size bytes or more, with those of
// constants.
func (m *Mapper) mayReach(size, n int) bool {
	return n+m.p.fillSize >= size || m.o.MarkBytes > 0 && len(m.p.consts) > 0
}

// spend counts what a row of a walk got that is not in its bytes, and returns it.
func (m *Mapper) spend(row int64) int {
	n := m.made
	m.made = 0
	if m.spentRow != row {
		m.spentRow, m.rowSpent = row, 0
	}
	m.rowSpent += n
	m.spent += n
	return n
}

// constants returns the bytes that the last row of a walk got that are not its own.
func (m *Mapper) constants(row int64) int {
	if m.spentRow != row {
		return m.p.fillSize
	}
	return m.p.fillSize + m.rowSpent
}

// giant is the size from which a row must be alone between two marks, in bytes. It is at
// least an interval, so that such a row is always the last one of a walk.
func (m *Mapper) giant() int {
	if m.o.MarkBytes == 0 {
		return math.MaxInt
	}
	return max(m.o.MarkBytes, m.interval())
}

// rewalk walks again the rows that were whole, after the columns were restored.
func (m *Mapper) rewalk(data []byte, pos int, rows int64, why error) (done int64, end int, err error) {
	if rows == 0 {
		return 0, pos, why
	}
	end, _, done, err = m.walk(data, pos, math.MaxInt/2, rows)
	if err != nil {
		return done, end, blame(err)
	}
	if err := m.advance(done, end-pos); err != nil {
		return done, end, err
	}
	return done, end, why
}

// markBeforeGiant walks again the rows before a giant one, after the columns were restored,
// and sets a mark there.
func (m *Mapper) markBeforeGiant(data []byte, pos int, rows int64) (done int64, end int, err error) {
	done, end, err = m.rewalk(data, pos, rows, nil)
	if err != nil {
		return done, end, err
	}
	m.unmarked = m.o.MarkBytes
	return done, end, m.checkpoint()
}

// advance counts rows walked, and sees to the checkpoint when it is due.
func (m *Mapper) advance(rows int64, n int) error {
	m.row += rows
	if len(m.p.fills) > 0 {
		m.fill(rows)
	}
	n += m.spent + int(rows)*m.p.fillSize
	m.spent = 0
	m.since += n
	m.unmarked += n
	if m.since < m.interval() && m.untilMark() > 0 {
		return nil
	}
	return m.checkpoint()
}

// untilMark is how many rows may come before the next mark.
func (m *Mapper) untilMark() int64 {
	if m.o.MarkRows == 0 {
		return math.MaxInt64
	}
	return m.marked + m.o.MarkRows - m.row
}

// hollow shreds rows that take no bytes: they are only counted, except for values that are
// not empty in Trevni.
func (m *Mapper) hollow(ctx context.Context, rows int64) error {
	some := len(m.p.ops)+len(m.p.fills) > 0
	for rows > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(rows, maxRun/2, m.untilMark())
		if some {
			n = min(n, int64(max(1, m.interval()/max(1, m.p.fillSize))))
			if err := m.nothing(int(n) * m.p.uncounted()); err != nil {
				return fault{err}
			}
		}
		if len(m.p.ops) > 0 {
			// A byte that no instruction takes keeps the walk going.
			_, _, done, err := m.walk(oneByte, 0, m.interval(), n)
			if err != nil {
				m.row += done
				return blame(err)
			}
			n = done
		}
		rows -= n
		if err := m.advance(n, m.interval()); err != nil {
			return err
		}
	}
	return nil
}

var oneByte = make([]byte, 1)

// save keeps the columns' state, to take back what comes next.
func (m *Mapper) save() {
	m.savedEmpty = m.empty
	for i := range m.saved {
		m.saved[i] = m.cols[i].save()
	}
}

func (m *Mapper) restore() {
	m.empty, m.spent = m.savedEmpty, 0
	for i := range m.saved {
		m.cols[i].restore(m.saved[i])
	}
}

// checkpoint cuts the runs that are long enough, and sets a mark if one is due.
func (m *Mapper) checkpoint() error {
	m.since = 0
	held, room := 0, 0
	due := m.o.MarkBytes > 0 && m.unmarked >= m.o.MarkBytes || m.untilMark() <= 0
	for i := range m.p.columns {
		c := &m.cols[i]
		if due && m.o.CutAtMarks || c.held() >= m.o.BlockSize || m.row-c.row >= maxRun/2 || c.counted && m.valuesOf(i)-c.first >= maxRun/2 {
			if err := m.emit(i); err != nil {
				return err
			}
		}
		held += c.held()
		room += len(c.buf)
		if c.counted {
			room += len(c.def) + len(c.rep)
		}
	}
	if held >= m.o.BufferBytes {
		for i := range m.p.columns {
			if err := m.emit(i); err != nil {
				return err
			}
		}
		due = due || m.o.CutAtMarks
	}
	if room > 2*m.o.BufferBytes {
		m.trim()
	}
	m.giveBack()
	if due && m.row > m.marked {
		m.mark()
	}
	return nil
}

// trim frees the unused capacity of the buffers.
func (m *Mapper) trim() {
	for i := range m.cols {
		c := &m.cols[i]
		if len(c.buf) > 2*c.n+minBuffer {
			c.buf = append(make([]byte, 0, c.n+slack), c.buf[:c.n+slack]...)
		}
		if len(c.def) > 2*c.entries+minBuffer {
			c.sizeLevels(c.entries)
		}
	}
}
