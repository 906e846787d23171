package shuffle

import "fmt"

// maxSegments is the largest number of segments in memory. More are spilled even if there
// is memory left, so that scans stay fast.
const maxSegments = 1 << 14

// acquire returns a chunk of at least need bytes for w, spilling or waiting until
// there is room.
//
// No writer waits for an idle one: each holds at most one usual chunk, there is a chunk for
// each, and all other memory belongs to no writer and can be spilled. A larger or second
// chunk is for one writer at a time, the oversize writer. Its bytes are reserved from the
// moment it asks, so that it cannot starve.
func (s *Shuffle) acquire(w *Writer, need int64) (*chunk, error) {
	oversize := w.cur != nil || need > s.plan.chunk
	if !oversize {
		need = s.plan.chunk
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.enter(w); err != nil {
		return nil, err
	}
	for {
		if s.failure != nil {
			return nil, s.failure
		}
		if err := s.possible(w, need); err != nil {
			return nil, err
		}
		if oversize && s.oversize == nil {
			s.oversize, s.oversizeNeed, w.oversize = w, need, true
		}
		if s.fits(w, need, oversize) {
			return s.take(w, need), nil
		}
		if (oversize && s.oversize != w) || s.spilling || s.idle == 0 {
			s.cond.Wait()
			continue
		}
		s.spill()
	}
}

// enter counts w among the writers. The caller holds mu.
func (s *Shuffle) enter(w *Writer) error {
	if w.counted {
		return nil
	}
	if n := int64(s.writers + 1); n*s.plan.chunk > s.plan.pool {
		return fmt.Errorf("%w: %d writers need %d bytes for chunks, there are %d", ErrMemory, n, n*s.plan.chunk, s.plan.pool)
	}
	s.writers++
	w.counted = true
	return nil
}

// leave undoes enter, and releases what the writer holds.
func (s *Shuffle) leave(w *Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := w.cur; c != nil {
		w.cur = nil
		s.putDown(c)
	}
	s.leaveOversize(w)
	if w.counted {
		s.writers--
		w.counted = false
	}
	s.cond.Broadcast()
}

// possible reports whether need bytes can be available in addition to a chunk for each
// other writer, present or planned.
func (s *Shuffle) possible(w *Writer, need int64) error {
	if w.cur != nil {
		need += int64(len(w.cur.buf))
	}
	n := max(s.writers, s.planned) - 1
	others := int64(n) * s.plan.chunk
	if need+others <= s.plan.pool {
		return nil
	}
	return &ValueError{Need: need, err: fmt.Errorf("%w: a value needs %d bytes and %d other writers %d, there are %d for chunks of Options.Memory %d",
		ErrMemory, need, n, others, s.plan.pool, s.memory)}
}

// fits reports whether need bytes are free, in addition to those reserved for the oversize
// writer.
func (s *Shuffle) fits(w *Writer, need int64, oversize bool) bool {
	if oversize {
		return s.oversize == w && s.used+need <= s.plan.pool
	}
	return s.used+need+s.oversizeNeed <= s.plan.pool
}

// take makes or reuses a chunk.
func (s *Shuffle) take(w *Writer, need int64) *chunk {
	if w.oversize {
		s.oversizeNeed = 0
		s.cond.Broadcast()
	}
	var c *chunk
	spare := int64(len(s.spare))
	switch n := len(s.free); {
	case n > 0 && need == s.plan.chunk:
		c, s.free = s.free[n-1], s.free[:n-1]
	case need > s.plan.chunk && need <= spare && s.used+spare <= s.plan.pool:
		c, s.spare = &chunk{buf: s.spare}, nil
	default:
		s.forgetUnused(need)
		c = &chunk{buf: make([]byte, need)}
	}
	s.used += int64(len(c.buf))
	c.reset()
	c.held = true
	return c
}

// forgetUnused frees chunks that are kept for reuse, to make room for need bytes.
func (s *Shuffle) forgetUnused(need int64) {
	over := s.used + need + int64(len(s.free))*s.plan.chunk + int64(len(s.spare)) - s.plan.pool
	if over > 0 {
		over -= int64(len(s.spare))
		s.spare = nil
	}
	for ; over > 0 && len(s.free) > 0; over -= s.plan.chunk {
		s.free[len(s.free)-1] = nil
		s.free = s.free[:len(s.free)-1]
	}
}

// handOver publishes what c holds unsealed, takes it from the writer unless it keeps
// it, and spills when three quarters of the memory are used.
func (s *Shuffle) handOver(w *Writer, c *chunk, keep bool) error {
	seg := c.seal()
	s.mu.Lock()
	defer s.mu.Unlock()
	if seg != nil {
		s.segs = append(s.segs, seg)
		c.refs++
		s.counters.Tuples += seg.count()
		s.counters.Bytes += seg.values
	}
	if !keep {
		s.putDown(c)
	}
	if w.cur == nil {
		s.leaveOversize(w)
	}
	s.cond.Broadcast()
	pool := s.plan.pool
	full := s.used > pool-pool/4 && s.idle > pool/4
	if s.failure == nil && !s.spilling && (full || len(s.segs) > maxSegments) {
		s.spill()
	}
	return s.failure
}

// leaveOversize lets the next writer be the oversize writer.
func (s *Shuffle) leaveOversize(w *Writer) {
	if w.oversize {
		w.oversize, s.oversize, s.oversizeNeed = false, nil, 0
	}
}

// putDown takes a chunk from its writer.
func (s *Shuffle) putDown(c *chunk) {
	c.held = false
	s.idle += int64(len(c.buf))
	s.freeUnused(c)
}

// unref releases one use of a chunk.
func (s *Shuffle) unref(c *chunk) {
	c.refs--
	s.freeUnused(c)
}

// freeUnused frees a chunk that is not in use.
func (s *Shuffle) freeUnused(c *chunk) {
	if c.held || c.refs > 0 {
		return
	}
	n := int64(len(c.buf))
	s.idle -= n
	s.used -= n
	switch {
	case n == s.plan.chunk:
		s.free = append(s.free, c)
	case n > s.plan.chunk && n > int64(len(s.spare)):
		s.spare = c.buf
	}
	s.cond.Broadcast()
}
