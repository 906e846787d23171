package jobs

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/rowkey"
	"avro2trevni/internal/rowsort"
	"avro2trevni/internal/tuple"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/turns"
	"avro2trevni/mapper"
)

// rowCutter cuts rows out of splits and gives them to be sorted.
type rowCutter struct {
	*rowkey.Cutter
	w     *rowsort.Writer
	kinds map[*mapper.Program]uint32
	kind  uint32
	at    tuple.Row // the next row's
	first tuple.Row // the segment's
	key   []byte
	most  int64 // bytes of the largest row

	parts *partCounter // if rows are of partitions
}

// cutters returns a cutter for each worker.
func (s *sortedRows) cutters(j *job, m *mapStage) []*rowCutter {
	kinds := map[*mapper.Program]uint32{}
	for i := range j.plan.Inputs {
		p := j.plan.Program(i)
		if _, ok := kinds[p]; !ok {
			kinds[p] = uint32(len(s.programs))
			s.programs = append(s.programs, p)
		}
	}
	all := make([]*rowCutter, j.memory.Workers)
	names := &partNumbers{most: j.o.MaxPartitions}
	for i := range all {
		c := &rowCutter{w: s.sorter.NewWriter(), kinds: kinds}
		if j.order.part != nil {
			c.parts = &partCounter{names: names}
		}
		c.Cutter = rowkey.NewCutter(j.program, j.order.key, m.options, c.row)
		all[i] = c
	}
	return all
}

// Use implements walker: a segment begins.
func (c *rowCutter) Use(p *mapper.Program) {
	c.kind, c.first = c.kinds[p], c.at
	c.Cutter.Use(p)
}

// row takes a row. Its number ends its key: so rows of equal columns stay in order.
func (c *rowCutter) row(key, row []byte) error {
	c.key = binary.BigEndian.AppendUint64(append(c.key[:0], key...), uint64(c.at))
	if c.parts != nil {
		c.parts.add(partitionOf(key), c.at.Split(), len(row))
	}
	c.at++
	c.most = max(c.most, int64(len(row)))
	err := c.w.Add(c.key, c.kind, row)
	if errors.Is(err, rowsort.ErrLongKey) {
		return &inputs.RowError{Err: fmt.Errorf("row %d of that range: %w", c.at.InSplit()-1-c.first.InSplit(), err)}
	}
	return err
}

// cut cuts the rows out of splits until there are none left.
func (s *mapStage) cut(ctx context.Context, t *turns.Turn, c *rowCutter) (err error) {
	if c.parts != nil {
		c.parts.turn = t
	}
	room := s.large.Reader(ctx)
	defer room.Close()
	reader := ocf.NewReader(s.limits, room)
	c.SetRoom(memory.RowMemory{ReadMemory: room})
	defer reader.Close()
	defer func() {
		if closeErr := c.w.Close(); err == nil {
			err = closeErr
		}
	}()
	for {
		n := int(s.next.Add(1)) - 1
		if n >= len(s.plan.Splits) || !t.Begin(n) {
			return nil
		}
		if err := s.cutSplit(ctx, n, c, reader); err != nil {
			return err
		}
	}
}

func (s *mapStage) cutSplit(ctx context.Context, n int, c *rowCutter, reader *ocf.Reader) (err error) {
	defer exit.Recover(&err, fmt.Sprintf("split %d of %s", n, s.plan.Inputs[s.plan.Splits[n][0].Input].Path))
	c.at = tuple.RowOf(n, 0)
	for _, seg := range s.plan.Splits[n] {
		if _, err := s.segment(ctx, seg, c, reader); err != nil {
			return err
		}
	}
	return nil
}
