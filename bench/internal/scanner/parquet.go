package scanner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/sync/errgroup"
)

// newParquetScan scans Parquet files with parquet-go, page by page: a column's values
// are slices there, with a dictionary or without.
func newParquetScan(t *Task) (scanFunc, error) {
	return func(ctx context.Context, path string) (Answer, error) { return scanParquet(ctx, t, path) }, nil
}

// scanParquet sums up columns, each column of each row group by itself.
func scanParquet(ctx context.Context, t *Task, path string) (a Answer, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(t.Rows.All()), parquet.SkipBloomFilters(true),
		parquet.ReadBufferSize(1<<20))
	if err != nil {
		return nil, err
	}
	chunks, err := parquetChunks(file, t.Columns)
	if err != nil {
		return nil, err
	}
	group, _ := errgroup.WithContext(ctx)
	group.SetLimit(t.Threads)
	for _, c := range chunks {
		group.Go(func() error { return c.scan(t.Rows) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	sums := make([]tally, len(t.Columns))
	for _, c := range chunks {
		sums[c.into].add(c.sum)
	}
	return formatted(sums), nil
}

// parquetChunk is a column of a row group.
type parquetChunk struct {
	parquet.ColumnChunk
	into  int
	first int64 // row of the file
	rows  int64
	sum   tally
}

func parquetChunks(file *parquet.File, columns []string) ([]*parquetChunk, error) {
	var all []*parquetChunk
	leaves := file.Schema().Columns()
	for i, name := range columns {
		at := slices.IndexFunc(leaves, func(path []string) bool { return strings.Join(path, ".") == name })
		if at < 0 {
			return nil, fmt.Errorf("no column %q", name)
		}
		var first int64
		for _, g := range file.RowGroups() {
			all = append(all, &parquetChunk{ColumnChunk: g.ColumnChunks()[at], into: i, first: first, rows: g.NumRows()})
			first += g.NumRows()
		}
	}
	return all, nil
}

func (c *parquetChunk) scan(rows RowRange) error {
	if !rows.All() {
		return c.some(rows)
	}
	pages := c.Pages()
	defer pages.Close()
	for {
		p, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		err = c.sum.page(p)
		parquet.Release(p)
		if err != nil {
			return err
		}
	}
}

// some adds the rows asked for; a page that holds several of them is read once.
func (c *parquetChunk) some(rows RowRange) error {
	row := rows.From
	if row < c.first {
		row += (c.first - row + rows.Step - 1) / rows.Step * rows.Step
	}
	pages := c.Pages()
	defer pages.Close()
	end := min(rows.To, c.first+c.rows)
	for row < end {
		if err := pages.SeekToRow(row - c.first); err != nil {
			return err
		}
		p, err := pages.ReadPage()
		if err != nil {
			return err
		}
		for first := row; row < end && row < first+p.NumRows(); row += rows.Step {
			if err := c.sum.page(p.Slice(row-first, row-first+1)); err != nil {
				return err
			}
		}
		parquet.Release(p)
	}
	return nil
}

// page adds a page's values, of which nulls are none.
func (t *tally) page(p parquet.Page) error {
	d := p.Dictionary()
	if d == nil {
		return t.plain(p)
	}
	data, from := p.Data(), d.Page()
	values := from.Data()
	indexes := data.Int32()
	t.count += int64(len(indexes))
	switch from.Type().Kind() {
	case parquet.Int32:
		addWholeAt(t, values.Int32(), indexes)
	case parquet.Int64:
		addWholeAt(t, values.Int64(), indexes)
	case parquet.Float:
		addBrokenAt(t, values.Float(), indexes)
	case parquet.Double:
		addBrokenAt(t, values.Double(), indexes)
	case parquet.ByteArray:
		_, offsets := values.ByteArray()
		for _, i := range indexes {
			t.whole += int64(offsets[i+1] - offsets[i])
		}
	default:
		return fmt.Errorf("columns of %s are not summed up", from.Type())
	}
	return nil
}

func addWholeAt[T int32 | int64](t *tally, values []T, indexes []int32) {
	for _, i := range indexes {
		t.whole += int64(values[i])
	}
}

func addBrokenAt[T float32 | float64](t *tally, values []T, indexes []int32) {
	for _, i := range indexes {
		t.broken += float64(values[i])
	}
}

// plain adds the values of a page without a dictionary.
func (t *tally) plain(p parquet.Page) error {
	data := p.Data()
	t.count += p.NumValues() - p.NumNulls()
	switch p.Type().Kind() {
	case parquet.Boolean:
		return t.booleans(p)
	case parquet.Int32:
		for _, v := range data.Int32() {
			t.whole += int64(v)
		}
	case parquet.Int64:
		for _, v := range data.Int64() {
			t.whole += v
		}
	case parquet.Float:
		for _, v := range data.Float() {
			t.broken += float64(v)
		}
	case parquet.Double:
		for _, v := range data.Double() {
			t.broken += v
		}
	case parquet.ByteArray:
		_, offsets := data.ByteArray()
		if n := len(offsets); n > 0 {
			t.whole += int64(offsets[n-1] - offsets[0])
		}
	default:
		return fmt.Errorf("columns of %s are not summed up", p.Type())
	}
	return nil
}

// booleans counts the true ones, value by value: the bits of a page may begin in the
// middle of a byte.
func (t *tally) booleans(p parquet.Page) error {
	values := make([]parquet.Value, 1024)
	for r := p.Values(); ; {
		n, err := r.ReadValues(values)
		for _, v := range values[:n] {
			if !v.IsNull() && v.Boolean() {
				t.whole++
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
