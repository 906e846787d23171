package trvfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/internal/colname"
	"avro2trevni/internal/exit"
	"avro2trevni/internal/schema"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// clause is one of --where.
type clause colfile.Clause

// condition makes the clause's condition on a file whose rows have a schema. What is
// wrong with the clause is an error of usage.
func (w clause) condition(f *file, s *schema.Schema) (condition, error) {
	columns := f.Reader.Header().Columns
	all := make([]string, len(columns))
	for i := range columns {
		all[i] = columns[i].Name
	}
	i, err := colname.Find(all, w.Column)
	if err != nil {
		return nil, exit.Usage("where: %w", err)
	}
	c := &columns[i]
	bad := func(err error) error { return exit.Usage("where: column %q, %s: %w", c.Name, f.columns[i].Kind(), err) }
	if c.Parent != "" {
		return nil, bad(errors.New("its values are of the elements of " + c.Parent + ", not of rows"))
	}
	if c.Type == trevni.Null {
		return nil, bad(errors.New("nulls have no values to compare"))
	}
	leaf := leafOf(s, c.Name)
	if leaf == nil {
		return nil, bad(errors.New("the file's schema has no such column"))
	}
	wanted, err := w.parse(leaf)
	if err != nil {
		return nil, bad(err)
	}
	return newCondition(f, i, wanted)
}

// leafOf returns the type of the values that a column without a parent holds of rows
// of type s; nil if there is no such column.
func leafOf(s *schema.Schema, column string) *schema.Schema { return leafAt(s, "", true, column) }

// leafAt returns the same of what stands at a path in the rows, or at the top, which has
// none.
func leafAt(s *schema.Schema, path string, top bool, column string) *schema.Schema {
	inner := func(sep, name string) string {
		if top {
			return name
		}
		return path + sep + name
	}
	if !strings.HasPrefix(column, path) {
		return nil
	}
	switch s.Kind {
	case schema.Record:
		for _, f := range s.Fields {
			if leaf := leafAt(f.Type, inner("#", f.Name), false, column); leaf != nil {
				return leaf
			}
		}
		return nil
	case schema.Union:
		for _, b := range s.Branches {
			if leaf := leafAt(b, inner("/", b.TypeName()), false, column); leaf != nil {
				return leaf
			}
		}
		return nil
	case schema.Array:
		s, path, top = s.Items, path+"[]", false
	}
	if top {
		path = s.TypeName()
	}
	if path != column {
		return nil
	}
	return s
}

// parse returns the clause's value as the batch reads give values of type s.
func (w clause) parse(s *schema.Schema) (any, error) {
	switch s.Kind {
	case schema.Boolean:
		if w.Value != "true" && w.Value != "false" {
			return nil, w.not("true or false")
		}
		return w.Value == "true", nil
	case schema.Int:
		v, err := strconv.ParseInt(w.Value, 10, 32)
		return int32(v), w.number(err)
	case schema.Long:
		v, err := strconv.ParseInt(w.Value, 10, 64)
		return v, w.number(err)
	case schema.Float:
		v, err := strconv.ParseFloat(w.Value, 32)
		return float32(v), w.number(err)
	case schema.Double:
		v, err := strconv.ParseFloat(w.Value, 64)
		return v, w.number(err)
	case schema.String:
		return []byte(w.Value), nil
	case schema.Enum:
		i := slices.Index(s.Symbols, w.Value)
		if i < 0 {
			return nil, w.not("a symbol of enum " + s.Name)
		}
		return int32(i), nil
	case schema.Bytes, schema.Fixed:
		return w.bytes(s)
	}
	return nil, errors.New("the file's schema has no values there")
}

// not says what the value should have been.
func (w clause) not(what string) error { return fmt.Errorf("value %q is not %s", w.Value, what) }

// number explains what strconv found wrong.
func (w clause) number(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("value %q is out of range", w.Value)
	}
	return w.not("a number")
}

// bytes parses bytes as cat prints them, between the quotes.
func (w clause) bytes(s *schema.Schema) ([]byte, error) {
	var text string
	if err := json.Unmarshal([]byte(`"`+w.Value+`"`), &text); err != nil {
		return nil, w.not("the inside of a JSON string")
	}
	b := []byte{}
	for _, r := range text {
		if r > math.MaxUint8 {
			return nil, w.not("of characters U+0000 to U+00FF, each a byte")
		}
		b = append(b, byte(r))
	}
	if s.Kind == schema.Fixed && int64(len(b)) != s.Size {
		return nil, fmt.Errorf("value %q has %d bytes, fixed %s has %d", w.Value, len(b), s.Name, s.Size)
	}
	return b, nil
}

// condition finds the rows in which a column has a value.
type condition interface {
	// narrow returns the rows among which those of a span are, without reading them
	// all; found tells that all of these are such rows.
	narrow(in colfile.Span) (out colfile.Span, found bool, err error)
	// filter appends those of a span to spans.
	filter(spans []colfile.Span, in colfile.Span) ([]colfile.Span, error)
}

// newCondition returns the condition that column i has a value, of the type that its
// batch read gives.
func newCondition(f *file, i int, wanted any) (condition, error) {
	c, err := f.Column(i)
	if err != nil {
		return nil, err
	}
	col := &f.Reader.Header().Columns[i]
	blocks, err := f.Blocks(i)
	if err != nil {
		return nil, err
	}
	e := equality{c: c, array: col.Array, first: wanted, sorted: col.FirstValues && sortedFirsts(col.Type, blocks)}
	switch v := wanted.(type) {
	case bool:
		return newMatcher(e, c.ReadBooleans, func(x bool) bool { return x == v }), nil
	case int32:
		return newMatcher(e, c.ReadInts, func(x int32) bool { return x == v }), nil
	case int64:
		return newMatcher(e, c.ReadLongs, func(x int64) bool { return x == v }), nil
	case float32:
		if v == 0 {
			e.first = float32(math.Copysign(0, -1)) // comes before 0, which it equals
		}
		return newMatcher(e, c.ReadFloats, func(x float32) bool { return x == v || x != x && v != v }), nil
	case float64:
		if v == 0 {
			e.first = math.Copysign(0, -1)
		}
		return newMatcher(e, c.ReadDoubles, func(x float64) bool { return x == v || x != x && v != v }), nil
	case []byte:
		return newMatcher(e, c.ReadBytes, func(x []byte) bool { return string(x) == string(v) }), nil
	}
	return nil, fmt.Errorf("column %q: no condition for a %T", col.Name, wanted)
}

// sortedFirsts reports whether the first values of a column's blocks ascend. Whoever
// gives a column first values promises that it is sorted; where they show that it is
// not, they are of no use.
func sortedFirsts(t trevni.Type, blocks []trevni.Block) bool {
	var firsts []byte
	for i := range blocks {
		firsts = append(firsts, blocks[i].FirstValue...)
	}
	bad, _, err := block.CheckSorted(firsts, t, len(blocks), nil)
	return err == nil && bad == len(blocks)
}
