package trevni

// ahead reads a column's next blocks on goroutines of its own, while the present one
// is used ([ReaderOptions.ReadAhead]).
//
//	block:   7      8        9        10
//	         used   decoded  decoded  not asked for yet     2 ahead
//
// Each goroutine ends with its block, whether or not that is ever used, so that a
// reader may be dropped at any time.
type ahead struct {
	most int      // blocks
	next []*fetch // of the blocks behind the present one, in order
	idle []*fetch
}

// fetch is a block that is read.
type fetch struct {
	blockReader
	block int
	raw   []byte
	err   error
	done  chan struct{} // receives when raw and err are there
}

// fill starts to read the blocks behind the present block, b, up to the one at which
// reading ends.
func (c *ColumnReader) fill(b int) {
	a := &c.ahead
	for b += 1 + len(a.next); len(a.next) < a.most && b < len(c.index.blocks) && c.index.first[b] < c.to; b++ {
		f := c.fetcher()
		f.block = b
		a.next = append(a.next, f)
		go f.run(c.index)
	}
}

func (f *fetch) run(x *index) {
	f.raw, f.err = f.read(x, f.block, f.raw[:0])
	f.done <- struct{}{}
}

func (c *ColumnReader) fetcher() *fetch {
	a := &c.ahead
	if n := len(a.idle); n > 0 {
		f := a.idle[n-1]
		a.idle = a.idle[:n-1]
		return f
	}
	return &fetch{blockReader: *c.r.newBlockReader(c.col), done: make(chan struct{}, 1)}
}

// obtain returns block b, in place of the present one: as it was read ahead or, where
// it was not, read now. What was read ahead of other blocks is given up.
func (c *ColumnReader) obtain(b int) ([]byte, error) {
	a := &c.ahead
	if len(a.next) == 0 || a.next[0].block != b {
		a.next = nil
		return c.read(c.index, b, c.raw[:0])
	}
	f := a.next[0]
	<-f.done
	if f.err != nil {
		a.next = nil
		return nil, f.err
	}
	a.next = append(a.next[:0], a.next[1:]...)
	a.idle = append(a.idle, f)
	raw := f.raw
	f.raw = c.raw // which is used no more
	return raw, nil
}
