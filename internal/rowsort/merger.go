package rowsort

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"avro2trevni/internal/tuple"
	"avro2trevni/shuffle"
)

// Merger gives the rows in the order of their keys. It is for one goroutine.
//
// The tree of losers has a cursor for each leaf: each inner node has the cursor that lost
// there, and the root has the winner.
type Merger struct {
	s       *Sorter
	cursors []cursor
	tree    []int // tree[0]: the winner; tree[i]: the loser of node i
	block   []byte
	begun   bool
	rows    int64
	last    []byte // the key before
	err     error
}

// cursor is a place in a run.
type cursor struct {
	sc   *shuffle.Scanner
	raw  []byte // the block
	rest []byte // of raw, after the current entry
	key  []byte // of the current entry, nil after the last
	v    value
}

// Merge returns a merger of all rows, for which groups of runs are merged first if their
// blocks would need more bytes than that. All writers are closed.
func (s *Sorter) Merge(ctx context.Context, memory int64) (*Merger, error) {
	for pass := 1; ; pass++ {
		n := fitting(s.runs, memory)
		if n >= len(s.runs) {
			return s.merger(s.runs)
		}
		if pass >= largeSplit {
			return nil, fmt.Errorf("rowsort: more than %d passes", largeSplit)
		}
		if err := s.pass(ctx, pass, memory); err != nil {
			return nil, err
		}
	}
}

// fitting returns how many of the runs, but at least two, can be merged at a time.
func fitting(runs []run, memory int64) int {
	for i := range runs {
		memory -= int64(runs[i].most+runs[i].key) + cursorCost
		if memory < 0 {
			return min(max(i, 2), len(runs))
		}
	}
	return len(runs)
}

// pass merges groups of runs.
func (s *Sorter) pass(ctx context.Context, pass int, memory int64) error {
	runs := s.runs
	s.runs = nil
	w := s.store.NewWriter()
	for len(runs) > 0 {
		n := fitting(runs, memory)
		r, err := s.mergeRuns(ctx, pass, runs[:n], w)
		if err != nil {
			return err
		}
		s.runs, runs = append(s.runs, r), runs[n:]
	}
	if err := w.Close(); err != nil {
		return err
	}
	s.store.Release(tuple.RowOf(pass, 0))
	return nil
}

// mergeRuns merges runs into one.
func (s *Sorter) mergeRuns(ctx context.Context, pass int, runs []run, to *shuffle.Writer) (run, error) {
	m, err := s.merger(runs)
	if err != nil {
		return run{}, err
	}
	w := runWriter{w: to}
	if w.run, err = s.newRun(pass); err != nil {
		return run{}, err
	}
	for m.Next() {
		if c := m.top(); len(c.rest) == 0 && ctx.Err() != nil {
			return run{}, ctx.Err()
		}
		if err := w.add(m.Key(), m.top().v); err != nil {
			return run{}, err
		}
	}
	if m.err != nil {
		return run{}, m.err
	}
	return w.run, w.finish(to)
}

// finish ends a run and hands it over.
func (r *runWriter) finish(w *shuffle.Writer) error {
	if err := r.end(); err != nil {
		return err
	}
	return w.Seal()
}

// merger returns a merger of runs.
func (s *Sorter) merger(runs []run) (*Merger, error) {
	m := &Merger{s: s, cursors: make([]cursor, len(runs)), tree: make([]int, max(1, len(runs)))}
	for i, r := range runs {
		c := &m.cursors[i]
		c.sc = s.store.Scan(r.column, tuple.RowOf(r.pass, 0), tuple.RowOf(r.pass, r.rows))
		if err := m.advance(c); err != nil {
			return nil, err
		}
		m.rows += r.rows
	}
	if len(runs) > 0 {
		m.tree[0] = m.build(1)
	}
	return m, nil
}

// build plays the matches below a node, and returns the winner.
func (m *Merger) build(node int) int {
	n := len(m.cursors)
	if node >= n {
		return node - n
	}
	a, b := m.build(2*node), m.build(2*node+1)
	if m.less(b, a) {
		a, b = b, a
	}
	m.tree[node] = b
	return a
}

