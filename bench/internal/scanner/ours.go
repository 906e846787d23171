package scanner

import (
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sync/errgroup"

	"avro2trevni/trevni"
)

// batch is how many values are read at a time.
const batch = 4096

// piece is a range of one column's rows, which one goroutine scans.
type piece struct {
	column   int // in the file
	into     int // in the task
	from, to uint64
}

// newOurScan scans Trevni files with the package trevni.
func newOurScan(t *Task) (scanFunc, error) {
	return func(ctx context.Context, path string) (Answer, error) { return scanOurs(ctx, t, path) }, nil
}

func scanOurs(ctx context.Context, t *Task, path string) (a Answer, err error) {
	f, err := trevni.OpenFile(path, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	pieces, err := cutPieces(f.Reader, t)
	if err != nil {
		return nil, err
	}
	found := make([]tally, len(pieces))
	group, _ := errgroup.WithContext(ctx)
	group.SetLimit(t.Threads)
	for i, p := range pieces {
		group.Go(func() error { return p.scan(f.Reader, t.Rows, &found[i]) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	sums := make([]tally, len(t.Columns))
	for i, p := range pieces {
		sums[p.into].add(found[i])
	}
	return formatted(sums), nil
}

// cutPieces makes a piece of each column, or if several threads are to read all rows, a
// few pieces for each thread.
func cutPieces(r *trevni.Reader, t *Task) ([]piece, error) {
	var pieces []piece
	for i, name := range t.Columns {
		c := r.Header().Index(name)
		if c < 0 {
			return nil, fmt.Errorf("no column %q", name)
		}
		if t.Threads == 1 || !t.Rows.All() {
			pieces = append(pieces, piece{column: c, into: i, to: r.Header().Rows})
			continue
		}
		cut, err := cutColumn(r, piece{column: c, into: i}, 4*t.Threads)
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, cut...)
	}
	return pieces, nil
}

// cutColumn cuts a column between blocks, into about n pieces.
func cutColumn(r *trevni.Reader, p piece, n int) ([]piece, error) {
	blocks, err := r.Blocks(p.column)
	if err != nil {
		return nil, err
	}
	var pieces []piece
	each := (len(blocks) + n - 1) / n
	for i, b := range blocks {
		p.to += uint64(b.Rows)
		if (i+1)%each == 0 || i == len(blocks)-1 {
			pieces = append(pieces, p)
			p.from = p.to
		}
	}
	return pieces, nil
}

// scan adds up the piece, or those of rows that are in it.
func (p piece) scan(r *trevni.Reader, rows RowRange, t *tally) error {
	c, err := r.Column(p.column)
	if err != nil {
		return err
	}
	column := r.Header().Columns[p.column]
	if p.strides(r, rows) && !column.Array && column.Parent == "" {
		if err := c.SeekRows(uint64(rows.From), uint64(rows.To)); err != nil {
			return err
		}
		return summer(c, column.Type, int(rows.Step))(t)
	}
	sum := summer(c, column.Type, 1)
	switch {
	case rows.All():
		if p.from > 0 || p.to < r.Header().Rows {
			if err := c.SeekRows(p.from, p.to); err != nil {
				return err
			}
		}
		return sum(t)
	case rows.Step == 1:
		if err := c.SeekRows(uint64(rows.From), uint64(rows.To)); err != nil {
			return err
		}
		return sum(t)
	}
	for row := rows.From; row < rows.To; row += rows.Step {
		if err := c.SeekRows(uint64(row), uint64(row)+1); err != nil {
			return err
		}
		if err := sum(t); err != nil {
			return err
		}
	}
	return nil
}

// strides reports whether rows are so near to each other that each block holds some: it
// is then read through, where going to each row would begin at the block's start again.
func (p piece) strides(r *trevni.Reader, rows RowRange) bool {
	blocks, err := r.Blocks(p.column)
	return err == nil && rows.Step > 1 && rows.Step*int64(len(blocks)) < int64(r.Header().Rows)
}

// summer returns the function that adds what is left of a column to a tally, or the first
// of every so many values.
func summer(c *trevni.ColumnReader, t trevni.Type, every int) func(*tally) error {
	switch t {
	case trevni.Int:
		return adder(c.ReadInts, addWhole, every)
	case trevni.Long:
		return adder(c.ReadLongs, addWhole, every)
	case trevni.Float:
		return adder(c.ReadFloats, addBroken, every)
	case trevni.Double:
		return adder(c.ReadDoubles, addBroken, every)
	case trevni.Boolean:
		return adder(c.ReadBooleans, addTrue, every)
	case trevni.String, trevni.Bytes:
		return adder(c.ReadBytes, addLengths, every)
	default:
		return func(*tally) error { return fmt.Errorf("columns of %s are not summed up", t) }
	}
}

// adder reads batches to the end and adds them.
func adder[T any](read func([]T) (int, error), add func(*tally, []T), every int) func(*tally) error {
	values := make([]T, batch)
	return func(t *tally) error {
		for next := 0; ; { // next is the value wanted, from the batch's first
			n, err := read(values)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if every == 1 {
				t.count += int64(n)
				add(t, values[:n])
				continue
			}
			for ; next < n; next += every {
				t.count++
				add(t, values[next:next+1])
			}
			next -= n
		}
	}
}

func addWhole[T int32 | int64](t *tally, values []T) {
	sum := int64(0) // in a register, as any program has it
	for _, v := range values {
		sum += int64(v)
	}
	t.whole += sum
}

func addBroken[T float32 | float64](t *tally, values []T) {
	sum := t.broken
	for _, v := range values {
		sum += float64(v)
	}
	t.broken = sum
}

func addTrue(t *tally, values []bool) {
	for _, v := range values {
		if v {
			t.whole++
		}
	}
}

func addLengths(t *tally, values [][]byte) {
	sum := 0
	for _, v := range values {
		sum += len(v)
	}
	t.whole += int64(sum)
}
