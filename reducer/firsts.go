package reducer

import (
	"errors"
	"fmt"

	"avro2trevni/internal/tuple"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// MaxFirst is the most bytes of the values, as they are written, that may come to
// stand first or last in a run of a column with first values: they are held in memory
// until the file is written, and by whoever reads it.
const MaxFirst = 1 << 10

// ErrOrder is returned for a row whose value, in a column with first values, is less
// than that of the row before it; see [block.CheckSorted].
var ErrOrder = errors.New("reducer: column is not sorted")

// firsts is what a column with first values has beside its blocks.
type firsts struct {
	bytes []byte // the blocks' first values, one behind the other
	ends  []int  // where each ends in bytes
	last  []byte // the last value so far, nil if none is known
	open  bool   // the block that was begun has no first value yet
	room  *room  // that values take
}

// truncate keeps those of the first n blocks. They were seen to ascend, as far as the
// first value behind them.
func (f *firsts) truncate(n int) {
	n = min(n, len(f.ends))
	f.room.give(firstMemory(len(f.ends)-n, len(f.bytes)-f.end(n)))
	f.ends, f.last, f.bytes = f.ends[:n], nil, f.bytes[:f.end(n)]
}

// end returns where the values of the first n blocks end.
func (f *firsts) end(n int) int {
	if n == 0 {
		return 0
	}
	return f.ends[n-1]
}

// of returns the first value of block n.
func (f *firsts) of(n int) []byte { return f.bytes[f.end(n):f.ends[n]:f.ends[n]] }

// add takes the next rows' values of type t: the first of them is the block's, if that
// has none. What is wrong is an [Error] without a column.
func (f *firsts) add(b []byte, t trevni.Type, row tuple.Row, rows uint32) error {
	bad, last, err := block.CheckSorted(b, t, int(rows), f.last)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRun, err)
	}
	if bad < int(rows) {
		return &Error{Row: row + tuple.Row(bad), Err: ErrOrder}
	}
	if len(last) > MaxFirst {
		return &Error{Row: row + tuple.Row(rows) - 1, Err: tooLong(last)}
	}
	f.last = append([]byte(nil), last...)
	if !f.open {
		return nil
	}
	n, err := block.SkipValues(b, t, 1)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRun, err)
	}
	if n > MaxFirst {
		return &Error{Row: row, Err: tooLong(b[:n])}
	}
	f.open = false
	if f.room.take(firstMemory(1, n)) {
		f.bytes = append(f.bytes, b[:n]...)
		f.ends = append(f.ends, len(f.bytes))
	}
	return nil
}

// ErrLong is returned for a value of more than [MaxFirst] bytes.
var ErrLong = errors.New("reducer: value is too long for a column with first values")

func tooLong(v []byte) error {
	return fmt.Errorf("%w: %d bytes, the most is %d", ErrLong, len(v), MaxFirst)
}

// peruse takes the scanner's next run, which is a block as it is.
func (g *Group) peruse(j *joiner, sc Scanner, i int) error {
	t, err := next(sc)
	if err != nil {
		return err
	}
	if err := j.begin(i, 1); err != nil {
		return err
	}
	if err := j.load(sc, &t); err != nil {
		return err
	}
	return g.cols[i].firsts.add(j.raw, g.o.Columns[i].Type, t.Row, t.Rows)
}

// Last returns the last values of the columns with first values, by column, as they
// are written, in the group's rows and those before it: what the next group's
// [Range].After is. Others are nil.
func (g *Group) Last() [][]byte {
	var all [][]byte
	for i := range g.cols {
		f := g.cols[i].firsts
		if f == nil {
			continue
		}
		if all == nil {
			all = make([][]byte, len(g.cols))
		}
		if all[i] = f.last; f.last == nil {
			all[i] = g.rng.after(i)
		}
	}
	return all
}

// First returns the first values of the group's rows in the columns with first values,
// by column, as they are written; nil where there are none.
func (g *Group) First() [][]byte {
	var all [][]byte
	for i := range g.cols {
		if f := g.cols[i].firsts; f != nil {
			if all == nil {
				all = make([][]byte, len(g.cols))
			}
			if len(f.ends) > 0 {
				all[i] = f.of(0)
			}
		}
	}
	return all
}

// after returns the last value of column i before the range, nil if there is none.
func (r *Range) after(i int) []byte {
	if i >= len(r.After) {
		return nil
	}
	return r.After[i]
}
