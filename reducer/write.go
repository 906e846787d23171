package reducer

import (
	"context"
	"fmt"
	"io"

	"avro2trevni/internal/tuple"
	"avro2trevni/trevni"
)

// Write writes the group's file to w, front to back, in large writes: header, column
// starts, then column after column. All writes come from one goroutine, not the
// caller's, which is gone when Write returns. It may be called again, after an error
// too, for the same bytes. The source must still give the group's runs; a run that is
// not the one that was laid out is an [Error].
//
// In addition to what the package comment tells, it takes 40 bytes a block for the
// descriptors.
func (g *Group) Write(ctx context.Context, w io.Writer) error {
	if g.err != nil {
		return g.err
	}
	buf := newPages(w)
	defer buf.close(false)
	if err := g.write(ctx, buf); err != nil {
		return err
	}
	return buf.close(true)
}

func (g *Group) write(ctx context.Context, buf *pages) error {
	tw, err := trevni.NewWriter(buf, &g.head, g.descriptors())
	if err != nil {
		return fmt.Errorf("reducer: %w", err)
	}
	if tw.Size() != g.Size() {
		return fmt.Errorf("reducer: a file of %d bytes was laid out as one of %d", tw.Size(), g.Size())
	}
	out := output{buf: buf, tw: tw}
	for i := range g.cols {
		if err := g.writeColumn(ctx, &out, i); err != nil {
			return err
		}
	}
	if err := tw.Close(); err != nil {
		return fmt.Errorf("reducer: %w", err)
	}
	return nil
}

// descriptors returns the blocks of all columns as the file's writer takes them.
func (g *Group) descriptors() [][]trevni.Block {
	all := make([][]trevni.Block, len(g.cols))
	for i := range g.cols {
		all[i] = make([]trevni.Block, len(g.cols[i].blocks))
		sum := uint32(g.o.coding(i).Checksum.Size())
		for k := range all[i] {
			b := &g.cols[i].blocks[k]
			all[i][k] = trevni.Block{Rows: b.rows, Raw: b.raw, Size: b.size - sum}
			if f := g.cols[i].firsts; f != nil {
				all[i][k].First = f.of(k)
			}
		}
	}
	return all
}

// output is the file being written.
type output struct {
	buf   *pages
	tw    *trevni.Writer
	value []byte // for values that a page is too small for
}

// room returns an empty slice with room for n bytes, in a page if it can.
func (o *output) room(n int) ([]byte, error) {
	if n <= pageBytes {
		return o.buf.room(n)
	}
	if cap(o.value) < n {
		o.value = make([]byte, 0, n)
	}
	return o.value[:0], nil
}

// writeColumn writes the blocks of column i, full runs from the source and others from
// the stage.
func (g *Group) writeColumn(ctx context.Context, out *output, i int) (err error) {
	c, refs := &g.cols[i], g.cols[i].refs
	sc := g.src.Scan(uint32(i), g.rng.From, g.rng.To)
	defer func() { err = closing(sc, err) }()
	for k := range c.blocks {
		b := &c.blocks[k]
		if err := ctx.Err(); err != nil {
			return err
		}
		var data []byte
		if b.runs == 0 {
			data, err = pass(sc, out, b)
		} else {
			data, err = g.staged(sc, out, b, refs[0])
			refs = refs[1:]
		}
		if err == nil {
			err = out.tw.WriteBlock(data)
		}
		if err != nil {
			return g.fault(i, b.row, err)
		}
	}
	return nil
}

// pass returns the scanner's next run, which must be block b.
func pass(sc Scanner, out *output, b *block) ([]byte, error) {
	t, err := next(sc)
	if err != nil {
		return nil, err
	}
	if t.Row != b.row || t.Rows != b.rows || t.Raw != b.raw || t.Size != b.size {
		return nil, changed(&t, b)
	}
	dst, err := out.room(int(b.size))
	if err != nil {
		return nil, err
	}
	data, err := sc.Value(dst)
	if err == nil && len(data) != int(b.size) {
		err = runError("a value of %d bytes, its tuple says %d", len(data), b.size)
	}
	return data, err
}

// staged returns block b from the stage, and moves the scanner past its runs.
func (g *Group) staged(sc Scanner, out *output, b *block, at ref) ([]byte, error) {
	for range b.runs {
		if _, err := next(sc); err != nil {
			return nil, err
		}
	}
	dst, err := out.room(int(b.size) + sumBytes)
	if err != nil {
		return nil, err
	}
	return g.stage.get(dst, at, int(b.size))
}

// changed is the error for a run that is not the one that was laid out.
func changed(t *tuple.Tuple, b *block) error {
	return rowsError("a run of %d rows from %v where one of %d from %v was laid out", t.Rows, t.Row, b.rows, b.row)
}
