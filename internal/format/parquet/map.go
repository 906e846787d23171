package parquet

import (
	"fmt"
	"math"
	"strings"

	"avro2trevni/internal/schema"
	"avro2trevni/mapper"
	"avro2trevni/parquet"
)

// Logical is which logical types are written.
type Logical uint8

// What [Options] may ask for.
const (
	Portable Logical = iota // those that all readers in wide use take
	All                     // all that Parquet has
)

// Options are what may be chosen. The zero value is the default.
type Options struct {
	Logical Logical
	Binary  bool // strings are bytes: not annotated, and not checked to be UTF-8
}

// Layout is what the rows of a schema become. It is not changed, and safe for any number of
// goroutines.
type Layout struct {
	Schema *parquet.Schema
	Top    *Node
	Notes  []string // what a reader may not expect, a sentence each
}

// Node is a type of the rows' schema at one place, and what a walk needs to know there.
type Node struct {
	Avro        *schema.Schema
	First, Last int     // the leaves [First, Last) of its values; of a map, First is the keys'
	Def         int     // definition level: see the package's text
	Rep         int     // of an array or map: repetition level of its elements but the first
	Absent      int     // of a union of several types: definition level in the leaves of the others
	Values      Values  // of a simple type: how they are stored; of an empty record: [Nulls]
	Inner       []*Node // fields, branches, or the one element; nil for what has no leaves
}

// Map returns the columns of rows. An error of a recursive schema is [mapper.ErrRecursive] and
// names the path on which it recurs; one of too many columns is [mapper.ErrTooWide]; others are
// of what Parquet cannot store, such as a fixed of 2 GiB.
func Map(rows *schema.Selection, o Options) (*Layout, error) {
	top := rows.Text().Schema
	m := mapping{o: o, keeps: rows.Keeps, open: map[*schema.Schema]bool{}}
	if m.width(top, map[*schema.Schema]width{}).tooWide() {
		return nil, mapper.ErrTooWide
	}
	var root *parquet.Node
	var n *Node
	var err error
	if top.Kind == schema.Record {
		if n, root, err = m.value(top, place{}); err == nil {
			root.Name = top.Name
		}
	} else {
		var value *parquet.Node
		if n, value, err = m.value(top, place{kept: true}); err == nil {
			value.Name = "value"
			root = parquet.Group(schema.TopName, parquet.Required, value)
		}
	}
	if err != nil {
		return nil, err
	}
	s, err := parquet.NewSchema(root)
	if err != nil {
		return nil, err
	}
	return &Layout{Schema: s, Top: n, Notes: m.notes}, nil
}

// mapping is the state of one depth-first walk over the rows' schema.
type mapping struct {
	o      Options
	keeps  func(s *schema.Schema, i int) bool
	open   map[*schema.Schema]bool // the types that the walk is inside of
	leaves int
	notes  []string
}

// place is where a type stands.
type place struct {
	path     []string // names of the fields that lead there
	def, rep int      // levels of a value's entries, if it is there
	kept     bool     // it has leaves whatever it is: a list's element
}

// field returns the place of a record's field.
func (pl place) field(name string) place {
	pl.path = append(pl.path[:len(pl.path):len(pl.path)], name)
	pl.kept = false
	return pl
}

// String returns the path as the command line has it.
func (pl place) String() string { return strings.Join(pl.path, ".") }

// value maps a type. The column or group it becomes has no name yet, and is required if the
// type is not optional by itself; it is nil, as the node is, if there is none.
func (m *mapping) value(s *schema.Schema, pl place) (*Node, *parquet.Node, error) {
	if s.Kind.Primitive() || s.Kind == schema.Enum || s.Kind == schema.Fixed {
		return m.simple(s, pl)
	}
	if m.open[s] {
		return nil, nil, fmt.Errorf("%w: %s contains itself at %q", mapper.ErrRecursive, s.TypeName(), pl)
	}
	m.open[s] = true
	defer delete(m.open, s)
	switch s.Kind {
	case schema.Record:
		return m.record(s, pl)
	case schema.Array:
		return m.array(s, pl)
	case schema.Map:
		return m.dict(s, pl)
	case schema.Union:
		return m.union(s, pl)
	}
	return nil, nil, fmt.Errorf("parquet: %q: a schema of unknown kind %v", pl, s.Kind)
}

// leaf makes a column.
func (m *mapping) leaf(s *schema.Schema, pl place, v Values, r parquet.Repetition, t parquet.Type, l parquet.Logical) (*Node, *parquet.Node, error) {
	n := &Node{Avro: s, First: m.leaves, Last: m.leaves + 1, Def: pl.def, Values: v}
	m.leaves++
	return n, parquet.Column("", r, t, l), nil
}

