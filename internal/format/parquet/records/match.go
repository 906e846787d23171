package records

import (
	"fmt"

	"avro2trevni/internal/assembly"
	"avro2trevni/internal/schema"
	"avro2trevni/parquet"
	"avro2trevni/parquet/reader"
)

// matcher finds the places of a schema in a file's columns. It goes over the schema that rows
// are to have, the schema of the whole file, which may be the same, and the columns.
type matcher struct {
	whole bool // each column must have a place
}

// mismatch is where a schema does not fit the columns, or a wanted one the file's.
type mismatch struct {
	path string
	what string
}

// Error implements error.
func (m *mismatch) Error() string { return fmt.Sprintf("field %q: %s", m.path, m.what) }

func mismatchf(n *reader.Node, format string, args ...any) error {
	return &mismatch{n.Name, fmt.Sprintf(format, args...)}
}

// below puts a field's name in front of a mismatch's path.
func below(name string, err error) error {
	if m, ok := err.(*mismatch); ok && name != "" {
		return &mismatch{name + "." + m.path, m.what}
	}
	return err
}

// top matches whole rows.
func (m *matcher) top(want, file *schema.Schema, root *reader.Node) (*assembly.Node, error) {
	if file.Kind == schema.Record {
		return m.value(want, file, root)
	}
	if len(root.Fields) != 1 || root.Fields[0].Name != "value" {
		return nil, mismatchf(root, "it is not a group of one field \"value\"")
	}
	return m.field(want, file, root.Fields[0])
}

// span returns the leaves of a node.
func span(n *reader.Node) (first, last int) {
	if n.Fields == nil {
		return n.Leaf, n.Leaf + 1
	}
	if len(n.Fields) == 0 {
		return 0, 0
	}
	first, _ = span(n.Fields[0])
	_, last = span(n.Fields[len(n.Fields)-1])
	return first, last
}

// node returns what is at n, which is there.
func node(k assembly.Kind, n *reader.Node) *assembly.Node {
	first, last := span(n)
	return &assembly.Node{Kind: k, First: first, Last: last, Def: n.MaxDef}
}

// field matches what a field, an element or a member is, which may be absent, or repeated.
func (m *matcher) field(want, file *schema.Schema, n *reader.Node) (*assembly.Node, error) {
	switch {
	case n.Repetition == parquet.Repeated:
		if file.Kind != schema.Array || want.Kind != schema.Array {
			return nil, mismatchf(n, "it is repeated, and no array")
		}
		return m.list(want, file, n, n)
	case file.Kind == schema.Null && n.Repetition == parquet.Optional && n.Fields == nil && want.Kind == schema.Null:
		a := node(assembly.Null, n)
		a.Def--
		return a, nil
	case file.Kind == schema.Union && want.Kind == schema.Union:
		return m.union(want, file, n)
	case n.Repetition == parquet.Optional:
		return nil, mismatchf(n, "it is optional, and %s is not", file)
	}
	return m.value(want, file, n)
}

// list matches an array. r is what is repeated, and the element is what r is, or its one field.
func (m *matcher) list(want, file *schema.Schema, r, element *reader.Node) (*assembly.Node, error) {
	var item *assembly.Node
	var err error
	if r == element {
		item, err = m.value(want.Items, file.Items, r)
	} else {
		item, err = m.field(want.Items, file.Items, element)
	}
	if err != nil {
		return nil, err
	}
	a := node(assembly.List, r)
	a.Def, a.Rep, a.Fields = r.MaxDef-1, r.MaxRep, []*assembly.Node{item}
	return a, nil
}

// value matches what is there.
func (m *matcher) value(want, file *schema.Schema, n *reader.Node) (*assembly.Node, error) {
	if want.Kind != file.Kind {
		return nil, mismatchf(n, "%s is wanted of %s", want, file)
	}
	switch file.Kind {
	case schema.Record:
		return m.record(want, file, n)
	case schema.Array:
		return m.array(want, file, n)
	case schema.Map:
		return m.dict(want, file, n)
	case schema.Union:
		return m.union(want, file, n)
	case schema.Null:
		return nil, mismatchf(n, "it can have values, and null has none")
	}
	return simple(want, n)
}

