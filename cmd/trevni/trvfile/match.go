package trvfile

import (
	"io"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/trevni"
)

// equality is what is common to the matchers of all types.
type equality struct {
	c      *trevni.ColumnReader
	array  bool
	sorted bool // seek by value leads to the rows
	first  any  // the least value that is wanted
}

// matcher is a condition on a column of values T: rows in which one is equal to what
// is wanted.
type matcher[T any] struct {
	equality
	read    func([]T) (int, error)
	equal   func(T) bool
	batch   []T
	lengths []int32
}

// matchBatch is how many values are read at a time.
const matchBatch = 1024

func newMatcher[T any](e equality, read func([]T) (int, error), equal func(T) bool) *matcher[T] {
	m := &matcher[T]{equality: e, read: read, equal: equal, batch: make([]T, matchBatch)}
	if m.array {
		m.lengths = make([]int32, matchBatch)
	}
	return m
}

// narrow implements condition: in a sorted column the wanted rows are adjacent, and a seek
// finds them.
func (m *matcher[T]) narrow(in colfile.Span) (out colfile.Span, found bool, err error) {
	if !m.sorted || in.Empty() {
		return in, false, nil
	}
	at, err := m.c.SeekValue(m.first)
	if err != nil {
		return in, false, err
	}
	from := max(int64(at), in.From)
	out = colfile.Span{From: from, To: from}
	if from >= in.To {
		return colfile.Span{From: in.To, To: in.To}, true, nil
	}
	if err := m.c.SeekRows(uint64(from), uint64(in.To)); err != nil {
		return in, false, err
	}
	for {
		n, err := m.read(m.batch)
		if err == io.EOF {
			return out, true, nil
		}
		if err != nil {
			return in, false, err
		}
		for _, v := range m.batch[:n] {
			if !m.equal(v) {
				return out, true, nil
			}
			out.To++
		}
	}
}

// filter implements condition.
func (m *matcher[T]) filter(spans []colfile.Span, in colfile.Span) ([]colfile.Span, error) {
	if err := m.c.SeekRows(uint64(in.From), uint64(in.To)); err != nil {
		return spans, err
	}
	if m.array {
		return m.filterArray(spans, in.From)
	}
	for row := in.From; ; {
		n, err := m.read(m.batch)
		if err == io.EOF {
			return spans, nil
		}
		if err != nil {
			return spans, err
		}
		for i, v := range m.batch[:n] {
			if m.equal(v) {
				spans = with(spans, row+int64(i))
			}
		}
		row += int64(n)
	}
}

// filterArray is filter for a column of sequences; the first sequence is that of row.
func (m *matcher[T]) filterArray(spans []colfile.Span, row int64) ([]colfile.Span, error) {
	for {
		n, err := m.c.ReadLengths(m.lengths)
		if err == io.EOF {
			return spans, nil
		}
		if err != nil {
			return spans, err
		}
		for _, length := range m.lengths[:n] {
			found, err := m.among(int(length))
			if err != nil {
				return spans, err
			}
			if found {
				spans = with(spans, row)
			}
			row++
		}
	}
}

// among reads the next n values, and reports whether one is wanted.
func (m *matcher[T]) among(n int) (found bool, err error) {
	for n > 0 {
		got, err := m.read(m.batch[:min(n, len(m.batch))])
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return false, err
		}
		for _, v := range m.batch[:got] {
			found = found || m.equal(v)
		}
		n -= got
	}
	return found, nil
}

// with adds a row after all that are in colfile.Spans.
func with(spans []colfile.Span, row int64) []colfile.Span {
	if n := len(spans) - 1; n >= 0 && spans[n].To == row {
		spans[n].To++
		return spans
	}
	return append(spans, colfile.Span{From: row, To: row + 1})
}
