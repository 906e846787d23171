package sorting

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/rowkey"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/stages"
	"avro2trevni/reducer"
)

// Order is how a job's rows are sorted.
type Order struct {
	part  *parting // nil: the output has no partitions
	key   *rowkey.Key
	first int    // the column of the key that rows are sorted by first, but for the partition
	Plain string // its name, if it ascends and each row has one value of it
	split int64  // bytes of rows in a split of sorted rows
	most  int    // partitions
}

// Columns returns the columns of names: paths, which may end in :asc or :desc.
func Columns(names []string) ([]rowkey.Column, error) {
	var columns []rowkey.Column
	for _, name := range names {
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

// Options say in which order rows are to be.
type Options struct {
	By    []string // fields that the rows are sorted by, see [Columns]
	Part  string   // the field whose values make partitions, "" for none
	Most  int      // partitions
	Split int64    // bytes of a split of the inputs
}

// New returns the order of the options, nil for the order of the inputs.
func New(p *inputs.Plan, o Options) (*Order, error) {
	columns, err := Columns(o.By)
	if err != nil || len(columns) == 0 && o.Part == "" {
		return nil, err
	}
	ord := &Order{split: min(o.Split, mostSplit(p)), most: o.Most}
	if o.Part != "" {
		ord.part = &parting{field: o.Part}
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
	if ord.part != nil {
		ord.part.typ = key.Type(0)
		if err := ord.part.check(); err != nil || len(columns) == 1 {
			return ord, err
		}
		ord.first = 1
	}
	ord.Plain = key.Plain(ord.first)
	return ord, nil
}

// Watch makes [Rows] know the longest value of Plain.
func (ord *Order) Watch() { ord.key.Watch = ord.first }

// flags names what the order is asked for by.
func (ord *Order) flags(o Options) string {
	switch {
	case ord.part == nil:
		return "sort by"
	case len(o.By) == 0:
		return "partition by"
	}
	return "partition by, sort by"
}

// Misordered says of an error about a column's first values that the rows are sorted by others.
func Misordered(at *reducer.Error) error {
	if errors.Is(at, reducer.ErrOrder) {
		return fmt.Errorf("%w: %q does not ascend in the order that the rows are sorted to", stages.ErrUnsorted, at.Column)
	}
	return fmt.Errorf("jobs: the sorted rows: %w", at)
}