// empty reports whether a record's or union's values have no columns of their own.
func empty(s *schema.Schema) bool {
	if s.Kind == schema.Union {
		for _, b := range s.Branches {
			if b.Kind != schema.Null {
				return false
			}
		}
		return true
	}
	return s.Kind == schema.Null
}

// record matches the fields of a record by name.
func (m *matcher) record(want, file *schema.Schema, n *reader.Node) (*assembly.Node, error) {
	if n.Fields == nil {
		return nil, mismatchf(n, "%s has no fields", n.Type)
	}
	columns := make(map[string]*reader.Node, len(n.Fields))
	for _, f := range n.Fields {
		columns[f.Name] = f
	}
	types := make(map[string]*schema.Schema, len(file.Fields))
	for _, f := range file.Fields {
		types[f.Name] = f.Type
	}
	a := node(assembly.Record, n)
	taken := 0
	for _, f := range want.Fields {
		of, ok := types[f.Name]
		if !ok {
			return nil, mismatchf(n, "there is no field %q", f.Name)
		}
		column := columns[f.Name]
		if column == nil && empty(of) {
			a.Fields = append(a.Fields, nothing(f.Type))
			continue
		}
		if column == nil {
			return nil, mismatchf(n, "there is no column of field %q", f.Name)
		}
		taken++
		inner, err := m.field(f.Type, of, column)
		if err != nil {
			return nil, below(n.Name, err)
		}
		a.Fields = append(a.Fields, inner)
	}
	if m.whole && taken == 0 && len(n.Fields) == 1 && n.Fields[0].Name == "_" && n.Fields[0].Repetition == parquet.Optional {
		taken++ // stands for what has no columns
	}
	if m.whole && taken < len(n.Fields) {
		return nil, mismatchf(n, "%d of %d columns are no fields", len(n.Fields)-taken, len(n.Fields))
	}
	return a, nil
}

// nothing is null, or a union of it, without a column.
func nothing(s *schema.Schema) *assembly.Node {
	if s.Kind == schema.Union {
		return &assembly.Node{Kind: assembly.Union, Fields: nulls(s)}
	}
	return &assembly.Node{}
}

// nulls are the branches of a union that has no others.
func nulls(s *schema.Schema) (all []*assembly.Node) {
	for range s.Branches {
		all = append(all, &assembly.Node{})
	}
	return all
}

// array matches a list, in the form that the columns have: the rules are those of
// LogicalTypes.md. Where they fail, the schema may tell that it is the other.
func (m *matcher) array(want, file *schema.Schema, n *reader.Node) (*assembly.Node, error) {
	r, element := listed(n)
	if r == nil {
		return nil, mismatchf(n, "it is no list")
	}
	a, err := m.list(want, file, r, element)
	if err != nil && len(r.Fields) == 1 {
		other := r
		if element == r {
			other = r.Fields[0]
		}
		if b, otherwise := m.list(want, file, r, other); otherwise == nil {
			return b, nil
		}
	}
	return a, below(n.Name, err)
}

// listed returns what is repeated in a group that is a list, nil if it is none, and what its
// elements are: the same, or its one field.
func listed(n *reader.Node) (repeated, element *reader.Node) {
	if n.Logical.Kind != reader.ListType || len(n.Fields) != 1 || n.Fields[0].Repetition != parquet.Repeated {
		return nil, nil
	}
	r := n.Fields[0]
	if len(r.Fields) != 1 || r.Logical.Kind == reader.ListType || r.Logical.Kind == reader.MapType ||
		r.Fields[0].Repetition == parquet.Repeated || r.Name == "array" || r.Name == n.Name+"_tuple" {
		return r, r
	}
	return r, r.Fields[0]
}

