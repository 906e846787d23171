package shuffle

import "sync"

// cache holds pages of run files: index blocks, verified, and cuts. Any number of
// scanners share it, so that they need no buffers of their own. It keeps the pages
// used of late (the clock algorithm).
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
	n    int // bytes that are there: less than all at the file's end
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

// with calls f with page no of r, which must not be kept. The page is loaded by r if
// it is not here.
func (c *cache) with(r *runFile, no int64, f func(p []byte)) error {
	s := &c.shards[(r.id*31+uint64(no))%uint64(len(c.shards))]
	s.mu.Lock()
	defer s.mu.Unlock()
	key := pageKey{r.id, no}
	i, ok := s.index[key]
	if !ok {
		i = s.victim()
		n, err := r.loadPage(no, s.pages[i].buf)
		if err != nil {
			return err
		}
		s.pages[i].key, s.pages[i].n = key, n
		s.index[key] = i
	}
	s.pages[i].used = true
	f(s.pages[i].buf[:s.pages[i].n])
	return nil
}

// victim returns the place of a page that may be overwritten, and forgets its key.
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
