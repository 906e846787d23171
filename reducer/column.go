package reducer

import (
	"context"
	"errors"

	"avro2trevni/internal/tuple"
)

// column is one column of a group as it is laid out.
type column struct {
	blocks []entry
	refs   []ref     // where the staged ones are, in order
	next   tuple.Row // the first row behind the blocks that stay, while it is laid out
	rows   int64     // in the blocks
	bytes  int64     // of the blocks in the file, checksums included
	firsts *firsts   // of a column with first values
}

// truncate keeps the first n blocks.
func (c *column) truncate(n int) {
	for i := n; i < len(c.blocks); i++ {
		b := &c.blocks[i]
		c.rows -= int64(b.rows)
		c.bytes -= int64(b.size)
		if b.runs > 0 {
			c.refs = c.refs[:len(c.refs)-1]
		}
	}
	c.blocks = c.blocks[:n]
	if c.firsts != nil {
		c.firsts.truncate(n)
	}
}

// keep keeps what stays of column i, whose range had its end at another row before. Room is
// given back for all columns before it is taken for any.
func (g *Group) keep(i int, was tuple.Row) {
	c, n := &g.cols[i], 0
	c.next = g.rng.From
	if n = kept(c.blocks, was, g.rng.To); n > 0 {
		c.next = c.blocks[n].row
	}
	g.room.give(BlockMemory * int64(len(c.blocks)-n))
	c.truncate(n)
}

// lay lays column i out for g's range, behind the blocks that stay.
func (g *Group) lay(ctx context.Context, j *joiner, i int) error {
	c := &g.cols[i]
	n, from := len(c.blocks), c.next
	if err := g.plan(ctx, i, from); err != nil || g.room.over() {
		return err
	}
	if err := g.fill(ctx, j, i, n, from); err != nil {
		return err
	}
	for k := n; k < len(c.blocks); k++ {
		c.rows += int64(c.blocks[k].rows)
		c.bytes += int64(c.blocks[k].size)
	}
	return nil
}

// plan appends the blocks from a row on, without looking into the runs.
func (g *Group) plan(ctx context.Context, i int, from tuple.Row) (err error) {
	c, k := &g.cols[i], kindOf(&g.o.Columns[i])
	p := planner{limit: g.o.BlockSize, blocks: c.blocks, room: g.room}
	links := chain{next: from, to: g.rng.To}
	sc := g.src.Scan(uint32(i), from, g.rng.To)
	defer func() { err = closing(sc, err) }()
	for first := true; sc.Next(); first = false {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := sc.Tuple()
		if err := links.add(&t, uint32(i), first); err != nil {
			return g.fault(i, links.next, err)
		}
		r, err := runOf(k, sc, &t, from, g.rng.To)
		if err == nil && int(t.Size) < g.o.coding(i).Checksum.Size() {
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

// fill makes and stages those blocks from number n on, which begins at row from, that
// do not pass as they are. In a column with first values it looks into all.
func (g *Group) fill(ctx context.Context, j *joiner, i, n int, from tuple.Row) (err error) {
	c := &g.cols[i]
	if c.firsts != nil && n == 0 {
		c.firsts.last = g.rng.after(i)
	}
	var sc Scanner
	defer func() { err = closing(sc, err) }()
	for behind := -1; n < len(c.blocks); n++ {
		b := &c.blocks[n]
		if b.runs == 0 && c.firsts == nil {
			continue
		}
		if behind != n {
			if err := closing(sc, nil); err != nil {
				return err
			}
			sc = g.src.Scan(uint32(i), b.row, g.rng.To)
		}
		if err := g.one(ctx, j, sc, i, b, from); err != nil {
			return g.fault(i, b.row, err)
		}
		behind = n + 1
	}
	return nil
}

// one sees to block b of column i, of the scanner's next runs.
func (g *Group) one(ctx context.Context, j *joiner, sc Scanner, i int, b *entry, from tuple.Row) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if f := g.cols[i].firsts; f != nil {
		f.open = true
	}
	if b.runs == 0 {
		return g.peruse(j, sc, i)
	}
	return g.join(j, sc, i, b, from)
}

// join makes block b of column i of the scanner's next runs.
func (g *Group) join(j *joiner, sc Scanner, i int, b *entry, from tuple.Row) error {
	if err := j.begin(i, b.runs); err != nil {
		return err
	}
	for range b.runs {
		t, err := next(sc)
		if err != nil {
			return err
		}
		if err := j.add(sc, &t, from, g.rng.To, g.cols[i].firsts); err != nil {
			return err
		}
	}
	out, raw, err := j.finish()
	if err != nil {
		return err
	}
	at, err := g.stage.put(out)
	if err != nil {
		return err
	}
	b.raw, b.size = raw, uint32(len(out))
	g.cols[i].refs = append(g.cols[i].refs, at)
	return nil
}

// next returns the scanner's next tuple, which must be there, since it was before.
func next(sc Scanner) (tuple.Tuple, error) {
	if sc.Next() {
		return sc.Tuple(), nil
	}
	if err := sc.Err(); err != nil {
		return tuple.Tuple{}, err
	}
	return tuple.Tuple{}, rowsError("a run is there no more")
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
		e.Column = g.o.Columns[i].Name
		return e
	}
	return &Error{Column: g.o.Columns[i].Name, Row: row, Err: err}
}
