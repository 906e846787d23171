package mapper

import (
	"errors"

	"avro2trevni/internal/ocf"
)

// SetRoom sets the memory from which large buffers are granted, for data that resolution
// adds to a row beyond its own bytes, from the next row on. The row's reader accounts for
// the row's own bytes. Without a room there is no limit.
func (m *Mapper) SetRoom(room ocf.Memory) { m.room = room }

// roomError is the refusal of a mapper's room: no fault of the data.
type roomError struct{ error }

func (e *roomError) Unwrap() error { return e.error }

// blame makes an error that a walk ended with one of the data, unless it is none.
func blame(err error) error {
	if room := (*roomError)(nil); err == errShort || errors.As(err, &room) {
		return err
	}
	return fault{err}
}

// ahead returns the bytes of a value of n that an instruction makes, and of those of all
// elements of the array's block that rest, the bytes that follow, may still have.
func (m *Mapper) ahead(o *op, n, rest int) int {
	if o.jump == 0 {
		return n
	}
	return n * max(1, min(m.loops[o.jump-1].left, rest))
}

// widen makes room for n bytes of a column where resolution makes more of a row than the
// row's own bytes. It asks for a buffer that is larger than usual, and then for all of the
// bytes that are expected later.
func (m *Mapper) widen(c *column, n, later int) error {
	if c.n+n+slack <= len(c.buf) {
		return nil
	}
	if m.room == nil || !m.p.widens || c.grown(n) <= c.most {
		c.room(n)
		return nil
	}
	n = max(n, later)
	size := c.grown(n)
	if err := m.room.Acquire(int64(size)); err != nil {
		return &roomError{err}
	}
	m.granted += size
	c.resize(size)
	m.giveBack()
	return nil
}

// giveBack returns what was granted for buffers that are gone.
func (m *Mapper) giveBack() {
	if m.granted == 0 {
		return
	}
	held := 0
	for i := range m.cols {
		if c := &m.cols[i]; len(c.buf) > c.most {
			held += len(c.buf)
		}
	}
	if held < m.granted {
		m.room.Release(int64(m.granted - held))
		m.granted = held
	}
}
