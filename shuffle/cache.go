package shuffle

import "sync"

// cache holds pages of run files: index blocks, verified, and notes. Any number of scanners
// share it, so that they need no buffers of their own. It keeps the pages that were used
// recently (the clock algorithm).
type cache struct {
	shards []shard
}

// shard is the part of the cache for some pages. Its lock is held while a page is
// read, so that a page is read once.
type shard struct {
	mu    sync.Mutex
	index map[pageKey]int
	pages []page
	hand  int
}

type pageKey struct {
	run uint64 // runFile.id
	no  int64
}

type page struct {
	key  pageKey
	used bool
	n    int // bytes present: fewer at the end of the file
	buf  []byte
}

const maxShards = 16

func newCache(pages int) *cache {
	n := max(1, min(maxShards, pages/16))
	c := &cache{shards: make([]shard, n)}
	for i := range c.shards {
		c.shards[i].index = make(map[pageKey]int)
		c.shards[i].pages = make([]page, 0, pages/n)
	}
	return c
}

// decode decodes the entry at byte at of page no of r.
func (c *cache) decode(r *runFile, no int64, at int, e *entry) error {
	s := c.shard(r, no)
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.page(r, no)
	if err == nil {
		e.decode(p[at : at+entrySize])
	}
	return err
}

// copy fills dst, as far as the page goes, from byte at of page no of r on, and
// returns how many bytes it copied.
func (c *cache) copy(r *runFile, no int64, at int, dst []byte) (int, error) {
	s := c.shard(r, no)
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.page(r, no)
	if err != nil {
		return 0, err
	}
	return copy(dst, p[at:]), nil
}

func (c *cache) shard(r *runFile, no int64) *shard {
	return &c.shards[(r.id*31+uint64(no))%uint64(len(c.shards))]
}

// page returns page no of r, loaded by r if it is not cached. It is valid while the caller
// holds the lock.
func (s *shard) page(r *runFile, no int64) ([]byte, error) {
	key := pageKey{r.id, no}
	i, ok := s.index[key]
	if !ok {
		i = s.victim()
		n, err := r.loadPage(no, s.pages[i].buf)
		if err != nil {
			return nil, err
		}
		s.pages[i].key, s.pages[i].n = key, n
		s.index[key] = i
	}
	s.pages[i].used = true
	return s.pages[i].buf[:s.pages[i].n], nil
}

// victim returns the index of a page that may be overwritten, and removes its key.
func (s *shard) victim() int {
	if len(s.pages) < cap(s.pages) {
		s.pages = append(s.pages, page{buf: make([]byte, blockSize)})
		return len(s.pages) - 1
	}
	for s.pages[s.hand].used {
		s.pages[s.hand].used = false
		s.hand = (s.hand + 1) % len(s.pages)
	}
	i := s.hand
	s.hand = (s.hand + 1) % len(s.pages)
	delete(s.index, s.pages[i].key)
	s.pages[i].key = pageKey{}
	return i
}
