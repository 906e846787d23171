package jobs

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// tempSpace counts the bytes in a job's temporary files, those of the shuffle and of the
// row groups being laid out, and keeps them within --temp-limit. It knows the folders that
// failed.
type tempSpace struct {
	limit int64         // 0: none
	moved *atomic.Int64 // counts what is taken, if not nil

	mu        sync.Mutex
	now, most int64
	failed    map[string]bool
}

// Take implements [shuffle.Quota].
func (s *tempSpace) Take(n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limit > 0 && s.now+n > s.limit {
		return fmt.Errorf("jobs: temporary files need %s more than the %s in use, and --temp-limit is %s; more --memory, or a smaller --file-size, need less",
			size(n), size(s.now), size(s.limit))
	}
	s.now += n
	s.most = max(s.most, s.now)
	if s.moved != nil {
		s.moved.Add(n)
	}
	return nil
}

// Give implements [shuffle.Quota].
func (s *tempSpace) Give(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now -= n
}

// peak returns the most bytes that there were at a time.
func (s *tempSpace) peak() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}
