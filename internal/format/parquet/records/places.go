package records

import (
	"fmt"
	"strings"

	"avro2trevni/internal/assembly"
	"avro2trevni/internal/schema"
)

// Place is a value on the way to a field, by the levels of the entries of one leaf: see
// [Table.Places].
type Place struct {
	Path string // names with dots, [] after an array's or a map's elements
	Rep  int    // how many arrays and maps it is in
	Def  int    // definition level of entries where it is there, or more of it
	Null int    // definition level of entries where it is null, -1: it cannot be
	// Empty is the definition level of entries where it is an array or map without elements, -1: it
	// is none.
	Empty int
}

// Places returns the values on the way from rows to a field, and a leaf below it, of all those the
// one that repeats least and takes the least bytes: its levels tell how many of the values there
// are. A path is names with dots between, and passes through arrays, maps and unions. An
// unknown one is [schema.ErrNoField].
func (t *Table) Places(path string) (places []Place, leaf int, err error) {
	w := placer{}
	s, n := t.file, t.whole
	w.value(s, n, 0)
	for _, name := range strings.Split(path, ".") {
		if s, n = w.fields(name); n == nil {
			return nil, -1, fmt.Errorf("%w: %q", schema.ErrNoField, path)
		}
		w.path = strings.TrimPrefix(w.path+"."+name, ".")
		w.value(s, n, w.rep)
	}
	if w.deep == nil || n.First == n.Last {
		return nil, -1, fmt.Errorf("%w: %q is null always, and has no column", schema.ErrNoField, path)
	}
	return w.places, t.least(w.deep.First, w.deep.Last), nil
}

// least returns the leaf that repeats least, and of those the one with the least bytes.
func (t *Table) least(first, last int) int {
	best, size := -1, int64(0)
	for i := first; i < last; i++ {
		stored := int64(0)
		for _, g := range t.f.RowGroups {
			stored += g.Chunks[i].Stored
		}
		rep := t.f.Schema.Leaves[i].MaxRep
		if best < 0 || rep < t.f.Schema.Leaves[best].MaxRep || rep == t.f.Schema.Leaves[best].MaxRep && stored < size {
			best, size = i, stored
		}
	}
	return best
}

// placer goes along a path.
type placer struct {
	places []Place
	path   string
	rep    int
	deep   *assembly.Node // the last value that has leaves
	at     []at           // what the next name is looked for in: a record, or a union's
}

// at is a type and its node.
type at struct {
	s *schema.Schema
	n *assembly.Node
}

// value adds what a value is: itself, and if it is an array or map its elements.
func (w *placer) value(s *schema.Schema, n *assembly.Node, rep int) {
	w.rep = rep
	if n.First < n.Last {
		w.deep = n
	}
	p := Place{Path: w.path, Rep: rep, Def: n.Def, Null: -1, Empty: -1}
	w.at = []at{{s, n}}
	if s.Kind == schema.Union {
		w.at = nil
		for i, f := range n.Fields {
			if s.Branches[i].Kind == schema.Null {
				p.Null = n.Def
				continue
			}
			p.Def = n.Absent
			w.at = append(w.at, at{s.Branches[i], f})
		}
		switch len(w.at) {
		case 0:
			p.Def = n.Def + 1 // null alone
		case 1:
			s, n = w.at[0].s, w.at[0].n
			p.Def = n.Def
		}
	}
	list := len(w.at) == 1 && (s.Kind == schema.Array || s.Kind == schema.Map)
	if list {
		p.Empty = n.Def
	}
	if p.Path != "" {
		w.places = append(w.places, p)
	}
	if list {
		w.path += "[]"
		w.value(s.Items, n.Fields[len(n.Fields)-1], n.Rep)
	}
}

// fields returns the field of a name.
func (w *placer) fields(name string) (*schema.Schema, *assembly.Node) {
	for _, a := range w.at {
		if a.s.Kind != schema.Record {
			continue
		}
		for i, f := range a.s.Fields {
			if f.Name == name {
				return f.Type, a.n.Fields[i]
			}
		}
	}
	return nil, nil
}
