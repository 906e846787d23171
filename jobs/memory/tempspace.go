package memory

import (
	"fmt"
	"sync"
	"sync/atomic"

	"avro2trevni/internal/units"
)

// TempSpace counts the bytes in a job's temporary files, those of the shuffle and of the
// row groups being laid out, and keeps them within --temp-limit. It knows the folders that
// failed.
type TempSpace struct {
	Limit int64         // 0: none
	Moved *atomic.Int64 // counts what is taken, if not nil

	Mu        sync.Mutex
	Now, most int64
	Failed    map[string]bool
}

// Take implements [shuffle.Quota].
func (s *TempSpace) Take(n int64) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.Limit > 0 && s.Now+n > s.Limit {
		return fmt.Errorf("jobs: temporary files need %s more than the %s in use, and --temp-limit is %s; more --memory, or a smaller --file-size, need less",
			units.Size(n), units.Size(s.Now), units.Size(s.Limit))
	}
	s.Now += n
	s.most = max(s.most, s.Now)
	if s.Moved != nil {
		s.Moved.Add(n)
	}
	return nil
}

// Give implements [shuffle.Quota].
func (s *TempSpace) Give(n int64) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Now -= n
}

// Peak returns the most bytes that there were at a time.
func (s *TempSpace) Peak() int64 {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.most
}
