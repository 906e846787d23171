package shuffle

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"avro2trevni/internal/tuple"
)

// Shuffle sorts tuples by column, then row. Its methods may be called by several
// goroutines. [Shuffle.Close] must be called.
type Shuffle struct {
	plan    budget
	memory  int64 // Options.Memory, for messages
	planned int   // Options.Writers
	cache   *cache
	disk    *disk // used by the goroutine that set spilling, and by Close
	stop    atomic.Bool

	// sources is held shared to read a segment or run file without pinning it, and exclusively
	// to remove one; it is locked before mu. version counts the removals.
	sources  sync.RWMutex
	version  uint64
	released tuple.Row // changed under both locks
	closed   bool      // changed under both locks

	mu           sync.Mutex // guards all below, and is never held while reading or writing
	cond         *sync.Cond // memory, oversize or spilling changed
	failure      error
	segs         []*segment
	runs         []*runFile
	used         int64    // bytes of chunks in use
	idle         int64    // of these, in no writer's hands
	free         []*chunk // of the usual size
	spare        []byte   // a larger chunk's that was freed
	writers      int      // holding a chunk, or about to
	oversize     *Writer  // the one that may hold more than a usual chunk
	oversizeNeed int64    // bytes set aside for it until it has them
	spilling     bool     // one spill or merge at a time
	counters     Counters
	removal      error // failures to remove files, for Close

	closing  sync.Once
	closeErr error
}

// Counters are totals since New.
type Counters struct {
	Tuples int64 // handed over by writers
	Bytes  int64 // of their values
	Spills int64 // times that memory was written to a run file
	Merges int64 // times that run files were merged
	Disk   int64 // bytes written to run files, merges included
}

// New returns an empty shuffle. It makes nothing on disk, but removes the left-overs of
// dead processes from the temporary directories. A nil opts is the default. The error is
// for a field out of range, a temporary directory that is not a directory, or [ErrMemory].
func New(opts *Options) (*Shuffle, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	o := opts.withDefaults()
	plan, err := o.budget()
	if err != nil {
		return nil, err
	}
	for _, dir := range o.TempDirs {
		if err := o.Files.Prepare(dir); err != nil {
			return nil, fmt.Errorf("shuffle: temporary directory: %w", err)
		}
	}
	s := &Shuffle{plan: plan, memory: o.Memory, planned: o.Writers, cache: newCache(plan.pages), disk: newDisk(&o)}
	s.cond = sync.NewCond(&s.mu)
	return s, nil
}

// Counters returns the totals so far.
func (s *Shuffle) Counters() Counters {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counters
}

// Release discards the tuples that lie wholly before a row. It frees their memory at once,
// and removes a run file when all of its tuples are discarded. Scanners whose next row is
// before that row end with [ErrReleased].
func (s *Shuffle) Release(before tuple.Row) {
	s.sources.Lock()
	s.mu.Lock()
	var dead []*runFile
	if before > s.released && !s.closed {
		s.released = before
		dead = s.dropReleased()
	}
	s.mu.Unlock()
	s.sources.Unlock()
	s.remove(dead)
}

// dropReleased removes the discarded segments and run files, and returns the run files that
// are no longer in use. The caller holds sources and mu.
func (s *Shuffle) dropReleased() (dead []*runFile) {
	s.version++
	s.segs = slices.DeleteFunc(s.segs, func(g *segment) bool {
		gone := g.box.end <= s.released
		if gone {
			s.unref(g.chunk)
		}
		return gone
	})
	s.runs = slices.DeleteFunc(s.runs, func(r *runFile) bool {
		gone := r.box.end <= s.released
		if gone {
			dead = s.unrefRun(r, dead)
		}
		return gone
	})
	return dead
}

// unrefRun gives up one use of a run file, and appends it to dead if it was the last.
func (s *Shuffle) unrefRun(r *runFile, dead []*runFile) []*runFile {
	r.refs--
	if r.refs == 0 {
		dead = append(dead, r)
	}
	return dead
}

// remove closes and removes run files. The caller holds no lock.
func (s *Shuffle) remove(dead []*runFile) {
	var err error
	for _, r := range dead {
		err = errors.Join(err, s.disk.drop(r.slot))
	}
	if err != nil {
		s.mu.Lock()
		s.removal = errors.Join(s.removal, err)
		s.mu.Unlock()
	}
}

// Close waits for a spill to stop, frees all memory, and removes all files and private
// directories. Writers and scanners get [ErrClosed] from then on. The error joins the
// failures to close and remove. Further calls return the same.
func (s *Shuffle) Close() error {
	s.closing.Do(func() { s.closeErr = s.close() })
	return s.closeErr
}

func (s *Shuffle) close() error {
	s.stop.Store(true)
	s.mu.Lock()
	s.failure = ErrClosed
	s.cond.Broadcast()
	for s.spilling {
		s.cond.Wait()
	}
	s.mu.Unlock()
	s.sources.Lock()
	s.mu.Lock()
	runs := s.runs
	s.runs, s.segs, s.free, s.spare = nil, nil, nil, nil
	s.closed = true
	s.version++
	s.mu.Unlock()
	s.sources.Unlock()
	s.remove(runs)
	s.mu.Lock()
	err := s.removal
	s.mu.Unlock()
	return errors.Join(err, s.disk.close())
}
