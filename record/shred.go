package record

import (
	"fmt"
	"math"

	"avro2trevni/internal/schema"
	"avro2trevni/internal/shred"
	"avro2trevni/trevni"
)

// put reads a value of the row, and gives it to its columns. After an error of the datum it
// gives nothing that matters: the writer is at its end.
type put func(d *datum)

// column is one of a [Writer]'s.
type column struct {
	*trevni.ColumnWriter
	name string
}

// maxColumns is the most columns of a [Writer], and maxTypes the most types of its schema
// with each use of a named one counted: a short schema can ask for 2^n of either.
const (
	maxColumns = 100_000
	maxTypes   = 10 * maxColumns
)

var errTooWide = fmt.Errorf("%w: more than %d columns, or %d types", ErrTooWide, maxColumns, maxTypes)

// shredder is the state of one depth-first walk over a schema, which makes its columns and
// what fills them.
type shredder struct {
	header  []trevni.Column
	columns []*column
	open    map[*schema.Schema]bool // types that the walk is inside of
	types   int                     // walked over
}

// add makes a column.
func (s *shredder) add(c trevni.Column) *column {
	s.header = append(s.header, c)
	s.columns = append(s.columns, &column{name: c.Name})
	return s.columns[len(s.columns)-1]
}

// value returns what puts a value of a place, and whether it may have no bytes. list is the
// column whose lengths count the values.
func (s *shredder) value(pl shred.Place, list *column) (p put, empty bool, err error) {
	t := pl.Schema
	if s.types++; s.types > maxTypes || len(s.columns) > maxColumns {
		return nil, false, errTooWide
	}
	if t.Kind.Simple() {
		return s.simple(pl, list)
	}
	if s.open[t] {
		return nil, false, fmt.Errorf("%w: %s contains itself, at %q", ErrRecursive, t, pl.Path())
	}
	s.open[t] = true
	defer delete(s.open, t)
	switch t.Kind {
	case schema.Record:
		return s.record(pl, list)
	case schema.Union:
		p, err = s.union(pl)
		return p, false, err
	}
	p, err = s.array(pl)
	return p, false, err
}

// simple puts a value of a simple type.
func (s *shredder) simple(pl shred.Place, list *column) (p put, empty bool, err error) {
	c := list
	if own, ok := pl.Column(); ok {
		c = s.add(own)
	}
	switch t := pl.Schema; t.Kind {
	case schema.Boolean:
		return func(d *datum) { d.did(c.Boolean(d.boolean(c))) }, false, nil
	case schema.Int:
		return func(d *datum) { d.did(c.Int(d.int(c))) }, false, nil
	case schema.Long:
		return func(d *datum) { d.did(c.Long(d.long(c))) }, false, nil
	case schema.Float:
		return func(d *datum) { d.did(c.Float(d.float(c))) }, false, nil
	case schema.Double:
		return func(d *datum) { d.did(c.Double(d.double(c))) }, false, nil
	case schema.String, schema.Bytes:
		return func(d *datum) { d.did(c.Bytes(d.bytes(c))) }, false, nil
	case schema.Enum:
		return func(d *datum) { d.did(c.Int(int32(d.below(c, len(t.Symbols), "symbol")))) }, false, nil
	case schema.Fixed:
		if t.Size > math.MaxInt32 {
			return nil, false, fmt.Errorf("record: fixed of %d bytes at %q is larger than a block can be", t.Size, pl.Path())
		}
		return func(d *datum) { d.did(c.Bytes(d.take(c, t.Size))) }, t.Size == 0, nil
	}
	return func(d *datum) { d.did(c.Null()) }, true, nil
}

// record puts a record's fields.
func (s *shredder) record(pl shred.Place, list *column) (p put, empty bool, err error) {
	fields := make([]put, len(pl.Schema.Fields))
	empty = true
	for i := range fields {
		var none bool
		if fields[i], none, err = s.value(pl.Field(i), list); err != nil {
			return nil, false, err
		}
		empty = empty && none
	}
	return func(d *datum) {
		for _, field := range fields {
			field(d)
		}
	}, empty, nil
}

// array puts an array, or a map.
func (s *shredder) array(pl shred.Place) (put, error) {
	lengths, _ := pl.Column()
	c := s.add(lengths)
	var key put
	if pl.Schema.Kind == schema.Map {
		key, _, _ = s.simple(pl.Key(), c) // a string
	}
	element, empty, err := s.element(pl.Element(), c)
	if err != nil {
		return nil, err
	}
	if key != nil {
		value := element
		element, empty = func(d *datum) { key(d); value(d) }, false
	}
	return func(d *datum) {
		n := d.count(c, empty)
		d.did(c.Length(n))
		for n > 0 {
			for range n {
				if element(d); d.err != nil {
					return
				}
			}
			if n = d.count(c, empty); n > 0 {
				d.did(c.Longer(n))
			}
		}
	}, nil
}

// element puts a value that is counted by a list, and stands in it or else below it: then the
// list's own values are nulls.
func (s *shredder) element(pl shred.Place, list *column) (p put, empty bool, err error) {
	value, empty, err := s.value(pl, list)
	if _, own := pl.Column(); !own && pl.Schema.Kind.Simple() {
		return value, empty, err
	}
	return func(d *datum) { d.did(list.Null()); value(d) }, empty, err
}

// union puts a union: a length of 0 or 1 for each branch but null.
func (s *shredder) union(pl shred.Place) (put, error) {
	type branch struct {
		c     *column
		value put
	}
	branches := make([]branch, len(pl.Schema.Branches))
	index := &column{name: pl.Path()}
	for i, b := range pl.Schema.Branches {
		if b.Kind == schema.Null {
			continue
		}
		lengths, inside := pl.Branch(i)
		c := s.add(lengths)
		value, _, err := s.element(inside, c)
		if err != nil {
			return nil, err
		}
		branches[i] = branch{c, value}
	}
	return func(d *datum) {
		chosen := d.below(index, len(branches), "branch")
		if d.err != nil {
			return
		}
		for i := range branches {
			switch b := &branches[i]; {
			case b.c == nil:
			case i != chosen:
				d.did(b.c.Length(0))
			default:
				d.did(b.c.Length(1))
				b.value(d)
			}
		}
	}, nil
}
