package jobs

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"avro2trevni/internal/exit"
	format "avro2trevni/internal/format/trevni"
	"avro2trevni/internal/rowkey"
	"avro2trevni/jobs/inputs"
	"avro2trevni/reducer"
	"avro2trevni/trevni"
)

// order is how a job's rows are sorted.
type order struct {
	part  *parting // nil: the output has no partitions
	key   *rowkey.Key
	index int   // the column that gets first values for it, though nobody asked for them; -1: none
	split int64 // bytes of rows in a split of sorted rows
	most  int   // partitions
}

// sortColumns returns the columns of [Options].SortBy.
func (o *Options) sortColumns() ([]rowkey.Column, error) {
	var columns []rowkey.Column
	for _, name := range o.SortBy {
		path, way, given := strings.Cut(name, ":")
		c := rowkey.Column{Path: path}
		if given {
			down := way == "desc"
			c.Descending = &down
		}
		switch {
		case path == "":
			return nil, exit.Usage("sort by: the name is empty")
		case given && way != "asc" && way != "desc":
			return nil, exit.Usage("sort by %q: after the colon must be asc or desc", name)
		case slices.ContainsFunc(columns, func(k rowkey.Column) bool { return k.Path == path }):
			return nil, exit.Usage("sort by: %q is given twice", path)
		}
		columns = append(columns, c)
	}
	return columns, nil
}

func (o *Options) validateSort() error {
	if o.PartitionBy != "" && o.Single() {
		return exit.Usage("partition by %s: the output is one file; name a folder", o.PartitionBy)
	}
	_, err := o.sortColumns()
	return err
}

// newOrder returns the order that the options ask for, nil for the inputs'.
func newOrder(p *inputs.Plan, o *Options) (*order, error) {
	columns, err := o.sortColumns()
	if err != nil || len(columns) == 0 && o.PartitionBy == "" {
		return nil, err
	}
	ord := &order{index: -1, split: min(o.SplitSize, mostSortedSplit), most: o.MaxPartitions}
	if o.PartitionBy != "" {
		ord.part = &parting{field: o.PartitionBy}
		columns = slices.Insert(columns, 0, ord.part.key())
	}
	key, err := rowkey.New(p.Schemas.Rows, columns)
	if err != nil {
		return nil, exit.Refused("%s: %w", ord.flags(o), err)
	}
	ord.key = key
	for i := range p.Inputs {
		if p.Program(i).Hollow() {
			return nil, exit.Refused("%s: %s: its rows take no bytes, and there is nothing to sort", ord.flags(o), p.Inputs[i].Path)
		}
	}
	first := 0
	if ord.part != nil {
		ord.part.typ = key.Type(0)
		if err := ord.part.check(); err != nil || len(columns) == 1 {
			return ord, err
		}
		first = 1
	}
	if i, ok := key.Plain(first); ok && unindexable(&format.Columns(p.Schemas.Layout)[i]) == "" {
		ord.index, key.Watch = i, first
	}
	return ord, nil
}

// flags names what the order is asked for by.
func (ord *order) flags(o *Options) string {
	switch {
	case ord.part == nil:
		return "sort by"
	case len(o.SortBy) == 0:
		return "partition by"
	}
	return "partition by, sort by"
}

// indexed returns the columns with first values for the one that the rows are sorted by
// first, if it can have them. The order may be nil.
func (ord *order) indexed(columns []trevni.Column) []trevni.Column {
	if ord == nil || ord.index < 0 {
		return columns
	}
	if columns[ord.index].FirstValues { // the user asked for it
		ord.index = -1
		return columns
	}
	columns = slices.Clone(columns)
	columns[ord.index].FirstValues = true
	return columns
}

// unindexed takes the first values back that nobody asked for, if a value is too long.
func (ord *order) unindexed(t *table, log *slog.Logger) *table {
	if ord.index < 0 {
		return t
	}
	log.Info("the column gets no first values: one of them is too long", "column", t.names()[ord.index], "most", format.MaxFirst)
	return t.unindexed(ord.index)
}

// misordered says of an error about a column's first values that the rows are sorted by others.
func misordered(at *reducer.Error) error {
	if errors.Is(at, reducer.ErrOrder) {
		return fmt.Errorf("%w: %q does not ascend in the order that the rows are sorted to", ErrUnsorted, at.Column)
	}
	return fmt.Errorf("jobs: the sorted rows: %w", at)
}
