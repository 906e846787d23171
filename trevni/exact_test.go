package trevni

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
)

// tape is an io.ReaderAt that keeps which bytes were read.
type tape struct {
	*bytes.Reader
	mu    sync.Mutex
	reads []span
}

// span is bytes [from, to) of a file.
type span struct{ from, to int64 }

func (s *tape) ReadAt(p []byte, off int64) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads = append(s.reads, span{off, off + int64(len(p))})
	return s.Reader.ReadAt(p, off)
}

// rewind forgets all reads, and returns them joined, with what was read twice.
func (s *tape) rewind() (joined []span, twice []span) {
	reads := s.reads
	s.reads = nil
	slices.SortFunc(reads, func(a, b span) int { return int(a.from - b.from) })
	for _, r := range reads {
		last := len(joined) - 1
		switch {
		case last < 0 || r.from > joined[last].to:
			joined = append(joined, r)
			continue
		case r.from < joined[last].to:
			twice = append(twice, r)
		}
		joined[last].to = max(joined[last].to, r.to)
	}
	return joined, twice
}

// exactly fails if the bytes read since the last call are not those of want, in the
// file's order, each once.
func (s *tape) exactly(t *testing.T, what string, want ...span) {
	t.Helper()
	var joined []span
	for _, w := range want {
		if last := len(joined) - 1; last >= 0 && joined[last].to == w.from {
			joined[last].to = w.to
		} else if w.from < w.to {
			joined = append(joined, w)
		}
	}
	got, twice := s.rewind()
	if !slices.Equal(got, joined) || twice != nil {
		t.Errorf("%s: read %v, want %v; twice %v", what, got, joined, twice)
	}
}

// record opens a file on tape.
func record(t *testing.T, file []byte) (*Reader, *tape) {
	t.Helper()
	src := &tape{Reader: bytes.NewReader(file)}
	r, err := NewReader(src, int64(len(file)), nil)
	must(t, err)
	return r, src
}

// whole is the bytes of a column.
func (r *Reader) whole(t *testing.T, i int) span {
	at, err := r.BlockOffsets(i)
	must(t, err)
	return span{r.ColumnOffset(i), at[len(at)-1]}
}

// block is the bytes of a block.
func (r *Reader) block(t *testing.T, i, b int) span {
	at, err := r.BlockOffsets(i)
	must(t, err)
	return span{at[b], at[b+1]}
}

// exactFiles are files of all shapes, ours and Java's.
func exactFiles(t *testing.T) map[string][]byte {
	files := javaFiles(t)
	for typ := range types {
		files["ours-"+typ.String()] = typed(typ, 60).file(t, Metadata{{keyCodec, []byte("snappy")}, {"k", bytes.Repeat([]byte("v"), 300)}}, 14)
	}
	files["ours-no-columns"] = write(t, &Header{}, nil, nil)
	files["ours-no-rows"] = typed(Long, 0).file(t, nil, 1)
	files["ours-wide"] = wide(t, 2000)
	files["ours-long-metadata"] = write(t, &Header{Meta: Metadata{{"k", make([]byte, 3*cursorRoom)}, {"l", []byte("v")}}}, nil, nil)
	return files
}

// wide is a file of n columns of 3 rows.
func wide(t *testing.T, n int) []byte {
	tb := &table{rows: 3}
	for i := range n {
		c := tableColumn{Column: Column{Name: fmt.Sprint("column-", i), Type: Long}}
		for row := range 3 {
			c.add(nil, []any{int64(row)})
		}
		tb.columns = append(tb.columns, c)
	}
	return tb.file(t, nil, 2)
}

// TestReadsExactly opens files and scans each of their columns, by value and in
// batches: of the file the header is read, and all of the column, each byte once,
// and nothing else.
func TestReadsExactly(t *testing.T) {
	for name, file := range exactFiles(t) {
		r, src := record(t, file)
		opened := len(src.reads)
		if opened > 8 {
			t.Errorf("%s: %d reads of the header's %d bytes", name, opened, r.HeaderSize())
		}
		src.exactly(t, name+" header", span{0, r.HeaderSize()})
		t.Logf("%s: %d reads of the header's %d bytes", name, opened, r.HeaderSize())
		step := 1 + len(r.Header().Columns)/100
		for i := 0; i < len(r.Header().Columns); i += step {
			exactColumn(t, name, file, i)
		}
	}
}

