package trvfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"avro2trevni/cmd/trevni/show"
	"avro2trevni/record"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// checker looks for what is wrong with one file.
type checker struct {
	*tree
	walked   []chan struct{} // closed when the column is done
	problems [][]error       // of each column
}

// checkFile returns what is wrong with a file, in the order of its columns. The
// error is of reading, when nothing can be said.
func checkFile(ctx context.Context, f *file) (problems []error, err error) {
	c := &checker{tree: newTree(f)}
	all := make([]int, len(c.nodes))
	for i := range all {
		all[i] = i
	}
	if err := c.load(all); err != nil {
		return nil, err
	}
	c.walked = make([]chan struct{}, len(c.nodes))
	c.problems = make([][]error, len(c.nodes))
	for i := range c.nodes {
		c.walked[i] = make(chan struct{})
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range c.nodes { // parents first: one that waits has its parent at work
		g.Go(func() error { return c.column(ctx, i) })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	problems = c.unused()
	for i := range c.nodes {
		problems = append(problems, c.problems[i]...)
	}
	return append(problems, c.schema()...), nil
}

// schema returns what is wrong with the schema, and where the columns are not its own. A
// file without one may be good: its columns can be read.
func (c *checker) schema() []error {
	if _, ok := c.h.Meta.Get(schemaKey); !ok {
		return nil
	}
	for i := range c.nodes {
		if c.nodes[i].err != nil { // which was said
			return nil
		}
	}
	if _, err := record.NewReader(c.f.Reader, nil); err != nil {
		return []error{fmt.Errorf("%s: %w", c.f.name, err)}
	}
	return nil
}

// unused returns the places of the file that belong to nothing. Reading skips them;
// no writer leaves any, so something else in the header is probably wrong.
func (c *checker) unused() []error {
	var found []error
	at, behind := c.f.HeaderSize(), "the header"
	for i := 0; i <= len(c.nodes); i++ {
		next := c.f.size
		if i < len(c.nodes) {
			next = c.f.ColumnOffset(i)
		}
		if next > at {
			found = append(found, &trevni.Error{Path: c.f.name, Block: -1, Offset: at,
				Err: fmt.Errorf("%s unused bytes after %s", show.Comma(next-at), behind)})
		}
		if i == len(c.nodes) || c.nodes[i].err != nil {
			break
		}
		at = c.nodes[i].offsets[len(c.nodes[i].blocks)]
		behind = fmt.Sprintf("column %q", c.nodes[i].col.Name)
	}
	return found
}

// column checks column i once its parent is done.
func (c *checker) column(ctx context.Context, i int) error {
	defer close(c.walked[i])
	n := &c.nodes[i]
	if n.err != nil {
		return c.found(i, n.err)
	}
	if n.parent >= 0 {
		select {
		case <-c.walked[n.parent]:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	for w := c.walk(i); w.next(); {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err := c.block(w)
		var placed *trevni.Error
		if err != nil && !errors.As(err, &placed) {
			err = &trevni.Error{Path: c.f.name, Column: n.col.Name, Block: w.block, Offset: n.offsets[w.block], Err: wrong{err}}
		}
		if err := c.found(i, err); err != nil {
			return err
		}
	}
	return nil
}

// wrong is an error that is about the file, whatever is in its chain.
type wrong struct{ error }

func (wrong) Is(target error) bool { return target == trevni.ErrCorrupt }
func (w wrong) Unwrap() error      { return w.error }

// found keeps what is wrong with column i, and returns what is no fault of the
// file's, which ends the check.
func (c *checker) found(i int, err error) error {
	if err == nil {
		return nil
	}
	c.nodes[i].broken = true
	if !errors.Is(err, trevni.ErrCorrupt) {
		return err
	}
	c.problems[i] = append(c.problems[i], err)
	return nil
}

// block checks the current block.
func (c *checker) block(w *walker) error {
	if err := w.read(); err != nil {
		return err
	}
	col := w.n.col
	if col.Array {
		return w.count(func(run *block.LengthReader) error { return checkInts(col, run.Data) })
	}
	if err := checkValues(w); err != nil {
		return err
	}
	if err := checkInts(col, w.raw); err != nil {
		return err
	}
	return checkFirst(col, &w.n.blocks[w.block], w.raw)
}

// checkValues checks that a block of a column without lengths has as many values as
// it must, and nothing else.
func checkValues(w *walker) error {
	if !w.known {
		return nil
	}
	n, err := block.SkipValues(w.raw, w.n.col.Type, int(w.units))
	if err != nil {
		return fmt.Errorf("%s expected: %w", w.wanted(), err)
	}
	if n < len(w.raw) {
		return fmt.Errorf("%s bytes after the values of %s", show.Comma(len(w.raw)-n), w.wanted())
	}
	return nil
}

// checkInts checks that the values of an int column fit.
func checkInts(c *trevni.Column, data []byte) error {
	if c.Type != trevni.Int {
		return nil
	}
	for at := 0; at < len(data); {
		v, n := block.ReadLong(data[at:])
		if n <= 0 {
			return fmt.Errorf("number at %d of the block's values is cut short, or of more than 64 bits", at)
		}
		if v != int64(int32(v)) {
			return fmt.Errorf("int %d does not fit 32 bits", v)
		}
		at += n
	}
	return nil
}

// checkFirst checks a descriptor's first value.
func checkFirst(c *trevni.Column, b *trevni.Block, raw []byte) error {
	if !c.FirstValues || b.Rows == 0 {
		return nil
	}
	same := bytes.HasPrefix(raw, b.FirstValue)
	if c.Type == trevni.Boolean {
		same = b.FirstValue[0]&1 == raw[0]&1
	}
	if !same {
		return errors.New("the first value is not the descriptor's")
	}
	return nil
}
