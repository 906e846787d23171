package reducer

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"avro2trevni/internal/tuple"
)

// column is one column of a group during its layout.
type column struct {
	blocks []entry
	refs   []ref     // where the staged ones are, in order
	stay   int       // blocks that stay, while it is laid out
	next   tuple.Row // the first row after those
	rows   int64     // in the blocks
	bytes  int64     // of the blocks in the file, checksums included
	notes  notes     // of the blocks, of a column with a Look
	after  []byte    // what the last of them gave, see [Noted]; nil if it is not known
}

// truncate keeps the first n blocks.
func (c *column) truncate(n int, room *room) {
	for i := n; i < len(c.blocks); i++ {
		b := &c.blocks[i]
		c.rows -= int64(b.rows)
		c.bytes -= int64(b.size)
		if b.runs > 0 {
			c.refs = c.refs[:len(c.refs)-1]
		}
	}
	c.blocks, c.after = c.blocks[:n], nil
	c.notes.truncate(n, room)
}

// keep keeps what stays of column i, whose range had its end at another row before. Room is
// given back for all columns before it is taken for any.
func (g *Group) keep(i int, was tuple.Row) {
	c, n := &g.cols[i], 0
	c.next = g.rng.From
	if n = kept(c.blocks, was, g.rng.To); n > 0 {
		c.next = c.blocks[n].row
	}
	c.stay = n
	g.room.give(g.shape.BlockMemory() * int64(len(c.blocks)-n))
	c.truncate(n, g.room)
}

// plan appends the blocks of column i after those that stay, without looking into the runs.
func (g *Group) plan(ctx context.Context, w *worker, i int) (err error) {
	c, from, least := &g.cols[i], g.cols[i].next, g.shape.Columns[i].Least
	p := planner{shape: g.shape, blocks: c.blocks, room: g.room}
	links := chain{next: from, to: g.rng.To}
	sc := g.src.Scan(uint32(i), from, g.rng.To)
	defer func() { err = closing(sc, err) }()
	for first := true; sc.Next(); first = false {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := w.current(sc)
		if err := links.add(t, uint32(i), first); err != nil {
			return g.fault(i, links.next, err)
		}
		r, err := g.runOf(sc, t, from, g.rng.To)
		if err == nil && int(t.Size) < least {
			err = runError("%d bytes have no room for a checksum", t.Size)
		}
		if err != nil {
			return g.fault(i, t.Row, err)
		}
		p.add(&r)
	}
	p.flush()
	c.blocks = p.blocks
	if err := sc.Err(); err != nil {
		return g.fault(i, links.next, err)
	}
	if err := links.end(); err != nil {
		return g.fault(i, links.next, err)
	}
	return nil
}

// fill makes and stages the planned blocks of column i that do not pass as they are. In a
// column with a Look it goes through all.
func (g *Group) fill(ctx context.Context, w *worker, i int) (err error) {
	c, look := &g.cols[i], g.shape.Columns[i].Look
	if look != LookNothing && c.stay == 0 {
		c.after = g.rng.after(i)
	}
	var sc Scanner
	defer func() { err = closing(sc, err) }()
	behind := -1 // the block that the scanner is before
	for n := c.stay; n < len(c.blocks); n++ {
		b := &c.blocks[n]
		if b.runs == 0 && look == LookNothing {
			continue
		}
		if behind != n {
			if err := closing(sc, nil); err != nil {
				return err
			}
			sc = g.src.Scan(uint32(i), b.row, g.rng.To)
		}
		if err := g.one(ctx, w, sc, i, b); err != nil {
			return g.fault(i, b.row, err)
		}
		behind = n + 1
	}
	for k := c.stay; k < len(c.blocks); k++ {
		c.rows += int64(c.blocks[k].rows)
		c.bytes += int64(c.blocks[k].size)
	}
	return nil
}

// one sees to block b of column i, of the scanner's next runs.
func (g *Group) one(ctx context.Context, w *worker, sc Scanner, i int, b *entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if b.runs == 0 {
		return g.pass(w, sc, i)
	}
	return g.join(w, sc, i, b)
}

