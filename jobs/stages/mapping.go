package stages

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/ocf"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/turns"
	"avro2trevni/mapper"
)

// Mapping is the reading of the inputs' splits by several goroutines, each of which has a
// [Reader].
type Mapping struct {
	W     *Work            // read only
	pool  *memory.ReadPool // for blocks that do not fit a reader's own buffers
	Tally *inputs.Tally    // of what is read

	taken atomic.Int64 // splits that a worker has
}

// Result is what a mapper made of a split.
type Result struct {
	Split  int
	Mapped *mapper.Result
	Rows   []int64 // of each segment
}

// walker takes the rows of segments: a [mapper.Mapper], or what cuts rows out.
type walker interface {
	Use(p *mapper.Program)
	Segment(ctx context.Context, blocks mapper.Blocks) (int64, error)
}

// NewMapping returns the reading of all splits of the plan. Nothing is read yet.
func NewMapping(w *Work) *Mapping {
	return &Mapping{W: w, pool: memory.NewReadPool(w.Share.ReadShare, w.Share.ReadLarge), Tally: w.Plan.NewTally()}
}

// Next returns the first split that no worker has; false if there is none, or none is wanted.
func (m *Mapping) Next(t *turns.Turn) (split int, ok bool) {
	split = int(m.taken.Add(1)) - 1
	return split, split < len(m.W.Plan.Splits) && t.Begin(split)
}

// name names a split in errors.
func (m *Mapping) name(split int) string {
	return fmt.Sprintf("split %d of %s", split, m.first(split))
}

// first is the first file of a split.
func (m *Mapping) first(split int) string {
	return m.W.Plan.Inputs[m.W.Plan.Splits[split][0].Input].Path
}

// Reader reads splits. It is for one goroutine.
type Reader struct {
	*Mapping
	room   *memory.ReadMemory
	blocks *ocf.Reader
}

// Reader returns a reader of splits. The caller closes it.
func (m *Mapping) Reader(ctx context.Context) *Reader {
	room := m.pool.Reader(ctx)
	return &Reader{m, room, ocf.NewReader(m.W.Limits, room)}
}

// Close gives back what the reader holds.
func (r *Reader) Close() {
	r.blocks.Close()
	r.room.Close()
}

// RowRoom is the room for what is made of the rows that are read.
func (r *Reader) RowRoom() memory.RowMemory { return memory.RowMemory{ReadMemory: r.room} }

// MapSplit maps a split.
func (r *Reader) MapSplit(ctx context.Context, split int, m *mapper.Mapper) (_ *Result, err error) {
	defer exit.Recover(&err, r.name(split))
	m.Begin(split)
	rows, err := r.Walk(ctx, split, m)
	if err != nil {
		return nil, r.located(split, rows, err)
	}
	result, err := m.End()
	if v := (*mapper.ValueError)(nil); errors.As(err, &v) {
		return nil, r.located(split, rows, err)
	}
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", r.first(split), err)
	}
	return &Result{split, &result, rows}, nil
}

// located says of a value that cannot be stored in which input, and at which row, it is. rows are
// those of the split's segments that are done. Other errors are returned as they are.
func (r *Reader) located(split int, rows []int64, err error) error {
	var v *mapper.ValueError
	if !errors.As(err, &v) {
		return err
	}
	row, i := v.Row.InSplit(), 0
	for ; i < len(rows) && row >= rows[i]; i++ {
		row -= rows[i]
	}
	seg := r.W.Plan.Splits[split][i]
	from := ""
	if seg.Start > 0 {
		from = fmt.Sprintf(" of those from byte %d on", seg.Start)
	}
	return &ValueError{fmt.Errorf("%s: row %d%s: column %q: %w", r.W.Plan.Inputs[seg.Input].Path, row, from, v.Column, v.Err)}
}

// Walk gives the rows of a split to a walker, and returns how many each segment has; with an
// error, those before it.
func (r *Reader) Walk(ctx context.Context, split int, to walker) (rows []int64, err error) {
	defer exit.Recover(&err, r.name(split))
	for _, seg := range r.W.Plan.Splits[split] {
		n, err := r.segment(ctx, seg, to)
		if err != nil {
			return rows, err
		}
		rows = append(rows, n)
	}
	return rows, nil
}

// segment gives the rows of a segment to a walker, and returns how many there are.
func (r *Reader) segment(ctx context.Context, seg inputs.Segment, to walker) (n int64, err error) {
	in := &r.W.Plan.Inputs[seg.Input]
	defer r.W.Doing.Begin("mapping %s, bytes %d to %d", in.Path, seg.Start, seg.End)()
	rows, err := r.W.Plan.Rows(ctx, seg, r.blocks)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	to.Use(r.W.Plan.Program(seg.Input))
	if n, err = to.Segment(ctx, rows); err != nil {
		return 0, rows.Explain(ctx, err)
	}
	r.Tally.Enter(seg, n, rows.Span())
	r.W.Log.Debug("mapped", "file", in.Path, "from", seg.Start, "to", seg.End, "rows", n)
	r.W.Progress.Rows.Add(n)
	r.W.Progress.Mapped.Add(seg.End - seg.Start)
	return n, nil
}