func exactColumn(t *testing.T, name string, file []byte, i int) {
	r, _ := record(t, file)
	column := &r.Header().Columns[i]
	what := fmt.Sprintf("%s column %s", name, column.Name)
	ways := map[string]func(*ColumnReader) error{
		"in batches": func(c *ColumnReader) error { return byValues(c, 1000, 1<<24).err },
	}
	if column.Array {
		ways["by lengths"] = func(c *ColumnReader) error { return byLengths(c, 1000, 1<<24).err }
	}
	if column.Parent == "" {
		ways["by value"] = func(c *ColumnReader) error { return byNext(c, 1<<24).err }
	}
	for way, scan := range ways {
		r, src := record(t, file)
		src.rewind()
		c, err := r.Column(i)
		must(t, err)
		if len(src.reads) > 2 && !column.FirstValues {
			t.Errorf("%s: %d reads of the descriptors", what, len(src.reads))
		}
		if err := scan(c); err != io.EOF {
			t.Fatalf("%s %s: %v", what, way, err)
		}
		src.exactly(t, what+" "+way, r.scanned(t, i)...)
	}
}

// scanned is what a scan of column i reads: it, and those of its parents whose lengths
// it needs, for its own blocks don't tell how many values they hold.
func (r *Reader) scanned(t *testing.T, i int) []span {
	c := &r.Header().Columns[i]
	own := r.whole(t, i)
	if c.Array || c.Parent == "" || c.Type != Null && c.Type != Boolean {
		return []span{own}
	}
	return append(r.chain(t, r.Header().Index(c.Parent)), own)
}

// chain is column i, and all columns above it.
func (r *Reader) chain(t *testing.T, i int) []span {
	var all []span
	for ; i >= 0; i = r.Header().Index(r.Header().Columns[i].Parent) {
		all = append(all, r.whole(t, i))
	}
	slices.SortFunc(all, func(a, b span) int { return int(a.from - b.from) })
	return all
}

// TestSeeksExactly goes into the middle of each column: its block of that row is read,
// none other of it, and of its parents only blocks with rows of that block.
func TestSeeksExactly(t *testing.T) {
	for name, file := range exactFiles(t) {
		if strings.Contains(name, "wide") {
			continue
		}
		r, src := record(t, file)
		for i := range r.Header().Columns {
			c, err := r.Column(i)
			must(t, err)
			r.chain(t, i) // all descriptors are read, and kept
			src.rewind()
			row := r.Header().Rows / 2
			must(t, c.SeekRow(row))
			what := fmt.Sprintf("%s column %s to row %d", name, c.c.Name, row)
			switch {
			case row == r.Header().Rows:
				src.exactly(t, what)
			case c.c.Parent == "":
				src.exactly(t, what, r.block(t, i, c.index.blockOf(row)))
			default:
				src.among(t, what, r.sought(t, i, row))
			}
		}
	}
}

// sought is what going to a row of column i may read.
func (r *Reader) sought(t *testing.T, i int, row uint64) (all []span) {
	x, err := r.indexOf(i)
	must(t, err)
	b := x.blockOf(row)
	from, to := x.first[b], x.first[b]+uint64(x.blocks[b].Rows)
	for ; i >= 0; i = r.Header().Index(r.Header().Columns[i].Parent) {
		x, err := r.indexOf(i)
		must(t, err)
		b := x.blockOf(from)
		all = append(all, span{r.block(t, i, b).from, r.block(t, i, x.blockOf(to-1)).to})
		from = x.first[b]
	}
	return all
}

// among fails if bytes were read that are not of allowed, or twice.
func (s *tape) among(t *testing.T, what string, allowed []span) {
	t.Helper()
	for _, r := range s.reads {
		if !slices.ContainsFunc(allowed, func(a span) bool { return a.from <= r.from && r.to <= a.to }) {
			t.Errorf("%s: read %v, which is none of %v", what, r, allowed)
		}
	}
	if _, twice := s.rewind(); twice != nil {
		t.Errorf("%s: read twice: %v", what, twice)
	}
}