// less reports whether cursor a's key comes before cursor b's; one at its end is after
// all.
func (m *Merger) less(a, b int) bool {
	x, y := m.cursors[a].key, m.cursors[b].key
	if x == nil || y == nil {
		return y == nil && x != nil
	}
	return bytes.Compare(x, y) < 0
}

// replay plays the matches from cursor i, which was the winner, up to the root.
func (m *Merger) replay(i int) {
	for node := (i + len(m.cursors)) / 2; node > 0; node /= 2 {
		if m.less(m.tree[node], i) {
			i, m.tree[node] = m.tree[node], i
		}
	}
	m.tree[0] = i
}

// advance moves a cursor to its run's next entry.
func (m *Merger) advance(c *cursor) (err error) {
	if len(c.rest) == 0 {
		if ok, err := m.load(c); !ok {
			return err
		}
	}
	c.rest, c.key, c.v, err = entry(c.rest, c.key)
	return err
}

// load loads the run's next block.
func (m *Merger) load(c *cursor) (ok bool, err error) {
	if !c.sc.Next() {
		c.key, c.raw = nil, nil
		return false, c.sc.Close()
	}
	if m.block, err = c.sc.Value(m.block[:0]); err != nil {
		return false, err
	}
	t := c.sc.Tuple()
	if c.raw, err = decode(c.raw[:0], m.block, t.Raw); err != nil {
		return false, err
	}
	if len(c.raw) == 0 {
		return false, fmt.Errorf("%w: it is empty", ErrCorrupt)
	}
	if c.key == nil {
		c.key = make([]byte, 0, 64)
	}
	c.rest, c.key = c.raw, c.key[:0]
	return true, nil
}

func (m *Merger) top() *cursor { return &m.cursors[m.tree[0]] }

// Next moves to the next row, and reports whether there is one. When there is none,
// [Merger.Err] says whether that is a failure.
func (m *Merger) Next() bool {
	if m.err != nil || len(m.cursors) == 0 {
		return false
	}
	if m.begun {
		m.last = append(m.last[:0], m.top().key...)
		if m.err = m.advance(m.top()); m.err != nil {
			return false
		}
		m.replay(m.tree[0])
	}
	key := m.top().key
	switch {
	case key == nil:
		m.cursors = nil
		if m.rows != 0 {
			m.err = fmt.Errorf("%w: %d are missing", ErrOrder, m.rows)
		}
		return false
	case m.begun && bytes.Compare(m.last, key) >= 0:
		m.err = fmt.Errorf("%w: a key is not greater than the one before", ErrOrder)
		return false
	}
	m.begun = true
	m.rows--
	return true
}

// Err returns the failure that ended the rows, if any.
func (m *Merger) Err() error { return m.err }

// Key returns the current row's key, which is valid until the next call of Next.
func (m *Merger) Key() []byte { return m.top().key }

// Kind returns the current row's kind.
func (m *Merger) Kind() uint32 { return m.top().v.kind }

// Size returns the current row's size in bytes.
func (m *Merger) Size() int64 {
	v := &m.top().v
	if v.large {
		return v.size
	}
	return int64(len(v.row))
}

// Row appends the current row to dst.
func (m *Merger) Row(dst []byte) ([]byte, error) {
	v := &m.top().v
	if !v.large {
		return append(dst, v.row...), nil
	}
	want := int64(len(dst)) + v.size
	dst = slices.Grow(dst, int(min(v.size, m.s.bytes)))
	pieces := (v.size + pieceBytes - 1) / pieceBytes
	sc := m.s.store.Scan(largeColumn, tuple.RowOf(largeSplit, v.piece), tuple.RowOf(largeSplit, v.piece+pieces))
	for sc.Next() {
		var err error
		if dst, err = sc.Value(dst); err != nil {
			return dst, err
		}
	}
	if err := sc.Close(); err != nil {
		return dst, err
	}
	if int64(len(dst)) != want {
		return dst, fmt.Errorf("%w: %d bytes of a large row are missing", ErrOrder, want-int64(len(dst)))
	}
	return dst, nil
}
