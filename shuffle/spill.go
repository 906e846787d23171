package shuffle

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"avro2trevni/internal/tuple"
)

// spill writes all segments to one run file, frees their memory, and merges run files if
// there are too many. A failure becomes the shuffle's. The caller holds mu, which is
// released meanwhile, and has set spilling.
func (s *Shuffle) spill() {
	s.spilling = true
	segs := slices.Clone(s.segs)
	srcs := make([]source, len(segs))
	for i, g := range segs {
		g.chunk.refs++
		srcs[i] = g
	}
	before := s.released
	s.mu.Unlock()
	run, err := s.write(srcs, before)
	s.sources.Lock()
	s.mu.Lock()
	for _, g := range segs {
		s.unref(g.chunk)
	}
	var dead []*runFile
	if err == nil {
		s.counters.Spills++
		s.forget(segs)
		dead = s.admit(run)
	}
	s.sources.Unlock()
	s.settle(dead, err)
	s.mergeRuns()
	s.spilling = false
	s.cond.Broadcast()
}

// forget removes the segments that a run file holds now; Release may have removed some of
// them already. The caller holds sources and mu.
func (s *Shuffle) forget(segs []*segment) {
	spilled := make(map[*segment]bool, len(segs))
	for _, g := range segs {
		spilled[g] = true
	}
	s.segs = slices.DeleteFunc(s.segs, func(g *segment) bool {
		if spilled[g] {
			s.unref(g.chunk)
		}
		return spilled[g]
	})
}

// admit adds a new run file to the list, if there is one, and removes what Release
// discarded while it was written. The caller holds sources and mu.
func (s *Shuffle) admit(run *runFile) (dead []*runFile) {
	if run != nil {
		s.counters.Disk += run.size
		run.refs = 1
		s.runs = append(s.runs, run)
	}
	return s.dropReleased()
}

// settle removes dead files and records a failure. The caller holds mu, which is
// released meanwhile.
func (s *Shuffle) settle(dead []*runFile, err error) {
	if err != nil && s.failure == nil {
		s.failure = err
	}
	s.cond.Broadcast()
	if len(dead) > 0 {
		s.mu.Unlock()
		s.remove(dead)
		s.mu.Lock()
	}
}

// mergeRuns merges the smallest run files while there are more than the fan-in. So
// that a byte is merged a logarithmic number of times, half of them go at once. The
// caller holds mu, which is released meanwhile, and has set spilling.
func (s *Shuffle) mergeRuns() {
	for s.failure == nil && len(s.runs) > s.plan.fanIn {
		victims := slices.Clone(s.runs)
		slices.SortStableFunc(victims, func(a, b *runFile) int { return cmp.Compare(a.size, b.size) })
		victims = victims[:max(2, len(victims)-s.plan.fanIn/2)]
		s.mergeFiles(victims)
	}
}

// mergeFiles replaces run files by one.
func (s *Shuffle) mergeFiles(victims []*runFile) {
	srcs := make([]source, len(victims))
	for i, r := range victims {
		r.refs++
		srcs[i] = r
	}
	before := s.released
	s.mu.Unlock()
	run, err := s.write(srcs, before)
	s.sources.Lock()
	s.mu.Lock()
	var dead []*runFile
	for _, r := range victims {
		dead = s.unrefRun(r, dead)
	}
	if err == nil {
		s.counters.Merges++
		s.runs = slices.DeleteFunc(s.runs, func(r *runFile) bool {
			merged := slices.Contains(victims, r)
			if merged {
				dead = s.unrefRun(r, dead)
			}
			return merged
		})
		dead = append(dead, s.admit(run)...)
	}
	s.sources.Unlock()
	s.settle(dead, err)
}

// write merges sources into a new run file; nil if all their tuples lie before a row
// that was released. The file is removed on failure.
func (s *Shuffle) write(srcs []source, before tuple.Row) (*runFile, error) {
	t, err := tally(srcs, before)
	if err != nil || t.count == 0 {
		return nil, err
	}
	for {
		at, err := s.disk.create(t.size(s.plan))
		if err != nil {
			return nil, fmt.Errorf("shuffle: create run file: %w", err)
		}
		run, err := s.writeTo(at, t, srcs, before)
		if err == nil {
			return run, nil
		}
		dropped := s.disk.drop(at)
		var failed *writeError
		if !errors.As(err, &failed) || !s.disk.giveUp(at.dir, err) {
			return nil, errors.Join(err, dropped)
		}
	}
}

// writeTo writes sources into a new run file.
func (s *Shuffle) writeTo(at slot, t totals, srcs []source, before tuple.Row) (*runFile, error) {
	w := newRunWriter(at.file, at.path, t, s.plan)
	if err := s.mergeInto(w, srcs, before); err != nil {
		return nil, err
	}
	size, err := w.finish()
	if err != nil {
		return nil, err
	}
	run, err := openRun(at.file, at.path, size, s.cache)
	if err == nil {
		run.slot = at
	}
	return run, err
}

// mergeInto adds the tuples that end after a row to w, in order.
func (s *Shuffle) mergeInto(w *runWriter, srcs []source, before tuple.Row) error {
	var e entry
	m := make(merge, 0, len(srcs))
	for _, src := range srcs {
		c := cursor{src: src, n: src.count()}
		if err := c.load(&e); err != nil {
			return err
		}
		m = append(m, c)
	}
	m.init()
	for len(m) > 0 {
		if s.stop.Load() {
			return ErrClosed
		}
		c := &m[0]
		if err := c.src.entry(c.i, &e); err != nil {
			return err
		}
		if e.end() > before {
			if err := w.add(c.src, &e); err != nil {
				return err
			}
		}
		if c.i++; c.i == c.n {
			m.drop()
			continue
		}
		if err := c.load(&e); err != nil {
			return err
		}
		m.down(0)
	}
	return nil
}

// totals are the sums over the tuples that a run file is to hold.
type totals struct {
	count, values, notes int64
}

// tally sums up the tuples of sources that end after a row. The entries of a source that
// begins after the row are not read.
func tally(srcs []source, before tuple.Row) (totals, error) {
	var t totals
	var e entry
	for _, src := range srcs {
		if src.span().minRow >= before {
			values, notes := src.bytes()
			t.count += src.count()
			t.values += values
			t.notes += notes
			continue
		}
		for i := range src.count() {
			if err := src.entry(i, &e); err != nil {
				return t, err
			}
			if e.end() > before {
				t.count++
				t.values += int64(e.size)
				t.notes += int64(e.note)
			}
		}
	}
	return t, nil
}
