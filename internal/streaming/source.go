package streaming

import (
	"errors"
	"fmt"
	"io"
	"sort"

	"avro2trevni/internal/tuple"
)

// Options say what a partition is to hold.
type Options struct {
	Key     uint32 // the first number of its keys, see [Partitions]
	Order   Order
	Columns int
	First   int // its first split
	End     int // the split after its last

	Temp func() (File, error) // makes the file for early runs, at most once
}

// entry is the information that is kept about a run: 32 bytes.
type entry struct {
	row                     tuple.Row
	at                      int64 // where its value is staged; [streams], [expected]
	rows, values, raw, size uint32
}

// column is the information that is kept about a column's runs.
type column struct {
	entries []entry
	notes   notes
}

// notes are the notes of a column's runs, if any has one.
type notes struct {
	bytes []byte
	ends  []int // where each ends in bytes
}

// set enters the note of run i, which is later than those before.
func (n *notes) set(i int, note []byte) {
	for len(n.ends) < i {
		n.ends = append(n.ends, len(n.bytes))
	}
	n.bytes = append(n.bytes, note...)
	n.ends = append(n.ends, len(n.bytes))
}

// of returns the note of run i.
func (n *notes) of(i int) []byte {
	if i >= len(n.ends) {
		return nil
	}
	from := 0
	if i > 0 {
		from = n.ends[i-1]
	}
	return n.bytes[from:n.ends[i]:n.ends[i]]
}

// Values of entry.at that are no place.
const (
	streams  = -1 // the value comes in the data region
	expected = -2 // the value is to come in the early region
)

func (e *entry) end() tuple.Row { return e.row + tuple.Row(e.rows) }

// Split describes a split of a partition, without its runs.
type Split struct {
	Rows, Bytes int64
	Note        []byte
}

// Partition has the rows of one reduce task. Several scans may run at the same time; values
// of the data region come once, in order. Close must be called.
type Partition struct {
	Splits []Split // from Options.First on

	o       Options
	r       *Reader
	columns []column
	stage   stage
	feed    feed
}

