package trvfile

import (
	"context"
	"fmt"
	"strings"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/cmd/trevni/tally"
	"avro2trevni/internal/schema"
	"avro2trevni/internal/shred"
)

var _ colfile.Counter = (*file)(nil)

// Count implements [colfile.Counter]: it reads the columns of lengths on the path. Those of simple
// values have them among the lengths. Pages is not looked at.
func (f *file) Count(ctx context.Context, path string, _ bool) ([]colfile.Count, error) {
	if f.header.Schema == "" {
		return nil, fmt.Errorf("%s: %w", f.name, colfile.ErrNoSchema)
	}
	s, err := schema.Parse(f.header.Schema)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	c := counter{f: f, ctx: ctx}
	if err := c.value(shred.Top(s), f.header.Rows); err != nil {
		return nil, err
	}
	for _, name := range strings.Split(path, ".") {
		place, n, ok := c.field(name)
		if !ok {
			return nil, fmt.Errorf("%w: %q", schema.ErrNoField, path)
		}
		c.path = strings.TrimPrefix(c.path+"."+name, ".")
		if err := c.value(place, n); err != nil {
			return nil, err
		}
	}
	return c.counts, nil
}

// counter goes along a path.
type counter struct {
	f      *file
	ctx    context.Context
	counts []colfile.Count
	path   string
	at     []counted // what the next name is looked for in
}

// counted is a place, and how many values there are.
type counted struct {
	place shred.Place
	n     uint64
}

// lengths returns the sum of a column's lengths, and how many are 0.
func (c *counter) lengths(name string) (*tally.Tally, error) {
	for i, column := range c.f.columns {
		if column.Name == name {
			t := &tally.Tally{Type: column.Tally}
			return t, c.f.Scan(c.ctx, i, t)
		}
	}
	return nil, fmt.Errorf("%s: there is no column %q", c.f.name, name)
}

// value adds what n values at a place are: themselves, and of arrays and maps the elements.
func (c *counter) value(p shred.Place, n uint64) error {
	count := colfile.Count{Path: c.path, Values: n}
	c.at = []counted{{p, n}}
	if p.Schema.Kind == schema.Union {
		c.at, count.Values = nil, 0
		for i, b := range p.Schema.Branches {
			if b.Kind == schema.Null {
				count.Optional = true
				continue
			}
			column, inner := p.Branch(i)
			t, err := c.lengths(column.Name)
			if err != nil {
				return err
			}
			c.at = append(c.at, counted{inner, t.Values})
			count.Values += t.Values
		}
		count.Null = n - count.Values
	}
	kind := schema.Null
	if len(c.at) == 1 {
		p = c.at[0].place
		kind = p.Schema.Kind
	}
	if kind != schema.Array && kind != schema.Map {
		c.add(count)
		return nil
	}
	column, _ := p.Column()
	t, err := c.lengths(column.Name)
	if err != nil {
		return err
	}
	count.List, count.Empty = true, t.Empty
	c.add(count)
	c.path += "[]"
	return c.value(p.Element(), t.Values)
}

func (c *counter) add(count colfile.Count) {
	if count.Path != "" {
		c.counts = append(c.counts, count)
	}
}

// field returns the place of a field, and how many there are.
func (c *counter) field(name string) (shred.Place, uint64, bool) {
	for _, a := range c.at {
		if a.place.Schema.Kind != schema.Record {
			continue
		}
		for i, f := range a.place.Schema.Fields {
			if f.Name == name {
				return a.place.Field(i), a.n, true
			}
		}
	}
	return shred.Place{}, 0, false
}
