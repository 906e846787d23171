package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"

	"avro2trevni/internal/colsum"
	"avro2trevni/internal/format/parquet/readback"
	"avro2trevni/internal/schema"
	"avro2trevni/internal/tuple"
	"avro2trevni/mapper"
	"avro2trevni/parquet"
)

// columns are the columns of tuples, which sort as they stand in a row group. Each leaf has one
// for its dictionary page, with one tuple in each split, and one for its data pages. After those
// of all leaves come the bloom filters, of the leaves that have any: one tuple in each split.
type columns struct {
	leaves  int
	filters []int // ascending
}

func (columns) dictionary(leaf int) uint32 { return uint32(2 * leaf) }
func (columns) pages(leaf int) uint32      { return uint32(2*leaf + 1) }
func (c columns) filter(i int) uint32      { return uint32(2*c.leaves + i) }

// of returns the leaf of a column of tuples, and what it has of that.
func (c columns) of(column uint32) (leaf int, has content) {
	if i := int(column) - 2*c.leaves; i >= 0 {
		return c.filters[i], filters
	}
	return int(column / 2), content(column % 2)
}

// content is what a column of tuples has of a leaf.
type content uint8

// The contents. All but data pages are of all rows of a split: where a file ends within a split,
// both files have them.
const (
	dictionaries content = iota
	dataPages
	filters
)

// Encoder makes pages of a mapper's runs: a tuple's value is a whole page, its note the page's
// [parquet.Meta]. It is a [mapper.Encoder].
type Encoder struct {
	leaves []leaf
	pages  *parquet.Encoder
	of     columns
	open   bool   // pages were made since Begin
	plain  []byte // values of a run that are not stored as the walk leaves them
	notes  [][]byte
	page   []byte
	sums   []readback.Summer // nil if digests are not wanted
}

var _ mapper.Encoder = (*Encoder)(nil)

// leaf is what is done to a column's values before they are a page's.
type leaf struct {
	*parquet.Leaf
	values  Values
	size    int // bytes of a value of fixed size in Avro
	decimal *Decimal
	symbols *readback.Entries // of symbols
}

// leavesOf returns the layout's leaves with what is done to their values.
func leavesOf(l *Layout) []leaf {
	all := make([]leaf, len(l.Schema.Leaves))
	for i, of := range l.Schema.Leaves {
		all[i].Leaf = of
	}
	l.Top.each(func(n *Node) {
		if n.Avro.Kind == schema.Map && all[n.First].Logical.Kind == parquet.StringType {
			all[n.First].values = Texts // its keys
		}
		if n.Values == NoValues || n.Values == Nulls {
			return
		}
		at := &all[n.First]
		at.values = n.Values
		if at.values == DecimalOctets || at.values == DecimalFixeds {
			at.decimal, at.size = NewDecimal(at.Node), int(n.Avro.Size)
		}
	})
	return all
}

// each calls f for a node and all below it.
func (n *Node) each(f func(*Node)) {
	if n == nil {
		return
	}
	f(n)
	for _, inner := range n.Inner {
		inner.each(f)
	}
}

// NewEncoder returns an encoder of a layout's columns, which makes digests of them if so wanted.
func NewEncoder(l *Layout, o parquet.EncoderOptions, digests bool) (*Encoder, error) {
	pages, err := parquet.NewEncoder(l.Schema, o)
	if err != nil {
		return nil, err
	}
	of := columns{len(l.Schema.Leaves), o.Filters}
	e := &Encoder{leaves: leavesOf(l), pages: pages, of: of, notes: make([][]byte, of.leaves)}
	if digests {
		e.sums = make([]readback.Summer, of.leaves)
		for i := range e.leaves {
			if names := e.leaves[i].Symbols; names != nil {
				e.leaves[i].symbols = readback.Symbols(names)
			}
		}
	}
	return e, nil
}

// Begin begins a split.
func (e *Encoder) Begin() {
	clear(e.sums)
	if !e.open {
		return
	}
	for i := range e.leaves { // a split that was given up left chunks open
		e.page, _, _ = e.pages.EndChunk(e.page[:0], i)
	}
	e.open = false
}

// Mark is not called: all runs end at marks.
func (e *Encoder) Mark(column int, r *mapper.Run) int { return len(r.Bytes) }

// MaxLen returns the most bytes of a page.
func (e *Encoder) MaxLen(column int, r *mapper.Run) int {
	n, values := len(r.Bytes), int(r.Values)
	if e.leaves[column].decimal != nil {
		n = max(n, max(8, e.leaves[column].Length)*values) // decimals may become longer
	}
	return e.pages.MaxPage(column, n, values, values)
}

// Seal makes the run a page.
func (e *Encoder) Seal(column int, r *mapper.Run, t *tuple.Tuple) (err error) {
	e.open = true
	values := parquet.Values{Rows: int(r.Rows), Data: r.Bytes, Def: r.Def, Rep: r.Rep}
	if values.Data, err = e.stored(column, r, t); err != nil {
		return err
	}
	value, m, err := e.pages.Page(t.Value, column, values)
	if err != nil {
		return err
	}
	t.Value, t.Column, t.Raw, t.Values = value, e.of.pages(column), uint32(m.Raw), uint32(m.Entries)
	if e.sums != nil {
		e.sum(column, &values, m.Values())
	}
	e.notes[column] = m.Append(e.notes[column][:0])
	t.Note = e.notes[column]
	return nil
}

