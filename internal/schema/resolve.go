package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// Mismatch says that data of one schema cannot be had as data of another, and the
// first place where.
type Mismatch struct {
	Path   string // as in [Difference], with the names of the schema wanted
	Writer string // what the data have there
	Reader string // what is wanted
}

// Error says what does not match, and where.
func (m *Mismatch) Error() string {
	at := "the top level"
	if m.Path != "" {
		at = strconv.Quote(strings.TrimPrefix(m.Path, "."))
	}
	return fmt.Sprintf("schema: cannot resolve %s: it has %s, but the wanted type is %s", at, m.Writer, m.Reader)
}

// Below returns the mismatch with a step in front of its path.
func (m *Mismatch) Below(step string) *Mismatch {
	return &Mismatch{Path: step + m.Path, Writer: m.Writer, Reader: m.Reader}
}

// mismatch returns a mismatch of two types.
func mismatch(w, r *Schema) *Mismatch {
	return &Mismatch{Writer: describe(w, r), Reader: describe(r, w)}
}

// describe returns what s is, as far as it tells s from other.
func describe(s, other *Schema) string {
	text := s.String()
	switch {
	case s.Kind == Fixed && other.Kind == Fixed && s.Size != other.Size:
		text += fmt.Sprintf(" of %d bytes", s.Size)
	case s.Kind == Fixed && s.Logical.Name != "":
		text += " (" + s.Logical.String() + ")"
	case s.Kind == Union:
		names := make([]string, len(s.Branches))
		for i, b := range s.Branches {
			names[i] = b.TypeName()
		}
		text += " of " + strings.Join(names, ", ")
	}
	return text
}

// Resolver decides how data of a writer's schema become data of a reader's, type by
// type (Avro 1.12, "Schema Resolution"). Where the specification and the Java
// implementation differ it takes what either takes; the one thing it refuses that
// Java reads is another meaning for the same bytes: logical types that differ. One
// goroutine at a time.
type Resolver struct {
	reader  *Text
	checked map[[2]*Schema]*Mismatch // pairs that [Resolver.Check] met
	granted [][2]*Schema             // those without a mismatch, in the order in which they were met
	aliases map[*Schema]map[string]bool
}

// NewResolver returns a resolver to reader's schema.
func NewResolver(reader *Text) *Resolver {
	return &Resolver{reader: reader, checked: map[[2]*Schema]*Mismatch{}, aliases: map[*Schema]map[string]bool{}}
}

// promotions are the kinds that values of a kind can also be had as.
var promotions = map[Kind][]Kind{
	Int:    {Long, Float, Double},
	Long:   {Float, Double},
	Float:  {Double},
	String: {Bytes},
	Bytes:  {String},
}

func promotes(w, r Kind) bool {
	for _, k := range promotions[w] {
		if k == r {
			return true
		}
	}
	return false
}

// Types returns nil if values of w can be resolved to r, judging by the two types without
// their parts. Neither is a union. Names of records do not matter, as in Java.
func (x *Resolver) Types(w, r *Schema) *Mismatch {
	ok := w.Kind == r.Kind || promotes(w.Kind, r.Kind)
	switch {
	case !ok:
	case w.Kind == Enum:
		ok = x.named(w, r)
	case w.Kind == Fixed:
		ok = x.named(w, r) && w.Size == r.Size
	}
	if !ok || !SameMeaning(w.Logical, r.Logical) {
		return mismatch(w, r)
	}
	return nil
}

// SameMeaning reports whether values of one logical type are values of the other.
// One that has none makes no claim.
func SameMeaning(w, r Logical) bool {
	switch {
	case w.Name == "" || r.Name == "":
		return true
	case w.Name == "decimal" && r.Name == "decimal":
		return w.Scale == r.Scale && w.Precision <= r.Precision
	}
	return w == r
}

// named reports whether a name of the writer's is one of the reader's: with the same
// name, in whichever namespace, or by an alias.
func (x *Resolver) named(w, r *Schema) bool {
	return x.called(w, r) || simple(w.Name) == simple(r.Name)
}

// called reports whether the writer's full name is the reader's, or an alias of it.
func (x *Resolver) called(w, r *Schema) bool {
	if w.Name == r.Name {
		return true
	}
	known, ok := x.aliases[r]
	if !ok {
		known = map[string]bool{}
		for _, name := range x.reader.Aliases(r) {
			known[name] = true
		}
		x.aliases[r] = known
	}
	return known[w.Name]
}

// Fields returns, for each field of the writer's record, which of the reader's it
// becomes, -1 for none. A field goes by its name; those of the reader's that find
// no field of that name take the first of their aliases that no other field has.
func (x *Resolver) Fields(w, r *Schema) []int {
	to := make([]int, len(w.Fields))
	at := make(map[string]int, len(w.Fields))
	for i, f := range w.Fields {
		to[i] = -1
		at[f.Name] = i
	}
	var left []int
	for k, f := range r.Fields {
		if i, ok := at[f.Name]; ok && to[i] < 0 {
			to[i] = k
		} else {
			left = append(left, k)
		}
	}
	for _, k := range left {
		for _, name := range x.reader.FieldAliases(r, k) {
			if i, ok := at[name]; ok && to[i] < 0 {
				to[i] = k
				break
			}
		}
	}
	return to
}

