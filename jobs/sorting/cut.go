package sorting

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"avro2trevni/internal/rowkey"
	"avro2trevni/internal/rowsort"
	"avro2trevni/internal/tuple"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/stages"
	"avro2trevni/jobs/turns"
	"avro2trevni/mapper"
)

// rowCutter cuts rows out of splits and gives them to be sorted.
type rowCutter struct {
	*rowkey.Cutter
	w     *rowsort.Writer
	kinds map[*mapper.Program]rowKind
	kind  uint32
	at    tuple.Row // the next row's
	first tuple.Row // the segment's
	key   []byte
	most  int64 // bytes of the largest row

	parts *partCounter // if rows are of partitions
}

// rowKind is what is known of rows of a program: the kind that they are sorted as, and what
// walks over them for their keys.
type rowKind struct {
	number uint32
	keys   *mapper.Program
}

// cutters returns a cutter for each worker.
func (s *Rows) cutters(w *stages.Work, ord *Order) []*rowCutter {
	kinds := map[*mapper.Program]rowKind{}
	for i := range w.Plan.Inputs {
		p := w.Plan.Program(i)
		if _, ok := kinds[p]; !ok {
			kinds[p] = rowKind{uint32(len(s.programs)), w.Plan.KeyProgram(i)}
			s.programs = append(s.programs, p)
		}
	}
	all := make([]*rowCutter, w.Share.Workers)
	names := &partNumbers{most: ord.most}
	for i := range all {
		c := &rowCutter{w: s.sorter.NewWriter(), kinds: kinds}
		if ord.part != nil {
			c.parts = &partCounter{names: names}
		}
		c.Cutter = rowkey.NewCutter(w.Plan.KeyProgram(0), ord.key, w.Table.Mapping(), c.row)
		all[i] = c
	}
	return all
}

// Use implements walker: a segment begins.
func (c *rowCutter) Use(p *mapper.Program) {
	kind := c.kinds[p]
	c.kind, c.first = kind.number, c.at
	c.Cutter.Use(kind.keys)
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
func (c *rowCutter) cut(ctx context.Context, m *stages.Mapping, t *turns.Turn) (err error) {
	if c.parts != nil {
		c.parts.turn = t
	}
	reader := m.Reader(ctx)
	defer reader.Close()
	c.SetRoom(reader.RowRoom())
	defer func() {
		if closeErr := c.w.Close(); err == nil {
			err = closeErr
		}
	}()
	for {
		split, ok := m.Next(t)
		if !ok {
			return nil
		}
		c.at = tuple.RowOf(split, 0)
		if _, err := reader.Walk(ctx, split, c); err != nil {
			return err
		}
	}
}
