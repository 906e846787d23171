package jobs

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

// mapping is the reading of the inputs' splits by several goroutines, each of which has a
// splitReader.
type mapping struct {
	w     *Work
	pool  *memory.ReadPool // for blocks that do not fit a reader's own buffers
	tally *inputs.Tally    // of what is read

	taken atomic.Int64 // splits that a worker has
}

// splitResult is what a mapper made of a split.
type splitResult struct {
	split  int
	mapped *mapper.Result
	rows   []int64 // of each segment
}

// walker takes the rows of segments: a [mapper.Mapper], or what cuts rows out.
type walker interface {
	Use(p *mapper.Program)
	Segment(ctx context.Context, blocks mapper.Blocks) (int64, error)
}

func newMapping(w *Work) *mapping {
	return &mapping{w: w, pool: memory.NewReadPool(w.Share.ReadShare, w.Share.ReadLarge), tally: w.Plan.NewTally()}
}

// next returns the first split that no worker has; false if there is none, or none is wanted.
func (m *mapping) next(t *turns.Turn) (split int, ok bool) {
	split = int(m.taken.Add(1)) - 1
	return split, split < len(m.w.Plan.Splits) && t.Begin(split)
}

// name names a split in errors.
func (m *mapping) name(split int) string {
	return fmt.Sprintf("split %d of %s", split, m.first(split))
}

// first is the first file of a split.
func (m *mapping) first(split int) string {
	return m.w.Plan.Inputs[m.w.Plan.Splits[split][0].Input].Path
}

// splitReader reads splits. It is for one goroutine.
type splitReader struct {
	*mapping
	room   *memory.ReadMemory
	blocks *ocf.Reader
}

// reader returns a reader of splits. The caller closes it.
func (m *mapping) reader(ctx context.Context) *splitReader {
	room := m.pool.Reader(ctx)
	return &splitReader{m, room, ocf.NewReader(m.w.Limits, room)}
}

// close gives back what the reader holds.
func (r *splitReader) close() {
	r.blocks.Close()
	r.room.Close()
}

// rowRoom is the room for what is made of the rows that are read.
func (r *splitReader) rowRoom() memory.RowMemory { return memory.RowMemory{ReadMemory: r.room} }

// mapSplit maps a split.
func (r *splitReader) mapSplit(ctx context.Context, split int, m *mapper.Mapper) (_ *splitResult, err error) {
	defer exit.Recover(&err, r.name(split))
	m.Begin(split)
	rows, err := r.walk(ctx, split, m)
	if err != nil {
		return nil, err
	}
	result, err := m.End()
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", r.first(split), err)
	}
	return &splitResult{split, &result, rows}, nil
}

// walk gives the rows of a split to a walker, and returns how many each segment has.
func (r *splitReader) walk(ctx context.Context, split int, to walker) (rows []int64, err error) {
	defer exit.Recover(&err, r.name(split))
	for _, seg := range r.w.Plan.Splits[split] {
		n, err := r.segment(ctx, seg, to)
		if err != nil {
			return nil, err
		}
		rows = append(rows, n)
	}
	return rows, nil
}

// segment gives the rows of a segment to a walker, and returns how many there are.
func (r *splitReader) segment(ctx context.Context, seg inputs.Segment, to walker) (n int64, err error) {
	in := &r.w.Plan.Inputs[seg.Input]
	defer r.w.Doing.Begin("mapping %s, bytes %d to %d", in.Path, seg.Start, seg.End)()
	rows, err := r.w.Plan.Rows(ctx, seg, r.blocks)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	to.Use(r.w.Plan.Program(seg.Input))
	if n, err = to.Segment(ctx, rows); err != nil {
		return 0, rows.Explain(ctx, err)
	}
	r.tally.Enter(seg, n, rows.Span())
	r.w.Log.Debug("mapped", "file", in.Path, "from", seg.Start, "to", seg.End, "rows", n)
	r.w.Progress.Rows.Add(n)
	r.w.Progress.Mapped.Add(seg.End - seg.Start)
	return n, nil
}
