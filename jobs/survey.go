package jobs

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/tuple"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/turns"
	"avro2trevni/jobs/watch"
	"avro2trevni/mapper"
)

// mend learns where inputs are damaged, when the stages came upon what looks like it,
// and changes the plan so that they can be run again, around the damage. It returns
// what the stages failed with if nothing more is to be learned, or to be skipped.
//
// Each input is read from its start to its end, block by block, as the mapper would; so
// what is skipped follows from its bytes alone, not from where it was cut into segments
// or who came upon the damage first. If nothing may be skipped only that input is read,
// to tell damage from data that hold their own sync marker.
//
// A survey that fails changes nothing: the plan is as it was, and the next attempt comes
// upon the damage again.
func (j *job) mend(ctx context.Context, failed error) error {
	var d *inputs.Damage
	if !errors.As(failed, &d) || j.plan.Inputs[d.Input].Known != nil || !j.o.damage().Skips() && !d.Doubt {
		return failed
	}
	if err := j.plan.Unchanged(ctx); err != nil {
		return err // a file that is being written over reads as damaged
	}
	j.o.Log.Info("an input is damaged, or looks so: reading from its start", "error", d.Err, "all", j.o.damage().Skips())
	if err := j.out.Discard(); err != nil {
		return err
	}
	j.o.Progress.Restart()
	if !j.o.damage().Skips() {
		return j.surveyOne(ctx, d.Input)
	}
	found, err := j.surveyAll(ctx)
	if err != nil {
		return err
	}
	for i := range found {
		j.plan.Inputs[i].Known = found[i]
	}
	if j.o.OnCorrupt == CorruptSkipFile {
		j.plan.Drop(func(in *inputs.Input) bool { return len(in.Known.Gaps) > 0 })
		j.plan.Cut()
		if err := j.plan.ShareMeta(ctx); err != nil {
			return err
		}
	}
	return j.o.damage().Allowed(j.plan, j.earlier != nil)
}

// surveyOne surveys one input, and fails if it is damaged.
func (j *job) surveyOne(ctx context.Context, input int) error {
	w := j.newSurveyor(ctx, memory.NewReadPool(j.memory.ReadShare, j.memory.ReadLarge))
	defer w.close()
	known, err := w.survey(ctx, input, j.plan.Borders()[input])
	if err != nil {
		return err
	}
	if len(known.Gaps) > 0 {
		return inputs.WithLoss(known.Err, known.Gaps[0])
	}
	j.plan.Inputs[input].Known = known
	return nil
}

// surveyAll surveys all inputs, several at a time.
func (j *job) surveyAll(ctx context.Context) ([]*inputs.Known, error) {
	found := make([]*inputs.Known, len(j.plan.Inputs))
	borders := j.plan.Borders()
	pool := memory.NewReadPool(j.memory.ReadShare, j.memory.ReadLarge)
	var next atomic.Int64
	err := turns.Take(ctx, j.memory.Workers, func(ctx context.Context, _ int, t *turns.Turn) error {
		w := j.newSurveyor(ctx, pool)
		defer w.close()
		for {
			i := int(next.Add(1)) - 1
			if i >= len(j.plan.Inputs) || !t.Begin(i) {
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
	j      *job
	reader *ocf.Reader
	mapper *mapper.Mapper
	room   *memory.ReadMemory
}

// newSurveyor returns a surveyor for one goroutine. It takes the place of one worker of
// the map stage, and no more memory than that.
func (j *job) newSurveyor(ctx context.Context, pool *memory.ReadPool) *surveyor {
	o := mapper.Options{BlockSize: j.o.BlockSize} // no codec, no checksum: nothing is kept
	room := pool.Reader(ctx)
	s := &surveyor{j, ocf.NewReader(j.o.limits(j.o.Memory), room), mapper.New(j.program, o, new(nowhere)), room}
	s.mapper.SetRoom(memory.RowMemory{ReadMemory: room})
	return s
}

// close gives back what the surveyor holds.
func (w *surveyor) close() {
	w.reader.Close()
	w.room.Close()
}

// survey reads one input, whose segments begin at the borders.
func (w *surveyor) survey(ctx context.Context, input int, borders []int64) (k *inputs.Known, err error) {
	in := &w.j.plan.Inputs[input]
	defer exit.Recover(&err, in.Path)
	defer w.j.doing.Begin("looking for damage in %s", in.Path)()
	file, err := w.j.plan.Open(ctx, input)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := w.reader.Open(file, in.Path, in.Size, in.Header, 0, in.Size); err != nil {
		return nil, err
	}
	w.mapper.Use(w.j.plan.Program(input))
	t := &tracker{Reader: w.reader, borders: borders, progress: w.j.o.Progress}
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

// nowhere is a sink that keeps nothing.
type nowhere struct{ buf []byte }

// Buffer implements [mapper.Sink].
func (n *nowhere) Buffer(size int) ([]byte, error) {
	if cap(n.buf) < size {
		n.buf = make([]byte, 0, size)
	}
	return n.buf[:0], nil
}

// Add implements [mapper.Sink].
func (*nowhere) Add(tuple.Tuple) error { return nil }