// sum adds a page to the digest of its column: n values, as they were before they were encoded.
func (e *Encoder) sum(column int, v *parquet.Values, n int) {
	s, l := &e.sums[column], &e.leaves[column]
	s.Levels(v.Def, v.Rep)
	switch {
	case n == 0:
	case l.symbols != nil:
		s.Numbered(l.symbols, v.Data)
	case l.Type == parquet.Boolean:
		s.Booleans(v.Data, n)
	default:
		s.Plain(v.Data)
	}
}

// stored returns the run's values as the column stores them.
func (e *Encoder) stored(column int, r *mapper.Run, t *tuple.Tuple) ([]byte, error) {
	l := &e.leaves[column]
	switch l.values {
	case Texts:
		if bad := notText(r.Bytes); bad >= 0 {
			return nil, l.wrong(r, t, bad, ErrText)
		}
	case DecimalOctets, DecimalFixeds:
		e.plain = e.plain[:0]
		bad, ok := 0, true
		for b := r.Bytes; len(b) > 0; bad++ {
			n := l.size
			if l.values == DecimalOctets {
				n, b = int(binary.LittleEndian.Uint32(b)), b[4:]
			}
			if e.plain, ok = l.decimal.Append(e.plain, b[:n]); !ok {
				return nil, l.wrong(r, t, bad, fmt.Errorf("%w: decimal of %d digits", ErrDigits, l.Logical.Precision))
			}
			b = b[n:]
		}
		return e.plain, nil
	}
	return r.Bytes, nil
}

// Errors of values that have no place in their column.
var (
	ErrText   = errors.New("string is not UTF-8, which Parquet's readers refuse; --invalid-utf8 binary makes all strings bytes")
	ErrDigits = errors.New("number has more digits than its type")
)

// notText returns the number of the first text that is not UTF-8, -1 if all are.
func notText(b []byte) int {
	if isASCII(b) { // lengths too
		return -1
	}
	for i := 0; len(b) > 0; i++ {
		n := 4 + int(binary.LittleEndian.Uint32(b))
		if !utf8.Valid(b[4:n]) {
			return i
		}
		b = b[n:]
	}
	return -1
}

// isASCII reports whether no byte has its highest bit set.
func isASCII(b []byte) bool {
	const high = 0x8080808080808080
	for len(b) >= 32 {
		le := binary.LittleEndian
		if (le.Uint64(b)|le.Uint64(b[8:])|le.Uint64(b[16:])|le.Uint64(b[24:]))&high != 0 {
			return false
		}
		b = b[32:]
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// wrong says in which row a run's value is wrong.
func (l *leaf) wrong(r *mapper.Run, t *tuple.Tuple, value int, err error) error {
	return &mapper.ValueError{Column: l.String(), Row: t.Row + tuple.Row(l.rowOf(r, value)), Err: err}
}

// rowOf returns the row of a value in its run.
func (l *leaf) rowOf(r *mapper.Run, value int) (row int64) {
	if l.MaxDef == 0 {
		return int64(value)
	}
	row = -1
	for i, def := range r.Def {
		if l.MaxRep == 0 || r.Rep[i] == 0 {
			row++
		}
		if int(def) == l.MaxDef {
			if value--; value < 0 {
				break
			}
		}
	}
	return row
}

// End sends the dictionary pages and bloom filters. A column without a dictionary page gets a
// tuple of no bytes: each has one for all rows of the split.
func (e *Encoder) End(send func(tuple.Tuple) error) ([]colsum.Column, error) {
	filter := 0
	for i := range e.leaves {
		page, metas, err := e.pages.EndChunk(e.page[:0], i)
		if err != nil {
			return nil, err
		}
		e.page = page
		t := tuple.Tuple{Column: e.of.dictionary(i)}
		if len(metas) > 0 && metas[0].Kind == parquet.DictionaryPage {
			t, page = described(t, &metas[0], page)
			metas = metas[1:]
		}
		if err := send(t); err != nil {
			return nil, err
		}
		for m := range metas {
			t, page = described(tuple.Tuple{Column: e.of.filter(filter)}, &metas[m], page)
			filter++
			if err := send(t); err != nil {
				return nil, err
			}
		}
	}
	e.open = false
	return e.digests(), nil
}

// digests returns the digests of the split's columns, nil if there are none.
func (e *Encoder) digests() (all []colsum.Column) {
	for i := range e.sums {
		all = append(all, e.sums[i].Column)
	}
	return all
}

// described returns the tuple with the page at the front of b, and what follows it.
func described(t tuple.Tuple, m *parquet.Meta, b []byte) (tuple.Tuple, []byte) {
	t.Raw, t.Values, t.Value, t.Note = uint32(m.Raw), uint32(m.Entries), b[:m.Stored], m.Append(nil)
	return t, b[m.Stored:]
}

// Memory returns the bytes that an encoder of columns holds, beside a page.
func (e *Encoder) Memory() int64 { return e.pages.Memory() }
