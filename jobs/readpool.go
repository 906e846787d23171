package jobs

import (
	"context"
	"fmt"
	"runtime"

	"github.com/dustin/go-humanize"
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
	if n < 0 || n > m.p.share+m.p.large-m.held {
		return fmt.Errorf("jobs: %s more memory than the %s that may be used for one",
			humanize.IBytes(uint64(max(n, 0))), humanize.IBytes(uint64(m.p.share+m.p.large-m.held)))
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

// Release implements ocf.Memory.
func (m *readMemory) Release(n int64) {
	m.held -= n
	if m.large && m.held <= 0 {
		m.large = false
		<-m.p.room
	}
}
