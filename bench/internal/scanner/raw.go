package scanner

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"avro2trevni/internal/columns"
	format "avro2trevni/internal/format/trevni"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/schema"
	"avro2trevni/internal/tuple"
	"avro2trevni/mapper"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// newRawWalk scans Avro files with the converter's own walk over the bytes of rows,
// which passes over fields that are not asked for without looking at them: the best a
// row-major scan of ours can do. What it copies out are runs of the columns, not
// compressed, and these are summed up.
func newRawWalk(t *Task) (scanFunc, error) {
	if !t.Rows.All() {
		return nil, errors.New("bench: the raw walk takes all rows")
	}
	return func(ctx context.Context, path string) (Answer, error) { return rawWalk(ctx, t, path) }, nil
}

func rawWalk(ctx context.Context, t *Task, path string) (a Answer, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	w := &rawWalker{file: f, size: info.Size()}
	if w.header, err = ocf.ReadHeader(f, w.size, path, ocf.Limits{}); err != nil {
		return nil, err
	}
	if err := w.compile(t.Columns); err != nil {
		return nil, err
	}
	found := make([]rawSums, 4*t.Threads)
	if t.Threads == 1 {
		found = found[:1]
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(t.Threads)
	for i := range found {
		group.Go(func() error { return w.segment(ctx, i, len(found), &found[i]) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return w.answer(found), nil
}

// rawWalker walks one file.
type rawWalker struct {
	file    *os.File
	size    int64
	header  *ocf.Header
	program *mapper.Program
	columns []trevni.Column // the program's
	into    []int           // for each of the program's columns, that of the task, or -1
}

// compile makes the program that looks at the columns alone.
func (w *rawWalker) compile(paths []string) error {
	text, err := schema.ParseText(w.header.Schema)
	if err != nil {
		return err
	}
	chosen, err := text.Select(paths, nil)
	if err != nil {
		return err
	}
	layout, err := columns.LayOut(chosen)
	if err != nil {
		return err
	}
	w.columns = format.Columns(layout)
	if w.program, err = mapper.Compile(text.Schema, layout); err != nil {
		return err
	}
	all, err := Columns(w.header.Schema)
	if err != nil {
		return err
	}
	place := map[string]int{}
	for i, path := range paths {
		for _, c := range all {
			if c.Path == path {
				place[c.Trevni] = i
			}
		}
	}
	for _, c := range w.columns {
		i, found := place[c.Name]
		if !found {
			i = -1
		}
		w.into = append(w.into, i)
	}
	return nil
}

// segment walks segment i of n of the file.
func (w *rawWalker) segment(ctx context.Context, i, n int, sums *rawSums) error {
	sums.walker, sums.all = w, make([]tally, len(w.into))
	reader := ocf.NewReader(ocf.Limits{}, nil)
	defer reader.Close()
	from, to := w.size*int64(i)/int64(n), w.size*int64(i+1)/int64(n)
	if err := reader.Open(w.file, w.file.Name(), w.size, w.header, from, to); err != nil {
		return err
	}
	plain := slices.Repeat([]block.Coding{{Codec: block.Codec{Name: "null"}}}, len(w.columns))
	m := mapper.New(w.program, mapper.Options{}, format.NewEncoder(w.columns, plain, false), sums)
	m.Begin(i)
	if _, err := m.Segment(ctx, reader); err != nil {
		return err
	}
	_, err := m.End()
	return err
}

func (w *rawWalker) answer(found []rawSums) Answer {
	width := 0
	for _, i := range w.into {
		width = max(width, i+1)
	}
	sums := make([]tally, width)
	for _, f := range found {
		for c, into := range w.into {
			if into >= 0 {
				sums[into].add(f.all[c])
			}
		}
	}
	return formatted(sums)
}

// rawSums takes runs from a mapper and adds up what they hold.
type rawSums struct {
	walker *rawWalker
	all    []tally // by the program's columns
	buf    []byte
}

// Buffer is the mapper's place to put a run.
func (s *rawSums) Buffer(n int) ([]byte, error) {
	if cap(s.buf) < n {
		s.buf = make([]byte, 0, n)
	}
	return s.buf[:0], nil
}

// Add adds up a run.
func (s *rawSums) Add(t tuple.Tuple) error {
	if s.walker.into[t.Column] < 0 {
		return nil
	}
	c := &s.walker.columns[t.Column]
	sum := &s.all[t.Column]
	if !c.Array {
		return sum.run(c.Type, t.Value, int(t.Values))
	}
	var r block.LengthReader
	for r.Reset(t.Value, c.Type); r.Next(); {
		if c.Type == trevni.Boolean && r.Length == 1 { // each of them in a byte of its own
			for _, b := range r.Data {
				sum.whole += int64(b & 1)
			}
			sum.count += int64(r.Count)
			continue
		}
		if err := sum.run(c.Type, r.Data, r.Length*r.Count); err != nil {
			return err
		}
	}
	return r.Err()
}

// run adds n values that stand one after another.
func (t *tally) run(kind trevni.Type, b []byte, n int) error {
	t.count += int64(n)
	switch kind {
	case trevni.Double:
		for ; len(b) >= 8; b = b[8:] {
			t.broken += math.Float64frombits(binary.LittleEndian.Uint64(b))
		}
	case trevni.Float:
		for ; len(b) >= 4; b = b[4:] {
			t.broken += float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		}
	case trevni.Int, trevni.Long:
		for len(b) > 0 {
			v, size := block.ReadLong(b)
			if size <= 0 {
				return trevni.ErrCorrupt
			}
			t.whole += v
			b = b[size:]
		}
	case trevni.String, trevni.Bytes:
		for len(b) > 0 {
			v, size := block.ReadLong(b)
			if size <= 0 || v < 0 || v > int64(len(b)-size) {
				return trevni.ErrCorrupt
			}
			t.whole += v
			b = b[size+int(v):]
		}
	case trevni.Boolean:
		for i := range n {
			t.whole += int64(b[i/8] >> (i % 8) & 1)
		}
	default:
		return fmt.Errorf("columns of %s are not summed up", strings.ToLower(kind.String()))
	}
	return nil
}
