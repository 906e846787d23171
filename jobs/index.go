package jobs

import (
	"errors"
	"fmt"
	"slices"

	"avro2trevni/internal/colname"
	"avro2trevni/internal/exit"
	"avro2trevni/internal/tuple"
	"avro2trevni/reducer"
	"avro2trevni/trevni"
)

// ErrUnsorted is returned for an input whose values of a column in [Options].Index do
// not ascend from row to row, and from the last row of the input before it.
var ErrUnsorted = errors.New("jobs: column is not sorted")

// index returns a copy of the columns in which those named have first values, and
// their own names, in the columns' order. What cannot have them is refused.
func index(columns []trevni.Column, names []string) ([]trevni.Column, []string, error) {
	if len(names) == 0 {
		return columns, nil, nil
	}
	columns = slices.Clone(columns)
	for _, name := range names {
		i, err := colname.Find(columns, name)
		if err != nil {
			return nil, nil, exit.Refused("index: %w", err)
		}
		c := &columns[i]
		if why := unindexable(c); why != "" {
			return nil, nil, exit.Refused("index: column %q, %s: %s", c.Name, c.Type, why)
		}
		c.Values = true
	}
	var own []string
	for i := range columns {
		if columns[i].Values {
			own = append(own, columns[i].Name)
		}
	}
	return columns, own, nil
}

// unindexable tells why a column cannot have first values, "" if it can.
func unindexable(c *trevni.Column) string {
	switch {
	case c.Array || c.Parent != "":
		return "the format has no first values for arrays, maps, unions, and what is in them: a row may have none or several"
	case c.Type == trevni.Boolean:
		return "Avro's Java implementation misreads booleans with first values"
	case c.Type == trevni.Null:
		return "nulls have no order"
	}
	return ""
}

// firstsMemory is what the first values of a block's columns hold at the most, and
// again as they are written.
func firstsMemory(columns []trevni.Column) (bytes int64) {
	for i := range columns {
		if c := &columns[i]; c.Values {
			most := 10
			if c.Type == trevni.String || c.Type == trevni.Bytes {
				most = reducer.MaxFirst
			}
			bytes += int64(most) + 8
		}
	}
	return bytes
}

// segmentRows is how many rows each segment of a split had.
type segmentRows map[int][]int64

// unsorted says in which input, at which row, a column is not sorted. Other errors are
// returned as they are.
func (s segmentRows) unsorted(p *Plan, err error) error {
	var at *reducer.Error
	if !errors.As(err, &at) || !errors.Is(err, reducer.ErrOrder) && !errors.Is(err, reducer.ErrLong) {
		return err
	}
	in, row := s.locate(p, at.Row)
	if errors.Is(err, reducer.ErrOrder) {
		return fmt.Errorf("%s: row %d: %w: %q is less than in the row before, and an index needs rows sorted by it",
			p.Inputs[in].Path, row, ErrUnsorted, at.Column)
	}
	return fmt.Errorf("%s: row %d: column %q: %w", p.Inputs[in].Path, row, at.Column, at.Err)
}

// locate returns the input that a row is of, and the row's number among those of it
// that were converted, from 0. The splits up to the row's must have been entered.
func (s segmentRows) locate(p *Plan, at tuple.Row) (input int, row int64) {
	row = at.InSplit()
	for i, seg := range p.Splits[at.Split()] {
		input = seg.Input
		n := s[at.Split()][i]
		if row < n {
			break
		}
		row -= n
	}
	for n := at.Split() - 1; n >= 0; n-- {
		split := p.Splits[n]
		if split[len(split)-1].Input != input {
			break
		}
		row += s[n][len(split)-1]
	}
	return input, row
}
