package memory

import (
	"context"
	"fmt"
	"runtime"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/units"
)

// ReadPool is the memory that readers of Avro files take for large blocks, in addition to
// what each reader always holds. Every reader has a share of its own, which it gets at
// once. A reader that needs more waits for the one large room, and keeps it until it has
// released all that it took. While it has the room it never waits, so readers cannot
// deadlock.
//
//	reader 1: [share]
//	reader 2: [share][large room]
//	reader 3: [share] ... waits for the room
type ReadPool struct {
	share, large int64
	room         chan struct{} // holds a value while the room is taken
}

// NewReadPool returns a pool in which each reader has share bytes, and one reader at a time
// has large more.
func NewReadPool(share, large int64) *ReadPool {
	return &ReadPool{share: share, large: large, room: make(chan struct{}, 1)}
}

// Most returns the largest number of bytes that one reader may have.
func (p *ReadPool) Most() int64 { return p.share + p.large }

// Reader returns the memory of one reader, an ocf.Memory for one goroutine at a time. Its
// Acquire stops waiting when the context ends.
func (p *ReadPool) Reader(ctx context.Context) *ReadMemory {
	return &ReadMemory{ctx: ctx, p: p}
}

// ReadMemory is one reader's account with a ReadPool.
type ReadMemory struct {
	ctx   context.Context
	p     *ReadPool
	held  int64
	rows  int64 // of those, for data made from rows
	large bool  // has the room
}

// Acquire implements ocf.Memory.
func (m *ReadMemory) Acquire(n int64) error {
	if left := m.p.Most() - m.held; n < 0 || n > left {
		return &Full{n, left, m.rows}
	}
	if m.held+n > m.p.share && !m.large {
		select {
		case m.p.room <- struct{}{}:
			m.large = true
		case <-m.ctx.Done():
			return exit.Cause(m.ctx, m.ctx.Err())
		}
	}
	if n >= m.p.large/8 {
		runtime.GC() // free the garbage of the previous large block before this one is allocated
	}
	m.held += n
	return nil
}

// RowMemory is a reader's account for the mapper of its rows.
type RowMemory struct{ *ReadMemory }

// Acquire implements ocf.Memory.
func (m RowMemory) Acquire(n int64) error {
	if n > m.p.Most()-m.held {
		return &TooWide{n, m.held + n}
	}
	if err := m.ReadMemory.Acquire(n); err != nil {
		return err
	}
	m.rows += n
	return nil
}

// Release implements ocf.Memory.
func (m RowMemory) Release(n int64) {
	m.rows -= n
	m.ReadMemory.Release(n)
}

// Release implements ocf.Memory.
func (m *ReadMemory) Release(n int64) {
	m.held -= n
	if m.large && m.held <= 0 {
		m.large = false
		<-m.p.room
	}
}

// Close releases everything that is held, so that a worker that failed does not block
// others from the room.
func (m *ReadMemory) Close() { m.Release(m.held) }

// TooWide is returned for a row that is too large for its share of the memory after it is
// resolved to the wanted schema.
type TooWide struct{ Bytes, Need int64 } // of a column's part of the row; of its reader including that

func (e *TooWide) Error() string {
	return fmt.Sprintf("a column's part of a row has %d bytes in the wanted schema: it does not fit the memory as it is divided", e.Bytes)
}

// Full is returned to a reader that requests more than it may have.
type Full struct{ Bytes, Left, Rows int64 } // requested; still available to it; held for data made from rows

func (e *Full) Error() string {
	return fmt.Sprintf("jobs: a block or row needs %s, and %s is left of what one reader may hold", units.Size(e.Bytes), units.Size(e.Left))
}