// ReadPartition reads the early region of a partition's records.
func ReadPartition(r *Reader, o Options) (*Partition, error) {
	p := &Partition{o: o, r: r, columns: make([]column, o.Columns), stage: stage{temp: o.Temp}}
	if err := p.readEarly(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// readEarly reads up to the first record of the data region.
func (p *Partition) readEarly() error {
	var value []byte
	for {
		k, size, err := p.r.Next()
		if errors.Is(err, io.EOF) {
			return p.begin(Key{}, 0, true)
		}
		if err != nil {
			return err
		}
		if k.Partition != p.o.Key {
			return recordsError("a record of partition key %d, expected %d", k.Partition, p.o.Key)
		}
		if k.Major > 0 {
			return p.begin(k, size, false)
		}
		if value, err = p.r.Value(value[:0]); err != nil {
			return err
		}
		if k.Item == 0 {
			err = p.index(k, value)
		} else {
			err = p.early(k, value)
		}
		if err != nil {
			return err
		}
	}
}

// index enters a split's index.
func (p *Partition) index(k Key, value []byte) error {
	want := p.o.First + len(p.Splits)
	first := tuple.Row(k.Minor)
	if first.InSplit() != 0 || first.Split() != want || want >= p.o.End {
		return recordsError("the index of split %d, expected that of %d of splits %d to %d", first.Split(), want, p.o.First, p.o.End-1)
	}
	last, row := -1, first
	x, err := walkIndex(value, p.o.Columns, func(c int, r Run) {
		if c != last {
			last, row = c, first
		}
		e := entry{row: row, at: streams, rows: r.Rows, values: r.Values, raw: r.Raw, size: r.Size}
		if r.Early {
			e.at = expected
		}
		of := &p.columns[c]
		if len(r.Note) > 0 {
			of.notes.set(len(of.entries), r.Note)
		}
		of.entries = append(of.entries, e)
		row += tuple.Row(r.Rows)
	})
	if err != nil {
		return fmt.Errorf("split %d: %w", want, err)
	}
	p.Splits = append(p.Splits, Split{Rows: x.Rows, Bytes: x.Bytes, Note: append([]byte(nil), x.Note...)})
	return nil
}

// early stages a run of the early region.
func (p *Partition) early(k Key, value []byte) error {
	c, row := int(k.Item-1), tuple.Row(k.Minor)
	e := p.find(c, row)
	switch {
	case e == nil:
		return recordsError("column %d: a run at row %v that no index has", c, row)
	case e.at != expected:
		return recordsError("column %d: the run at row %v came again, or too early", c, row)
	case int(e.size) != len(value):
		return recordsError("column %d: the run at row %v has %d bytes, its index says %d", c, row, len(value), e.size)
	}
	var err error
	e.at, err = p.stage.put(value)
	return err
}

// find returns the entry of the run that begins at a row, nil if there is none.
func (p *Partition) find(column int, row tuple.Row) *entry {
	if column >= len(p.columns) {
		return nil
	}
	all := p.columns[column].entries
	if i := p.seek(column, row); i < len(all) && all[i].row == row {
		return &all[i]
	}
	return nil
}

// seek returns the first run of a column that ends after a row.
func (p *Partition) seek(column int, row tuple.Row) int {
	all := p.columns[column].entries
	return sort.Search(len(all), func(i int) bool { return all[i].end() > row })
}

// begin ends the early region: k is the first key after it, if there is one.
func (p *Partition) begin(k Key, size int, eof bool) error {
	if have := p.o.First + len(p.Splits); have != p.o.End {
		return recordsError("the index of split %d is missing, of splits %d to %d", have, p.o.First, p.o.End-1)
	}
	for c := range p.columns {
		for i := range p.columns[c].entries {
			if e := &p.columns[c].entries[i]; e.at == expected {
				return recordsError("column %d: the run at row %v is missing", c, e.row)
			}
		}
	}
	p.feed.init(p, k, size, eof)
	return p.stage.seal()
}

// Staged returns the bytes of the early runs.
func (p *Partition) Staged() int64 { return p.stage.end }

// Runs returns the number of all runs.
func (p *Partition) Runs() (n int64) {
	for i := range p.columns {
		n += int64(len(p.columns[i].entries))
	}
	return n
}

// Notes returns the bytes that the runs' notes take in memory.
func (p *Partition) Notes() (n int64) {
	for i := range p.columns {
		of := &p.columns[i].notes
		n += int64(cap(of.bytes) + 8*cap(of.ends))
	}
	return n
}

// Close removes the temporary file.
func (p *Partition) Close() error { return p.stage.close() }

// Scan returns a scanner over the runs of a column that hold rows of [from, to).
func (p *Partition) Scan(column uint32, from, to tuple.Row) *Scanner {
	return &Scanner{p: p, column: int(column), to: to, next: p.seek(int(column), from), at: -1}
}

// Scanner gives a column's runs. It is for one goroutine.
type Scanner struct {
	p        *Partition
	column   int
	to       tuple.Row
	next, at int // runs: the next, and the current one
	err      error
}

// Next moves to the next run, and reports whether there is one.
func (s *Scanner) Next() bool {
	all := s.p.columns[s.column].entries
	if s.err != nil || s.next >= len(all) || all[s.next].row >= s.to {
		return false
	}
	s.at = s.next
	s.next++
	return true
}

// Note returns the current run's note.
func (s *Scanner) Note() ([]byte, error) { return s.p.columns[s.column].notes.of(s.at), s.err }

// Tuple returns the current run, without its value.
func (s *Scanner) Tuple() tuple.Tuple {
	e := &s.p.columns[s.column].entries[s.at]
	return tuple.Tuple{Column: uint32(s.column), Row: e.row, Rows: e.rows, Values: e.values, Raw: e.raw, Size: e.size}
}

// Value appends the current run's value to dst. That of the data region is waited for,
// until all before it were taken.
func (s *Scanner) Value(dst []byte) ([]byte, error) {
	if s.err != nil || s.at < 0 {
		return dst, errors.Join(s.err, errNoRun)
	}
	e := &s.p.columns[s.column].entries[s.at]
	if e.at >= 0 {
		dst, s.err = s.p.stage.get(dst, e.at, int(e.size))
	} else {
		dst, s.err = s.p.feed.take(dst, s.column, s.at)
	}
	return dst, s.err
}

var errNoRun = errors.New("streaming: Value without a run")

// Err returns the failure that ended the scan, if any.
func (s *Scanner) Err() error { return s.err }

// Close ends the scan.
func (s *Scanner) Close() error { return nil }
