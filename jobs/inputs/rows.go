package inputs

import (
	"context"
	"errors"
	"fmt"
	"io"

	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
	"avro2trevni/mapper"
)

// Rows are the rows of a segment, for one goroutine. They are the blocks of an Avro file, or
// those that a part file's rows are made of.
type Rows interface {
	mapper.Blocks

	// Explain returns what a walk over the rows failed with, with its place: a [Damage] if the
	// data are damaged, or look so, and else what has nothing to do with them.
	Explain(ctx context.Context, err error) error
	// Span is where the blocks were, for [Tally.Enter], when all are read.
	Span() ocf.Span
	// Close closes the file.
	Close() error
}

// Rows opens a segment's input: [exit.ErrChanged] if it is not as planned any more. An Avro
// file's blocks are read by r, which is the rows' until they are closed.
func (p *Plan) Rows(ctx context.Context, seg Segment, r *ocf.Reader) (_ Rows, err error) {
	in := &p.Inputs[seg.Input]
	from := seg.Start
	switch {
	case in.part:
		from = seg.End // column by column, in no order
	case in.Known == nil && from == 0:
		from = in.Header.Size
	}
	file, err := p.openRange(ctx, in, from, seg.End)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	if in.part {
		return newPartRows(in, seg, p.how.Format, file)
	}
	if storage.Remote(in.Path) {
		file = storage.ReadAhead(file, seg.End)
	}
	if k := in.Known; k != nil {
		err = r.OpenAt(file, in.Path, in.Size, in.Header, k.Firsts[seg.Part], seg.End, k.Gaps)
	} else {
		err = r.Open(file, in.Path, in.Size, in.Header, seg.Start, seg.End)
	}
	return &avroRows{r, p, in, seg, file}, err
}

// avroRows are the blocks of a segment of an Avro file.
type avroRows struct {
	*ocf.Reader
	plan *Plan
	in   *Input
	seg  Segment
	file storage.File
}

// Span implements [Rows].
func (r *avroRows) Span() ocf.Span { return ocf.Span{First: r.First(), End: r.End()} }

// Close implements [Rows].
func (r *avroRows) Close() error { return r.file.Close() }

// Explain implements [Rows]. A [Damage] says what skipping the block would lose, unless the
// data were looked for in the wrong place. A [RowError] is damage too, if its row may
// belong to a damaged block.
func (r *avroRows) Explain(ctx context.Context, err error) error {
	row := (*RowError)(nil)
	ofRow := errors.As(err, &row)
	switch {
	case ofRow:
		err = fmt.Errorf("%s: bytes %d to %d: %w", r.in.Path, r.seg.Start, r.seg.End, err)
	case Damaged(err):
		err = r.in.Named(err)
	default:
		return err
	}
	first, skip := r.First(), r.plan.how.Skip
	doubt := r.seg.Start > 0 && r.in.Known == nil && first >= 0 && !r.block(first)
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // it was not read to the end
	case doubt, ofRow && r.in.Known == nil && skip: // the row may be of a block that is left out
		return &Damage{Input: r.seg.Input, Doubt: true, Err: err}
	case ofRow:
		return err
	}
	if errors.Is(err, mapper.ErrUnresolved) {
		return err // the rows are whole
	}
	if gap, skipErr := r.Skip(); skipErr == nil && !skip {
		err = WithLoss(err, gap)
	}
	return &Damage{Input: r.seg.Input, Err: err}
}

// block reports whether a block begins at an offset, as far as can be told by going
// from block to block from the file's start.
func (r *avroRows) block(at int64) bool {
	reader := ocf.NewReader(r.plan.how.Limits, nil)
	defer reader.Close()
	err := reader.Open(r.file, r.in.Path, r.in.Size, r.in.Header, 0, at+1)
	for err == nil {
		var b ocf.Block
		if b, err = reader.Next(); err == nil && b.Offset >= at {
			return b.Offset == at
		}
	}
	return !errors.Is(err, io.EOF)
}