// dict matches a map.
func (m *matcher) dict(want, file *schema.Schema, n *reader.Node) (*assembly.Node, error) {
	r := entries(n)
	if r == nil || !keyed(r) {
		return nil, mismatchf(n, "it is no map of strings")
	}
	first, _ := span(r.Fields[0])
	key := &assembly.Node{Kind: assembly.Simple, First: first, Last: first + 1, Def: r.MaxDef, Value: assembly.Bytes}
	value := &assembly.Node{Def: r.MaxDef}
	if len(r.Fields) == 2 {
		var err error
		if value, err = m.field(want.Items, file.Items, r.Fields[1]); err != nil {
			return nil, below(n.Name, err)
		}
	} else if file.Items.Kind != schema.Null {
		return nil, mismatchf(n, "it is a map without values")
	}
	a := node(assembly.Map, r)
	a.Def, a.Rep, a.Fields = r.MaxDef-1, r.MaxRep, []*assembly.Node{key, value}
	return a, nil
}

// entries returns what is repeated in a group that is a map, nil if it is none.
func entries(n *reader.Node) *reader.Node {
	named := n.Logical.Kind == reader.MapType || n.Logical.Kind == reader.KeyValueType
	if !named || len(n.Fields) != 1 || n.Fields[0].Repetition != parquet.Repeated {
		return nil
	}
	if r := n.Fields[0]; len(r.Fields) == 1 || len(r.Fields) == 2 {
		return r
	}
	return nil
}

// keyed reports whether the keys of a map are as Avro's.
func keyed(r *reader.Node) bool {
	key := r.Fields[0]
	return key.Repetition == parquet.Required && key.Fields == nil && key.Type == parquet.ByteArray && key.Logical.Kind != reader.DecimalType
}

// union matches a union: one type that may be absent, or a group of several members.
func (m *matcher) union(want, file *schema.Schema, n *reader.Node) (*assembly.Node, error) {
	a := node(assembly.Union, n)
	a.Absent = n.MaxDef
	types, null := 0, false
	for _, b := range file.Branches {
		if b.Kind == schema.Null {
			null = true
		} else {
			types++
		}
	}
	switch {
	case n.Repetition == parquet.Optional && !null:
		return nil, mismatchf(n, "it is optional, and the union has no null")
	case n.Repetition == parquet.Optional:
		a.Def--
	case types > 1 && null:
		return nil, mismatchf(n, "it is required, and the union has null")
	}
	switch {
	case types == 0:
		a.Fields = nulls(want)
		return a, nil
	case types > 1 && (len(n.Fields) != types || n.Logical.Kind != reader.NoLogical):
		return nil, mismatchf(n, "it is no group of %d members", types)
	}
	return a, m.branches(a, want, file, n, types)
}

// branches adds a union's branches.
func (m *matcher) branches(a *assembly.Node, want, file *schema.Schema, n *reader.Node, types int) error {
	found, members := 0, 0
	inner := make([]*assembly.Node, len(want.Branches))
	for _, b := range file.Branches {
		i := branch(want, b)
		if b.Kind == schema.Null {
			if i >= 0 {
				inner[i] = &assembly.Node{}
			}
			continue
		}
		column := n
		if types > 1 {
			column = n.Fields[members]
			if column.Name != fmt.Sprint("member", members) || column.Repetition != parquet.Optional {
				return mismatchf(column, "it is no member of a union")
			}
			members++
		}
		if i < 0 {
			a.Others = true
			continue
		}
		f, err := m.value(want.Branches[i], b, column)
		if err != nil {
			return below(n.Name, err)
		}
		inner[i] = f
		found++
	}
	for i, f := range inner {
		if f == nil {
			return mismatchf(n, "the file's union has no branch %s", want.Branches[i])
		}
	}
	a.Fields = inner
	return nil
}

// branch returns which branch of a wanted union is one of the file's, -1 if none is.
func branch(want, b *schema.Schema) int {
	for i, w := range want.Branches {
		if w.Kind == b.Kind && w.TypeName() == b.TypeName() {
			return i
		}
	}
	return -1
}
