package schema

import (
	"fmt"
	"strconv"
)

// Difference is the first place where two schemas differ, in the order of the first.
type Difference struct {
	Path string // fields by dots, "[]" an array's elements, "{}" a map's values, "/x" a union's branch; empty at the top
	What string // what differs: "type", "name", "field", ...
	A, B string // what the one and the other have there
}

// Error says what differs, and where.
func (d *Difference) Error() string {
	at := "the top level"
	if d.Path != "" {
		at = strconv.Quote(d.Path)
	}
	return fmt.Sprintf("schema: %s differs at %s: %s, and %s", d.What, at, d.A, d.B)
}

// Equal returns nil if data of a are data of b and mean the same: same kinds, full
// names, fields by name and order, branches in order, symbols in order, sizes, and
// logical types with their precision and scale. It returns a *[Difference] if not.
// Everything else is free to differ: doc, aliases, defaults, sort order, properties,
// logical types that the specification does not know, and whether names are spelled
// with a namespace of their own or inherit one. Recursive schemas are legal. Its cost
// is that of the texts: types of one name are compared once.
func Equal(a, b *Schema) error {
	c := comparer{seen: make(map[[2]*Schema]bool)}
	if d := c.compare(a, b); d != nil {
		if d.Path != "" && d.Path[0] == '.' {
			d.Path = d.Path[1:]
		}
		return d
	}
	return nil
}

// comparer remembers the pairs of named types it has met: those compared are equal
// or the walk would end; types in progress are compared by their first use.
type comparer struct {
	seen   map[[2]*Schema]bool
	orders bool // the order of fields counts too
}

func (c *comparer) compare(a, b *Schema) *Difference {
	pair := [2]*Schema{a, b}
	if a == b || c.seen[pair] {
		return nil
	}
	if a.Kind.Named() {
		c.seen[pair] = true
	}
	if d := compareType(a, b); d != nil {
		return d
	}
	switch a.Kind {
	case Record:
		return c.compareFields(a, b)
	case Union:
		return c.compareBranches(a, b)
	case Enum:
		return compareSymbols(a, b)
	case Array:
		return below("[]", c.compare(a.Items, b.Items))
	case Map:
		return below("{}", c.compare(a.Items, b.Items))
	}
	return nil
}

// below puts a step in front of a difference's path.
func below(step string, d *Difference) *Difference {
	if d != nil {
		d.Path = step + d.Path
	}
	return d
}

// compareType compares what two types are, and not what they are made of.
func compareType(a, b *Schema) *Difference {
	switch {
	case a.Kind != b.Kind:
		return &Difference{What: "type", A: a.String(), B: b.String()}
	case a.Name != b.Name:
		return &Difference{What: "name", A: a.String(), B: b.String()}
	case a.Size != b.Size:
		return &Difference{What: "size", A: strconv.FormatInt(a.Size, 10), B: strconv.FormatInt(b.Size, 10)}
	case a.Logical != b.Logical:
		return &Difference{What: "logical type", A: orNone(a.Logical.String()), B: orNone(b.Logical.String())}
	}
	return nil
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func (c *comparer) compareFields(a, b *Schema) *Difference {
	for i := range max(len(a.Fields), len(b.Fields)) {
		switch {
		case i >= len(a.Fields):
			return &Difference{Path: "." + b.Fields[i].Name, What: "field", A: "none", B: b.Fields[i].Type.String()}
		case i >= len(b.Fields):
			return &Difference{Path: "." + a.Fields[i].Name, What: "field", A: a.Fields[i].Type.String(), B: "none"}
		}
		fa, fb := a.Fields[i], b.Fields[i]
		if c.orders && fa.Descending != fb.Descending {
			return &Difference{Path: "." + fa.Name, What: "order", A: orderName(fa), B: orderName(fb)}
		}
		if fa.Name != fb.Name {
			return &Difference{Path: "." + fa.Name, What: "field " + strconv.Itoa(i), A: strconv.Quote(fa.Name), B: strconv.Quote(fb.Name)}
		}
		if d := below("."+fa.Name, c.compare(fa.Type, fb.Type)); d != nil {
			return d
		}
	}
	return nil
}

func orderName(f Field) string {
	if f.Descending {
		return "descending"
	}
	return "ascending"
}

func (c *comparer) compareBranches(a, b *Schema) *Difference {
	for i := range max(len(a.Branches), len(b.Branches)) {
		x, y := "none", "none"
		if i < len(a.Branches) {
			x = a.Branches[i].TypeName()
		}
		if i < len(b.Branches) {
			y = b.Branches[i].TypeName()
		}
		if x != y {
			return &Difference{What: "branch " + strconv.Itoa(i), A: x, B: y}
		}
		if d := below("/"+x, c.compare(a.Branches[i], b.Branches[i])); d != nil {
			return d
		}
	}
	return nil
}

func compareSymbols(a, b *Schema) *Difference {
	for i := range max(len(a.Symbols), len(b.Symbols)) {
		x, y := "none", "none"
		if i < len(a.Symbols) {
			x = strconv.Quote(a.Symbols[i])
		}
		if i < len(b.Symbols) {
			y = strconv.Quote(b.Symbols[i])
		}
		if x != y {
			return &Difference{What: "symbol " + strconv.Itoa(i), A: x, B: y}
		}
	}
	return nil
}
