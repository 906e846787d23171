package columns

import (
	"fmt"
	"math"

	"avro2trevni/internal/schema"
	"avro2trevni/internal/shred"
	"avro2trevni/mapper"
)

// LayOut lays out rows.
//
// A recursive schema is an error that names the path that recurs ([mapper.ErrRecursive]);
// one of more than [mapper.MaxColumns] columns is [mapper.ErrTooWide]; two fields of one name
// are [mapper.ErrDuplicate].
func LayOut(rows *schema.Selection) (*mapper.Layout, error) {
	l := newLayout(rows.Keeps)
	top, err := l.rows(rows.Text().Schema)
	if err != nil {
		return nil, err
	}
	return &mapper.Layout{Rows: rows, Columns: l.columns, Top: top}, nil
}

// Compile compiles the walk over rows of a writer's schema into the columns of rows.
func Compile(writer *schema.Schema, rows *schema.Selection) (*mapper.Program, error) {
	l, err := LayOut(rows)
	if err != nil {
		return nil, err
	}
	return mapper.Compile(writer, l)
}

// layout is the state of one depth-first walk over the schema of the rows, which
// numbers the columns.
type layout struct {
	keeps   func(s *schema.Schema, i int) bool
	columns []mapper.Column
	open    map[*schema.Schema]bool // the types that the walk is inside of
	names   map[string]bool         // of the columns
	nodes   int                     // types walked over
}

func newLayout(keeps func(s *schema.Schema, i int) bool) *layout {
	return &layout{keeps: keeps, open: map[*schema.Schema]bool{}, names: map[string]bool{}}
}

// rows lays out rows of s.
func (l *layout) rows(s *schema.Schema) (*mapper.Node, error) {
	if l.width(s, map[*schema.Schema]width{}).tooWide() {
		return nil, mapper.ErrTooWide
	}
	return l.value(shred.Top(s), -1)
}

// value lays out the values at a place. list is the column whose lengths count them, -1:
// there is one a row.
func (l *layout) value(pl shred.Place, list int) (*mapper.Node, error) {
	if l.nodes++; l.nodes > mapper.MaxTypes {
		return nil, mapper.ErrTooWide
	}
	s := pl.Schema
	if s.Kind.Simple() {
		return l.simple(pl, list)
	}
	if l.open[s] {
		return nil, fmt.Errorf("%w: %s contains itself at %q", mapper.ErrRecursive, s.TypeName(), pl.Path())
	}
	l.open[s] = true
	defer delete(l.open, s)
	switch s.Kind {
	case schema.Record:
		return l.record(pl, list)
	case schema.Array:
		return l.array(pl, list)
	case schema.Map:
		return l.dict(pl, list)
	case schema.Union:
		return l.union(pl, list)
	}
	return nil, fmt.Errorf("mapper: %q: a schema of unknown kind %v", pl.Path(), s.Kind)
}

// add numbers a column of values of a kind. list is as for value.
func (l *layout) add(name string, array bool, kind schema.Kind, list int) (int, error) {
	if len(l.columns) == mapper.MaxColumns {
		return 0, mapper.ErrTooWide
	}
	if l.names[name] {
		return 0, fmt.Errorf("%w: %q", mapper.ErrDuplicate, name)
	}
	l.names[name] = true
	l.columns = append(l.columns, mapper.Column{Name: name, Kind: kind, Array: array, Parent: list})
	return len(l.columns) - 1, nil
}

// simple lays out a value that is one value of one column.
func (l *layout) simple(pl shred.Place, list int) (*mapper.Node, error) {
	s := pl.Schema
	if s.Kind == schema.Fixed && s.Size > math.MaxInt32-10 {
		return nil, fmt.Errorf("mapper: %q: fixed of %d bytes is larger than a block can be", pl.Path(), s.Size)
	}
	c, own := pl.Column()
	if !own {
		return &mapper.Node{Schema: s, Column: list}, nil
	}
	column, err := l.add(c.Name, false, s.Kind, list)
	return &mapper.Node{Schema: s, Column: column}, err
}

// within is the kind of the values in the column of lengths of lists of s.
func within(s *schema.Schema) schema.Kind {
	if s.Kind.Simple() {
		return s.Kind
	}
	return schema.Null
}

// record lays out a record's fields, at the place of the record.
func (l *layout) record(pl shred.Place, list int) (*mapper.Node, error) {
	n := &mapper.Node{Schema: pl.Schema, Column: -1, Inner: make([]*mapper.Node, len(pl.Schema.Fields))}
	for i := range n.Inner {
		if !l.keeps(n.Schema, i) {
			continue
		}
		var err error
		if n.Inner[i], err = l.value(pl.Field(i), list); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// array lays out an array.
func (l *layout) array(pl shred.Place, list int) (*mapper.Node, error) {
	lengths, _ := pl.Column()
	column, err := l.add(lengths.Name, true, within(pl.Schema.Items), list)
	if err != nil {
		return nil, err
	}
	element, err := l.value(pl.Element(), column)
	return &mapper.Node{Schema: pl.Schema, Column: column, Inner: []*mapper.Node{element}}, err
}

// dict lays out a map.
func (l *layout) dict(pl shred.Place, list int) (*mapper.Node, error) {
	lengths, _ := pl.Column()
	column, err := l.add(lengths.Name, true, schema.Null, list)
	if err != nil {
		return nil, err
	}
	key, _ := pl.Key().Column()
	keys, err := l.add(key.Name, false, schema.String, column)
	if err != nil {
		return nil, err
	}
	element, err := l.value(pl.Element(), column)
	return &mapper.Node{Schema: pl.Schema, Column: column, Key: keys, Inner: []*mapper.Node{element}}, err
}

// union lays out a union's branches but null.
func (l *layout) union(pl shred.Place, list int) (*mapper.Node, error) {
	n := &mapper.Node{Schema: pl.Schema, Column: -1, Inner: make([]*mapper.Node, len(pl.Schema.Branches))}
	for i, b := range n.Schema.Branches {
		if b.Kind == schema.Null || !l.keeps(n.Schema, i) {
			continue
		}
		lengths, value := pl.Branch(i)
		column, err := l.add(lengths.Name, true, within(b), list)
		if err != nil {
			return nil, err
		}
		if n.Inner[i], err = l.value(value, column); err != nil {
			return nil, err
		}
		n.Inner[i].Lengths = column
	}
	return n, nil
}
