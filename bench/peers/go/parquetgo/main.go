// Command parquetgo is parquet-go as a scanning program; how it is spoken to is told in
// serve of bench/scanserve.go. It is a module of its own with all that only peers need,
// so that the project's own list of dependencies stays short.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/parquet-go/parquet-go"
)

// task is what is asked: see scanTask of bench/scantask.go.
type task struct {
	columns        []string
	from, to, step int64
	threads        int
}

func main() {
	t := task{}
	flag.IntVar(&t.threads, "threads", 1, "threads")
	flag.Func("column", "a leaf's path", func(s string) error { t.columns = append(t.columns, s); return nil })
	flag.Func("rows", "FROM:TO:STEP", func(s string) error {
		_, err := fmt.Sscanf(s, "%d:%d:%d", &t.from, &t.to, &t.step)
		return err
	})
	flag.Parse()
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		start := time.Now()
		sums, err := t.scan(lines.Text())
		took := time.Since(start)
		if err != nil {
			fmt.Printf("error\t%s\n", strings.ReplaceAll(err.Error(), "\n", " "))
			continue
		}
		fmt.Printf("ok\t%.9f\t%s\n", took.Seconds(), strings.Join(sums, "\t"))
	}
}

// tally is that of bench/scantask.go.
type tally struct {
	count  int64
	whole  int64
	broken float64
}

func (t tally) String() string {
	if t.broken != 0 {
		return fmt.Sprintf("%d:%s", t.count, strconv.FormatFloat(t.broken, 'g', -1, 64))
	}
	return fmt.Sprintf("%d:%d", t.count, t.whole)
}

// scan opens a file and sums up its columns, each column of each row group by itself.
func (t *task) scan(path string) (sums []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(t.step == 0), parquet.SkipBloomFilters(true),
		parquet.ReadBufferSize(1<<20))
	if err != nil {
		return nil, err
	}
	chunks, err := t.chunks(file)
	if err != nil {
		return nil, err
	}
	if err := t.each(chunks); err != nil {
		return nil, err
	}
	all := make([]tally, len(t.columns))
	for _, c := range chunks {
		a := &all[c.into]
		a.count += c.sum.count
		a.whole += c.sum.whole
		a.broken += c.sum.broken
	}
	for _, a := range all {
		sums = append(sums, a.String())
	}
	return sums, nil
}

// chunk is a column of a row group.
type chunk struct {
	parquet.ColumnChunk
	into  int
	first int64 // row of the file
	rows  int64
	sum   tally
}

func (t *task) chunks(file *parquet.File) ([]*chunk, error) {
	var all []*chunk
	leaves := file.Schema().Columns()
	for i, name := range t.columns {
		at := slices.IndexFunc(leaves, func(path []string) bool { return strings.Join(path, ".") == name })
		if at < 0 {
			return nil, fmt.Errorf("no column %q", name)
		}
		var first int64
		for _, g := range file.RowGroups() {
			all = append(all, &chunk{ColumnChunk: g.ColumnChunks()[at], into: i, first: first, rows: g.NumRows()})
			first += g.NumRows()
		}
	}
	return all, nil
}

// each scans the chunks, as many at a time as there are threads.
func (t *task) each(chunks []*chunk) error {
	next := make(chan *chunk, len(chunks))
	for _, c := range chunks {
		next <- c
	}
	close(next)
	errs := make([]error, t.threads)
	var workers sync.WaitGroup
	for i := range errs {
		workers.Go(func() {
			for c := range next {
				errs[i] = errors.Join(errs[i], t.chunk(c))
			}
		})
	}
	workers.Wait()
	return errors.Join(errs...)
}

func (t *task) chunk(c *chunk) error {
	if t.step > 0 {
		return c.some(t)
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
func (c *chunk) some(t *task) error {
	row := t.from
	if row < c.first {
		row += (c.first - row + t.step - 1) / t.step * t.step
	}
	pages := c.Pages()
	defer pages.Close()
	end := min(t.to, c.first+c.rows)
	for row < end {
		if err := pages.SeekToRow(row - c.first); err != nil {
			return err
		}
		p, err := pages.ReadPage()
		if err != nil {
			return err
		}
		for first := row; row < end && row < first+p.NumRows(); row += t.step {
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
		addWhole(t, values.Int32(), indexes)
	case parquet.Int64:
		addWhole(t, values.Int64(), indexes)
	case parquet.Float:
		addBroken(t, values.Float(), indexes)
	case parquet.Double:
		addBroken(t, values.Double(), indexes)
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

func addWhole[T int32 | int64](t *tally, values []T, indexes []int32) {
	for _, i := range indexes {
		t.whole += int64(values[i])
	}
}

func addBroken[T float32 | float64](t *tally, values []T, indexes []int32) {
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
