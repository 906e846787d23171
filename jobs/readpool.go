package jobs

import (
	"context"
	"fmt"
	"runtime"
)

// readPool is the memory that readers of Avro files take for large blocks, past
// what each holds anyway. Every reader has a share of its own, granted at once. A
// reader that needs more waits for the one large room and keeps it until it has
// given back all that it took; since it waits for nobody while it has it, readers
// never wait for each other in a circle.
//
//	reader 1: [share]
//	reader 2: [share][large room]
//	reader 3: [share] ... waits for the room
type readPool struct {
	share, large int64
	room         chan struct{} // holds a value while the room is taken
}

// newReadPool returns a pool for readers with that many bytes of their own and that
// many to be had by one.
func newReadPool(share, large int64) *readPool {
	return &readPool{share: share, large: large, room: make(chan struct{}, 1)}
}

// most is the most bytes that one reader may have.
func (p *readPool) most() int64 { return p.share + p.large }

// reader returns the memory of one reader, an ocf.Memory for one goroutine at a
// time. Its Acquire gives up waiting when the context ends.
func (p *readPool) reader(ctx context.Context) *readMemory {
	return &readMemory{ctx: ctx, p: p}
}

// readMemory is one reader's account with a readPool.
type readMemory struct {
	ctx   context.Context
	p     *readPool
	held  int64
	large bool // has the room
}

// Acquire implements ocf.Memory.
func (m *readMemory) Acquire(n int64) error {
	if left := m.p.most() - m.held; n < 0 || n > left {
		return fmt.Errorf("jobs: a block or row needs %s, and %s is left of what one reader may hold", size(n), size(left))
	}
	if m.held+n > m.p.share && !m.large {
		select {
		case m.p.room <- struct{}{}:
			m.large = true
		case <-m.ctx.Done():
			return cause(m.ctx, m.ctx.Err())
		}
	}
	if n >= m.p.large/8 {
		runtime.GC() // what the large block before left would stay until this one is there
	}
	m.held += n
	return nil
}

// rowMemory is a reader's account as what maps its rows uses it.
type rowMemory struct{ *readMemory }

// Acquire implements ocf.Memory.
func (m rowMemory) Acquire(n int64) error {
	if n > m.p.most()-m.held {
		return &errWide{n, m.held + n}
	}
	return m.readMemory.Acquire(n)
}

// Release implements ocf.Memory.
func (m *readMemory) Release(n int64) {
	m.held -= n
	if m.large && m.held <= 0 {
		m.large = false
		<-m.p.room
	}
}

// errWide is returned for a row that becomes too large for the memory as it is divided when
// it is resolved to the schema wanted.
type errWide struct{ bytes, need int64 } // of a column's part of it, and of its reader with that

func (e *errWide) Error() string {
	return fmt.Sprintf("a column's part of a row has %d bytes in the schema wanted: it does not fit the memory as it is divided", e.bytes)
}