// pass looks at the scanner's next run, of column i, which is a block as it is.
func (g *Group) pass(w *worker, sc Scanner, i int) error {
	if err := next(sc); err != nil {
		return err
	}
	var note, value []byte
	var err error
	t := w.current(sc)
	if g.shape.Columns[i].Look == LookValue {
		value, err = w.load(sc, t)
	} else {
		note, err = sc.Note()
	}
	if err != nil {
		return err
	}
	n, err := w.joiner.Pass(t, note, value, g.cols[i].after)
	if err != nil {
		return err
	}
	g.note(i, n)
	return nil
}

// join makes block b of column i of the scanner's next runs.
func (g *Group) join(w *worker, sc Scanner, i int, b *entry) error {
	if err := w.joiner.Begin(i, b.runs, g.cols[i].after); err != nil {
		return err
	}
	for range b.runs {
		if err := next(sc); err != nil {
			return err
		}
		if err := g.add(w, sc, g.cols[i].next); err != nil {
			return err
		}
	}
	out, raw, n, err := w.joiner.Finish()
	if err != nil {
		return err
	}
	at, err := g.stage.put(out)
	if err != nil {
		return err
	}
	b.raw, b.size = raw, uint32(len(out))
	g.cols[i].refs = append(g.cols[i].refs, at)
	g.note(i, n)
	return nil
}

// add gives the joiner what is in the group of the scanner's current tuple.
func (g *Group) add(w *worker, sc Scanner, from tuple.Row) (err error) {
	var note []byte
	t := w.current(sc)
	lo, hi := rowsOf(t, from, g.rng.To)
	if hi-lo < t.Rows || g.shape.Columns[t.Column].Look == LookNote {
		if note, err = sc.Note(); err != nil {
			return err
		}
		w.note = append(w.note[:0], note...) // the scanner's is valid until its next call
	}
	value, err := w.load(sc, t)
	if err != nil {
		return err
	}
	return w.joiner.Add(t, w.note[:len(note)], value, lo, hi)
}

// note keeps what is noted of the next block of column i.
func (g *Group) note(i int, n Noted) {
	if c := &g.cols[i]; g.shape.Columns[i].Look != LookNothing {
		c.notes.add(n.Note, g.room)
		c.after = bytes.Clone(n.After)
	}
}

// worker lays columns out. It has a joiner, and a tuple with its bytes.
type worker struct {
	joiner      Joiner
	tuple       tuple.Tuple
	note, value []byte
}

// current returns the scanner's current tuple, until the next call.
func (w *worker) current(sc Scanner) *tuple.Tuple {
	w.tuple = sc.Tuple()
	return &w.tuple
}

// load returns the value of the scanner's current tuple t.
func (w *worker) load(sc Scanner, t *tuple.Tuple) (_ []byte, err error) {
	if w.value, err = sc.Value(slices.Grow(w.value[:0], int(t.Size))); err != nil {
		return nil, err
	}
	if len(w.value) != int(t.Size) {
		return nil, runError("a value of %d bytes, its tuple says %d", len(w.value), t.Size)
	}
	return w.value, nil
}

// next moves to the scanner's next tuple, which must be there, since it was before.
func next(sc Scanner) error {
	if sc.Next() {
		return nil
	}
	if err := sc.Err(); err != nil {
		return err
	}
	return rowsError("a run is there no more")
}

// closing closes a scanner, if there is one, and returns the first error.
func closing(sc Scanner, err error) error {
	if sc == nil {
		return err
	}
	if e := sc.Close(); err == nil {
		return e
	}
	return err
}

// fault places an error, at the row that it names if it does.
func (g *Group) fault(i int, row tuple.Row, err error) error {
	var e *Error
	if errors.As(err, &e) {
		e.Column = g.shape.Columns[i].Name
		return e
	}
	return &Error{Column: g.shape.Columns[i].Name, Row: row, Err: err}
}
