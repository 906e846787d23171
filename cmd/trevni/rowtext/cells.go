package rowtext

import (
	"errors"
	"slices"

	"avro2trevni/internal/schema"
)

// Cells divides rows of Avro's binary encoding into cells: one for each field that is not a
// record, the fields of inner records too. A cell is a text: a simple value as it is, anything
// else as plain JSON.
//
//	{"id":7,"user":{"name":"Al","tags":["a"]}}  -->  id  user.name  user.tags
//	                                                 7   Al         ["a"]
type Cells struct {
	People bool // values of logical types as people write them
	names  []string
	types  []*schema.Schema
	row    []Cell
	j      JSON
}

// Cell is a field's value in a row.
type Cell struct {
	Text []byte // good until the next row
	Null bool
}

// NewCells returns what divides rows of a schema.
func NewCells(s *schema.Schema, people bool) *Cells {
	c := &Cells{People: people}
	c.add(s, "")
	c.row = make([]Cell, len(c.names))
	return c
}

// add adds the cells of a type.
func (c *Cells) add(s *schema.Schema, path string) {
	r := recordOf(s)
	if r == nil {
		if path == "" {
			path = "value"
		}
		c.names, c.types = append(c.names, path), append(c.types, s)
		return
	}
	for _, f := range r.Fields {
		below := f.Name
		if path != "" {
			below = path + "." + f.Name
		}
		c.add(f.Type, below)
	}
}

// recordOf returns the record that a type is, or is unless it is null; nil for other types.
func recordOf(s *schema.Schema) *schema.Schema {
	if s.Kind == schema.Union && len(s.Branches) == 2 {
		for i, b := range s.Branches {
			if b.Kind == schema.Record && s.Branches[1-i].Kind == schema.Null {
				return b
			}
		}
	}
	if s.Kind == schema.Record {
		return s
	}
	return nil
}

// Names returns the paths of the cells' fields.
func (c *Cells) Names() []string { return c.names }

// Numeric reports whether the values of a cell are numbers.
func (c *Cells) Numeric(i int) bool {
	s := c.types[i]
	if s.Kind == schema.Union {
		s = valueOf(s)
	}
	return s != nil && (s.Kind == schema.Int || s.Kind == schema.Long || s.Kind == schema.Float || s.Kind == schema.Double) &&
		(!c.People || s.Logical.Name == "")
}

// valueOf returns the one branch of a union that is not null, or nil.
func valueOf(u *schema.Schema) (only *schema.Schema) {
	for _, b := range u.Branches {
		if b.Kind != schema.Null {
			if only != nil {
				return nil
			}
			only = b
		}
	}
	return only
}

// mostCell is the largest number of bytes of a cell: a row of a few bytes may have 2^30
// elements, and a cell is kept in memory.
const mostCell = 64 << 20

var errCell = errors.New("trevni: a value of more than 64 MiB: print it as JSON")

// Row divides the row at the start of src, and returns its cells, which are good until the
// next call, and what follows the row.
func (c *Cells) Row(s *schema.Schema, src []byte) ([]Cell, []byte, error) {
	c.j = JSON{Plain: true, People: c.People, W: tooMuch{}, buf: c.j.buf[:0], src: src, most: mostCell}
	next := 0
	c.walk(s, &next, false)
	return c.row, c.j.src, c.j.err
}

// tooMuch is where a cell goes that is too large.
type tooMuch struct{}

func (tooMuch) Write([]byte) (int, error) { return 0, errCell }

// walk fills the cells of a value; absent means that the record is null.
func (c *Cells) walk(s *schema.Schema, next *int, absent bool) {
	r := recordOf(s)
	if r == nil {
		c.cell(s, *next, absent)
		*next++
		return
	}
	if s.Kind == schema.Union && !absent {
		i := c.j.index(len(s.Branches))
		absent = i < 0 || s.Branches[i].Kind == schema.Null
	}
	for _, f := range r.Fields {
		c.walk(f.Type, next, absent)
	}
}

// cell fills one cell.
func (c *Cells) cell(s *schema.Schema, at int, absent bool) {
	for s.Kind == schema.Union && !absent {
		i := c.j.index(len(s.Branches))
		if i < 0 {
			return
		}
		s = s.Branches[i]
	}
	if absent || s.Kind == schema.Null {
		c.row[at] = Cell{Null: true}
		return
	}
	from := len(c.j.buf)
	if c.j.bare(s); c.j.err != nil {
		return
	}
	c.row[at] = Cell{Text: slices.Clip(c.j.buf[from:])}
}

// bare writes a value that is not null: of a simple one the text without quotes.
func (j *JSON) bare(s *schema.Schema) {
	isText := s.Kind == schema.String && (!j.People || s.Logical.Name == "")
	if isText {
		j.buf = append(j.buf, j.take(j.long())...)
		j.text("")
		return
	}
	from := len(j.buf)
	j.value(s)
	if s.Kind.Simple() && j.err == nil && j.buf[from] == '"' {
		j.buf = append(j.buf[:from], j.buf[from+1:len(j.buf)-1]...)
	}
}