// nulls makes the column of a type that has no values.
func (m *mapping) nulls(s *schema.Schema, pl place) (*Node, *parquet.Node, error) {
	return m.leaf(s, pl, Nulls, parquet.Optional, parquet.Boolean, parquet.Logical{})
}

func (m *mapping) record(s *schema.Schema, pl place) (*Node, *parquet.Node, error) {
	n := &Node{Avro: s, First: m.leaves, Def: pl.def, Inner: make([]*Node, len(s.Fields))}
	group := parquet.Group("", parquet.Required)
	for i, f := range s.Fields {
		if !m.keeps(s, i) {
			continue
		}
		inner, column, err := m.value(f.Type, pl.field(f.Name))
		if err != nil {
			return nil, nil, err
		}
		if inner == nil {
			continue
		}
		column.Name = f.Name
		n.Inner[i] = inner
		group.Fields = append(group.Fields, column)
	}
	if group.Fields == nil {
		_, column, _ := m.nulls(s, pl)
		column.Name = "_"
		group.Fields = append(group.Fields, column)
		n.Values = Nulls
	}
	m.noteCase(group, pl)
	n.Last = m.leaves
	return n, group, nil
}

// noteCase notes names that differ only in case: many readers ignore it.
func (m *mapping) noteCase(group *parquet.Node, pl place) {
	first := make(map[string]string, len(group.Fields))
	for _, f := range group.Fields {
		lower := strings.ToLower(f.Name)
		if other, ok := first[lower]; ok {
			m.notes = append(m.notes, fmt.Sprintf("the names %q and %q differ only in case, which some readers ignore", pl.field(other), pl.field(f.Name)))
			continue
		}
		first[lower] = f.Name
	}
}

func (m *mapping) array(s *schema.Schema, pl place) (*Node, *parquet.Node, error) {
	n := &Node{Avro: s, First: m.leaves, Def: pl.def, Rep: pl.rep + 1}
	inner, element, err := m.value(s.Items, pl.element())
	if err != nil {
		return nil, nil, err
	}
	n.Last, n.Inner = m.leaves, []*Node{inner}
	return n, parquet.List("", parquet.Required, element), nil
}

// element returns the place of a list's elements.
func (pl place) element() place {
	return place{path: pl.path, def: pl.def + 1, rep: pl.rep + 1, kept: true}
}

// dict maps a map.
func (m *mapping) dict(s *schema.Schema, pl place) (*Node, *parquet.Node, error) {
	n := &Node{Avro: s, First: m.leaves, Def: pl.def, Rep: pl.rep + 1}
	_, key, err := m.text(s, pl.element())
	if err != nil {
		return nil, nil, err
	}
	inner, value, err := m.value(s.Items, pl.element())
	if err != nil {
		return nil, nil, err
	}
	n.Last, n.Inner = m.leaves, []*Node{inner}
	return n, parquet.Map("", parquet.Required, key, value), nil
}

// union maps a union: to its one type but null, or to a group of all such.
func (m *mapping) union(s *schema.Schema, pl place) (*Node, *parquet.Node, error) {
	n := &Node{Avro: s, First: m.leaves, Def: pl.def, Inner: make([]*Node, len(s.Branches))}
	types, optional := m.branches(s)
	if types == 0 {
		if !pl.kept {
			return nil, nil, nil
		}
		_, column, err := m.nulls(s, pl)
		n.Last = m.leaves
		return n, column, err
	}
	at := place{path: pl.path, def: pl.def, rep: pl.rep, kept: true}
	if optional {
		at.def++
	}
	n.Absent = at.def
	if types > 1 {
		at.def++ // each is optional in the group
	}
	group := parquet.Group("", parquet.Required)
	for i, b := range s.Branches {
		if b.Kind == schema.Null || !m.keeps(s, i) {
			continue
		}
		inner, column, err := m.value(b, at)
		if err != nil {
			return nil, nil, err
		}
		n.Inner[i] = inner
		column.Name, column.Repetition = fmt.Sprintf("member%d", len(group.Fields)), parquet.Optional
		group.Fields = append(group.Fields, column)
	}
	n.Last = m.leaves
	if types == 1 {
		group = group.Fields[0]
		group.Repetition = parquet.Required
	}
	if optional {
		group.Repetition = parquet.Optional
	}
	return n, group, nil
}

// branches returns how many types a union has but null, and whether null is one of its values:
// it stands for branches that are left out.
func (m *mapping) branches(s *schema.Schema) (types int, optional bool) {
	for i, b := range s.Branches {
		if b.Kind == schema.Null || !m.keeps(s, i) {
			optional = true
			continue
		}
		types++
	}
	return types, optional
}

// maxFixed is the most bytes of a fixed: a page holds at least one whole value, and its size is
// a signed number of 32 bits.
const maxFixed = math.MaxInt32 - 1<<20
