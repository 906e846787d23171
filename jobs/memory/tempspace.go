package memory

import (
	"fmt"
	"sync"
	"sync/atomic"

	"avro2trevni/internal/units"
)

// TempSpace counts the bytes in a job's temporary files, those of the shuffle and of the
// row groups being laid out, and keeps them within --temp-limit.
type TempSpace struct {
	Limit int64         // 0: none
	Moved *atomic.Int64 // counts what is taken, if not nil

	mu        sync.Mutex
	now, most int64
}

// Take implements shuffle.Quota.
func (s *TempSpace) Take(n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Limit > 0 && s.now+n > s.Limit {
		return fmt.Errorf("jobs: temporary files need %s more than the %s in use, and --temp-limit is %s; more --memory, or a smaller --file-size, need less",
			units.Size(n), units.Size(s.now), units.Size(s.Limit))
	}
	s.now += n
	s.most = max(s.most, s.now)
	if s.Moved != nil {
		s.Moved.Add(n)
	}
	return nil
}

// Give implements shuffle.Quota.
func (s *TempSpace) Give(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now -= n
}

// Used returns the current number of bytes.
func (s *TempSpace) Used() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// Peak returns the largest number of bytes at one time.
func (s *TempSpace) Peak() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}