// Branch returns which branch of the reader's union a value of w is, -1 for none: the
// one of its name or kind; else, as in Java, a record that its fields resolve to,
// one with its name without namespace first; else the first that it is promoted to.
func (x *Resolver) Branch(w, union *Schema) int {
	for i, b := range union.Branches {
		if w.Kind == b.Kind && (!w.Kind.Named() || x.called(w, b)) {
			return i
		}
	}
	found := -1
	for i, b := range union.Branches {
		if w.Kind == b.Kind && (found < 0 || simple(w.Name) == simple(b.Name)) && x.Check(w, b) == nil {
			found = i
		}
	}
	for i, b := range union.Branches {
		if found < 0 && promotes(w.Kind, b.Kind) {
			found = i
		}
	}
	return found
}

// NoBranch returns the mismatch of a type that is none of the union's branches.
func (x *Resolver) NoBranch(w, union *Schema) *Mismatch { return mismatch(w, union) }

// Symbols returns, for each symbol of the writer's enum, which of the reader's it
// becomes, -1 for none: by name, or the reader's default. The error is that this is
// no symbol.
func (x *Resolver) Symbols(w, r *Schema) ([]int, error) {
	at := make(map[string]int, len(r.Symbols))
	for i, s := range r.Symbols {
		at[s] = i
	}
	other := -1
	if s, ok := x.reader.Symbol(r); ok {
		if other, ok = at[s]; !ok {
			return nil, fmt.Errorf("%w: enum %s has no symbol %q", ErrDefault, r.Name, s)
		}
	}
	to := make([]int, len(w.Symbols))
	for i, s := range w.Symbols {
		n, ok := at[s]
		if !ok {
			n = other
		}
		to[i] = n
	}
	return to, nil
}

// Missing returns the mismatch of a field that the writer's record lacks, nil if it
// has a default.
func (x *Resolver) Missing(r *Schema, i int) *Mismatch {
	if x.reader.HasDefault(r, i) {
		return nil
	}
	return &Mismatch{
		Path: "." + r.Fields[i].Name, Writer: "no such field",
		Reader: describe(r.Fields[i].Type, r.Fields[i].Type) + " without a default",
	}
}

// Check returns nil if data of w can be resolved to r, at least for some rows: a value of a
// union's branch, or an enum's symbol, that has no match is an error at the row that has
// it. Recursive schemas are legal.
func (x *Resolver) Check(w, r *Schema) *Mismatch {
	pair := [2]*Schema{w, r}
	if m, ok := x.checked[pair]; ok {
		return m
	}
	x.checked[pair] = nil // taken for granted where it recurs
	before := len(x.granted)
	x.granted = append(x.granted, pair)
	m := x.check(w, r)
	if m != nil { // and with it what was found by taking it so
		for _, p := range x.granted[before:] {
			delete(x.checked, p)
		}
		x.granted = x.granted[:before]
		x.checked[pair] = m
	}
	return m
}

func (x *Resolver) check(w, r *Schema) *Mismatch {
	switch {
	case w.Kind == Union:
		return x.checkBranches(w, r)
	case r.Kind == Union:
		i := x.Branch(w, r)
		if i < 0 {
			return mismatch(w, r)
		}
		return x.Check(w, r.Branches[i]).below("/" + r.Branches[i].TypeName())
	}
	if m := x.Types(w, r); m != nil {
		return m
	}
	switch w.Kind {
	case Record:
		return x.checkFields(w, r)
	case Array:
		return x.Check(w.Items, r.Items).below("[]")
	case Map:
		return x.Check(w.Items, r.Items).below("{}")
	}
	return nil
}

// below is Below, of nil too.
func (m *Mismatch) below(step string) *Mismatch {
	if m == nil {
		return nil
	}
	return m.Below(step)
}

func (x *Resolver) checkFields(w, r *Schema) *Mismatch {
	had := make([]bool, len(r.Fields))
	for i, k := range x.Fields(w, r) {
		if k < 0 {
			continue
		}
		had[k] = true
		if m := x.Check(w.Fields[i].Type, r.Fields[k].Type); m != nil {
			return m.Below("." + r.Fields[k].Name)
		}
	}
	for k := range r.Fields {
		if !had[k] {
			if m := x.Missing(r, k); m != nil {
				return m
			}
		}
	}
	return nil
}

// checkBranches requires that at least one branch can be resolved.
func (x *Resolver) checkBranches(w, r *Schema) *Mismatch {
	for _, b := range w.Branches {
		if x.Check(b, r) == nil {
			return nil
		}
	}
	return mismatch(w, r)
}
