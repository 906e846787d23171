package damage

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
	"avro2trevni/jobs/watch"
	"avro2trevni/mapper"
)

// Survey reads inputs from their start to their end, block by block, as the mapper would.
type Survey struct {
	Plan      *inputs.Plan // of one input at least
	Limits    ocf.Limits
	BlockSize int          // of the job
	Memory    memory.Share // of the map stage, which does not run
	Doing     *watch.Activities
	Progress  *watch.Progress
}

// One surveys one input, and fails if it is damaged.
func (s *Survey) One(ctx context.Context, input int) (*inputs.Known, error) {
	w := s.surveyor(ctx, memory.NewReadPool(s.Memory.ReadShare, s.Memory.ReadLarge))
	defer w.close()
	known, err := w.survey(ctx, input, s.Plan.Borders()[input])
	if err == nil && len(known.Gaps) > 0 {
		err = inputs.WithLoss(known.Err, known.Gaps[0])
	}
	return known, err
}

// All surveys all inputs, several at a time.
func (s *Survey) All(ctx context.Context) ([]*inputs.Known, error) {
	found := make([]*inputs.Known, len(s.Plan.Inputs))
	borders := s.Plan.Borders()
	pool := memory.NewReadPool(s.Memory.ReadShare, s.Memory.ReadLarge)
	var next atomic.Int64
	err := turns.Take(ctx, s.Memory.Workers, func(ctx context.Context, _ int, t *turns.Turn) error {
		w := s.surveyor(ctx, pool)
		defer w.close()
		for {
			i := int(next.Add(1)) - 1
			if i >= len(found) || !t.Begin(i) {
				return nil
			}
			var err error
			if found[i], err = w.survey(ctx, i, borders[i]); err != nil {
				return err
			}
		}
	})
	return found, err
}

// surveyor reads inputs from their start to their end.
type surveyor struct {
	*Survey
	reader *ocf.Reader
	mapper *mapper.Mapper
	room   *memory.ReadMemory
}

// surveyor returns a surveyor for one goroutine. It takes the place of one worker of
// the map stage, and no more memory than that.
func (s *Survey) surveyor(ctx context.Context, pool *memory.ReadPool) *surveyor {
	o := mapper.Options{BlockSize: s.BlockSize}
	room := pool.Reader(ctx)
	w := &surveyor{s, ocf.NewReader(s.Limits, room), mapper.New(s.Plan.Program(0), o, nil, nil), room}
	w.mapper.SetRoom(memory.RowMemory{ReadMemory: room})
	return w
}

// close gives back what the surveyor holds.
func (w *surveyor) close() {
	w.reader.Close()
	w.room.Close()
}

// survey reads one input, whose segments begin at the borders.
func (w *surveyor) survey(ctx context.Context, input int, borders []int64) (k *inputs.Known, err error) {
	in := &w.Plan.Inputs[input]
	defer exit.Recover(&err, in.Path)
	defer w.Doing.Begin("looking for damage in %s", in.Path)()
	file, err := w.Plan.Open(ctx, input)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := w.reader.Open(file, in.Path, in.Size, in.Header, 0, in.Size); err != nil {
		return nil, err
	}
	w.mapper.Use(w.Plan.Program(input))
	t := &tracker{Reader: w.reader, borders: borders, progress: w.Progress}
	for {
		w.mapper.Begin(0)
		_, err := w.mapper.Segment(ctx, t)
		if err == nil {
			t.at(in.Size)
			return &t.found, nil
		}
		if errors.Is(err, mapper.ErrUnresolved) {
			return nil, in.Named(err)
		}
		if !inputs.Damaged(err) {
			return nil, err
		}
		if err := t.skip(in, err); err != nil {
			return nil, err
		}
	}
}

// tracker keeps what a survey finds.
type tracker struct {
	*ocf.Reader
	borders  []int64 // those not yet passed
	progress *watch.Progress
	last     ocf.Block // counted last; its offset is 0 before the first
	found    inputs.Known
}

// Next implements [mapper.Blocks].
func (t *tracker) Next() (ocf.Block, error) {
	b, err := t.Reader.Next()
	if err == nil {
		t.at(b.Offset)
		t.last = b
		t.progress.Moved.Add(b.Size)
		t.found.Blocks++
		t.found.Rows += b.Rows
	}
	return b, err
}

// at notes that a block is tried at an offset.
func (t *tracker) at(offset int64) {
	for len(t.borders) > 0 && t.borders[0] <= offset {
		t.found.Firsts = append(t.found.Firsts, offset)
		t.borders = t.borders[1:]
	}
}

// skip passes over a block that is not whole.
func (t *tracker) skip(in *inputs.Input, why error) error {
	gap, err := t.Skip()
	if err != nil {
		return err
	}
	if t.found.Err == nil {
		t.found.Err = in.Named(why)
	}
	t.at(gap.Offset)
	if t.last.Offset == gap.Offset {
		t.found.Blocks--
		t.found.Rows -= t.last.Rows
	}
	t.found.Gaps = ocf.AppendGap(t.found.Gaps, gap)
	if len(t.found.Gaps) > maxGaps {
		return fmt.Errorf("jobs: more than %d ranges are damaged; first: %w", maxGaps, t.found.Err)
	}
	return nil
}
