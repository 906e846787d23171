package memory

import (
	"context"
	"fmt"
	"runtime"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/units"
)

// ReadPool is the memory that readers of Avro files take for large blocks, past
// what each holds anyway. Every reader has a share of its own, granted at once. A
// reader that needs more waits for the one large room and keeps it until it has
// given back all that it took; since it waits for nobody while it has it, readers
// never wait for each other in a circle.
//
//	reader 1: [share]
//	reader 2: [share][large room]
//	reader 3: [share] ... waits for the room
type ReadPool struct {
	share, large int64
	room         chan struct{} // holds a value while the room is taken
}

// NewReadPool returns a pool for readers with that many bytes of their own and that
// many to be had by one.
func NewReadPool(share, large int64) *ReadPool {
	return &ReadPool{share: share, large: large, room: make(chan struct{}, 1)}
}

// Most is the most bytes that one reader may have.
func (p *ReadPool) Most() int64 { return p.share + p.large }

// Reader returns the memory of one reader, an ocf.Memory for one goroutine at a
// time. Its Acquire gives up waiting when the context ends.
func (p *ReadPool) Reader(ctx context.Context) *ReadMemory {
	return &ReadMemory{ctx: ctx, p: p}
}

// ReadMemory is one reader's account with a ReadPool.
type ReadMemory struct {
	ctx   context.Context
	p     *ReadPool
	held  int64
	rows  int64 // of those, for what is made of rows
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
		runtime.GC() // what the large block before left would stay until this one is there
	}
	m.held += n
	return nil
}

// RowMemory is a reader's account as what maps its rows uses it.
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

// Close gives back all that is held, so that a worker that failed keeps nobody from the room.
func (m *ReadMemory) Close() { m.Release(m.held) }

// TooWide is returned for a row that becomes too large for the memory as it is divided when
// it is resolved to the schema wanted.
type TooWide struct{ Bytes, Need int64 } // of a column's part of it, and of its reader with that

func (e *TooWide) Error() string {
	return fmt.Sprintf("a column's part of a row has %d bytes in the wanted schema: it does not fit the memory as it is divided", e.Bytes)
}

// Full is returned to a reader that asks for more than it may have.
type Full struct{ Bytes, Left, Rows int64 } // asked for; what it may still have; held for what is made of rows

func (e *Full) Error() string {
	return fmt.Sprintf("jobs: a block or row needs %s, and %s is left of what one reader may hold", units.Size(e.Bytes), units.Size(e.Left))
}
