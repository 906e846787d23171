package record

import (
	"fmt"
	"math"
	"slices"

	"avro2trevni/internal/schema"
	"avro2trevni/trevni"
)

// simple compiles a value that is one value of one column.
func (c *compiler) simple(w *schema.Schema, pl place) error {
	column, own := pl.Column()
	if pl.Schema.Kind == schema.Null {
		return c.null(column, own)
	}
	o, err := c.leaf(w, pl)
	if err != nil {
		return err
	}
	o.column = uint32(pl.list)
	if own {
		if o.column, err = c.need(column, pl.list); err != nil {
			return err
		}
	}
	c.emit(o)
	return nil
}

// null compiles a null, in a column of its own or not, which is no byte of the row.
func (c *compiler) null(column trevni.Column, own bool) error {
	if !own {
		return nil
	}
	i, err := c.find(column)
	if err == nil && column.Parent == "" {
		c.p.nulls = append(c.p.nulls, i)
	}
	return err
}

// leaf returns the instruction for a value of a simple type.
func (c *compiler) leaf(w *schema.Schema, pl place) (op, error) {
	f := pl.Schema
	switch {
	case changes(w, f) && w.Kind == schema.Float:
		return op{code: opToFloat, value: byte(f.Kind)}, nil
	case changes(w, f):
		return op{code: opToDouble, value: byte(f.Kind)}, nil
	}
	switch f.Kind {
	case schema.Boolean:
		if pl.branch {
			return op{code: opByte}, nil
		}
		return op{code: opBoolean}, nil
	case schema.Int:
		return op{code: opInt}, nil
	case schema.Long:
		return op{code: opLong}, nil
	case schema.Float:
		return op{code: opFour}, nil
	case schema.Double:
		return op{code: opEight}, nil
	case schema.Enum:
		return c.enum(w, f)
	case schema.Fixed:
		if f.Size > math.MaxInt32 {
			return op{}, fmt.Errorf("%w: fixed of %d bytes at %s is larger than a block can be", ErrColumns, f.Size, pl)
		}
		return op{code: opFixed, n: uint32(f.Size), value: byte(2 * f.Size)}, nil
	}
	return op{code: opString}, nil
}

// enum compiles an enum: an index is copied, unless the wanted symbols differ.
func (c *compiler) enum(w, f *schema.Schema) (op, error) {
	if len(w.Symbols) >= len(f.Symbols) && slices.Equal(w.Symbols[:len(f.Symbols)], f.Symbols) {
		return op{code: opEnum, n: uint32(len(f.Symbols))}, nil
	}
	at := make(map[string]int32, len(w.Symbols))
	for i, s := range w.Symbols {
		at[s] = int32(i)
	}
	other := int32(-1)
	if s, ok := c.text.Symbol(w); ok {
		i, ok := at[s]
		if !ok {
			return op{}, fmt.Errorf("%w: enum %s has no symbol %q", ErrDefault, w.Name, s)
		}
		other = i
	}
	table := make([]int32, len(f.Symbols))
	for i, s := range f.Symbols {
		if n, ok := at[s]; ok {
			table[i] = n
		} else {
			table[i] = other
		}
	}
	c.p.enums = append(c.p.enums, table)
	return op{code: opSymbol, n: uint32(len(c.p.enums) - 1)}, nil
}
