package reducer

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"avro2trevni/internal/tuple"
)

// Write writes the group's file to w, front to back, in large writes. All writes come from one goroutine, not the
// caller's, which is gone when Write returns. It may be called again, after an error
// too, for the same bytes. The source must still give the group's runs; a run that is
// not the one that was laid out is an [Error].
func (g *Group) Write(ctx context.Context, w io.Writer) error {
	if g.err != nil {
		return g.err
	}
	readers := make([]filler, g.o.Readers)
	for n := range readers {
		readers[n] = &reader{g: g}
	}
	buf := newPages(w, readers...)
	defer buf.close(false)
	if err := g.write(ctx, buf); err != nil {
		return err
	}
	return buf.close(true)
}

func (g *Group) write(ctx context.Context, buf *pages) (err error) {
	l := &Laid{g}
	fw, err := g.o.Format.NewWriter(buf, l)
	if err != nil {
		return fmt.Errorf("reducer: %w", err)
	}
	out := output{buf: buf, w: fw, staged: make([]int, len(g.cols)), large: reader{g: g}}
	defer func() {
		if e := out.large.close(); err == nil {
			err = e
		}
	}()
	for i, k := range l.Order() {
		if err := g.writeBlock(ctx, &out, i, k); err != nil {
			return err
		}
	}
	if err := fw.Close(); err != nil {
		return fmt.Errorf("reducer: %w", err)
	}
	if buf.size != g.Size() {
		return fmt.Errorf("reducer: a file of %d bytes was laid out as one of %d", buf.size, g.Size())
	}
	return nil
}

// output is the file being written.
type output struct {
	buf    *pages
	w      Writer
	staged []int  // blocks of each column that came from the stage
	large  reader // of blocks that a page is too small for
	value  []byte // one of these
}

// writeBlock writes block k of column i: one from the stage, or too large for a page, as
// it is; of another the place.
func (g *Group) writeBlock(ctx context.Context, out *output, i, k int) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	var data []byte
	b := &g.cols[i].blocks[k]
	switch n := int(b.size); {
	case b.runs > 0:
		data, err = g.staged(out, i, k)
	case n > pageBytes:
		if err = out.buf.handOver(); err == nil { // or the source may wait for a gap to be filled
			data, err = out.large.pass(i, k, out.value[:0])
			out.value = data
		}
	default:
		data, err = out.buf.gap(i, k, n)
	}
	if err != nil {
		return err
	}
	return out.w.WriteBlock(data)
}

// staged returns block k of column i, the next of its column that is from the stage, in a
// page if there is room.
func (g *Group) staged(out *output, i, k int) ([]byte, error) {
	b, at := &g.cols[i].blocks[k], g.cols[i].refs[out.staged[i]]
	out.staged[i]++
	n := int(b.size)
	var dst []byte
	if n+sumBytes <= pageBytes {
		var err error
		if dst, err = out.buf.room(n + sumBytes); err != nil {
			return nil, err
		}
	} else {
		out.value = slices.Grow(out.value[:0], n+sumBytes)
		dst = out.value
	}
	data, err := g.stage.get(dst, at, n)
	if err != nil {
		return nil, g.fault(i, b.row, err)
	}
	return data, nil
}

// reader reads the runs that are blocks as they are, front to back; it may leave some
// out. One goroutine; close must be called.
type reader struct {
	g      *Group
	column int
	sc     Scanner // of that column, nil before the first run
}

// pass appends block k of column i to dst. Its errors are an [Error], those of the
// source too.
func (r *reader) pass(i, k int, dst []byte) (_ []byte, err error) {
	b := &r.g.cols[i].blocks[k]
	defer func() {
		if err != nil {
			err = r.g.fault(i, b.row, err)
		}
	}()
	if r.sc == nil || r.column != i {
		if err := r.close(); err != nil {
			return dst, err
		}
		r.sc, r.column = r.g.src.Scan(uint32(i), b.row, r.g.rng.To), i
	}
	var t tuple.Tuple
	for {
		if err := next(r.sc); err != nil {
			return dst, err
		}
		if t = r.sc.Tuple(); t.Row >= b.row {
			break
		}
	}
	if t.Row != b.row || t.Rows != b.rows || t.Raw != b.raw || t.Size != b.size {
		return dst, rowsError("a run of %d rows from %v where one of %d from %v was laid out", t.Rows, t.Row, b.rows, b.row)
	}
	dst, err = r.sc.Value(dst)
	if err == nil && len(dst) != int(b.size) {
		err = runError("a value of %d bytes, its tuple says %d", len(dst), b.size)
	}
	return dst, err
}

// fill implements [filler].
func (r *reader) fill(gaps []gap) error {
	for _, p := range gaps {
		if err := r.fillGap(p); err != nil {
			return err
		}
	}
	return nil
}

// fillGap fills a gap, and turns a panic of the source into an error: nothing above its
// goroutine could.
func (r *reader) fillGap(p gap) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = r.g.fault(p.column, r.g.cols[p.column].blocks[p.block].row, fmt.Errorf("panic: %v\n%s", e, debug.Stack()))
		}
	}()
	value, err := r.pass(p.column, p.block, p.dst[:0])
	if err != nil {
		return err
	}
	copy(p.dst, value) // of itself, unless the source returned another slice
	return nil
}

// close gives the scanner up.
func (r *reader) close() error {
	if r.sc == nil {
		return nil
	}
	sc := r.sc
	r.sc = nil
	return sc.Close()
}
