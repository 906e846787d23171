package stages

import (
	"errors"
	"fmt"

	"avro2trevni/internal/tuple"
	"avro2trevni/jobs/inputs"
	"avro2trevni/reducer"
)

// ErrUnsorted is returned for an input whose values of a column with an index do not ascend
// from row to row, and from the last row of the input before it.
var ErrUnsorted = errors.New("jobs: column is not sorted")

// SegmentRows is how many rows each segment of a split had.
type SegmentRows map[int][]int64

// Disorder returns what is wrong with the order of a column with first values, nil if an
// error is another.
func Disorder(err error) *reducer.Error {
	var at *reducer.Error
	if errors.As(err, &at) && (errors.Is(at, reducer.ErrOrder) || errors.Is(at, reducer.ErrLong)) {
		return at
	}
	return nil
}

// UnsortedAt says where the rows are not in order.
func UnsortedAt(where string, at *reducer.Error) error {
	if errors.Is(at, reducer.ErrOrder) {
		return fmt.Errorf("%s: %w: %q is less than in the row before, and an index needs rows sorted by it", where, ErrUnsorted, at.Column)
	}
	return fmt.Errorf("%s: column %q: %w", where, at.Column, at.Err)
}

// Unsorted says in which input, at which row, a column is not sorted.
func (s SegmentRows) Unsorted(p *inputs.Plan, at *reducer.Error) error {
	in, row := s.locate(p, at.Row)
	return UnsortedAt(fmt.Sprintf("%s: row %d", p.Inputs[in].Path, row), at)
}

// locate returns the input that a row is of, and the row's number among those of it
// that were converted, from 0. The splits up to the row's must have been entered.
func (s SegmentRows) locate(p *inputs.Plan, at tuple.Row) (input int, row int64) {
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
