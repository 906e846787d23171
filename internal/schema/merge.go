package schema

import (
	"encoding/json"
	"slices"
	"strconv"
)

// Merge returns a schema that rows of a and of b resolve to, without loss: a's, with
// what b has more after it.
//
//   - Fields go by name, or by an alias, and the newer name stays. One that either
//     lacks has its default for the other's rows; where it has none it becomes a union
//     with null, which is then the default.
//   - Of two numbers it is the type that holds both exactly: int and long are long;
//     int, float and double are double; long and float, or double, have none. string
//     and bytes are bytes.
//   - A type and a union, or two unions, are a union of all their branches; null and
//     another type are a union.
//   - An enum has all symbols, the new ones last. Arrays, maps and records merge in
//     what they are made of; names of records need not be equal.
//   - Decimals of one scale have the larger precision. Logical types that differ
//     otherwise, and types that differ otherwise, do not merge: a *[Mismatch].
//
// Doc strings and properties are those of a where both have some.
func Merge(a, b *Text) (*Text, error) {
	x, y := newDraft(a), newDraft(b)
	m := merger{names: map[string]*draft{}, merged: map[*draft]*draft{}, seen: map[*draft]bool{}}
	m.register(x)
	d, fail := m.merge(x, y)
	if fail != nil {
		return nil, fail
	}
	return d.text()
}

// merger merges one draft into another.
type merger struct {
	names  map[string]*draft // the named types of the result
	merged map[*draft]*draft // named types of b, and what they were merged into
	seen   map[*draft]bool   // drafts that are registered
}

// register enters the named types of the draft that all is merged into.
func (m *merger) register(d *draft) {
	if m.seen[d] {
		return
	}
	m.seen[d] = true
	if d.kind.Named() {
		m.names[d.source.Name] = d
	}
	for _, f := range d.fields {
		m.register(f.typ)
	}
	for _, b := range d.branches {
		m.register(b)
	}
	if d.items != nil {
		m.register(d.items)
	}
}

// differ is the mismatch of two drafts.
func differ(a, b *draft) *Mismatch { return mismatch(b.source, a.source) }

// adopt makes b, which a has nothing like, a part of the result: types that the
// result has by their name are merged into those.
func (m *merger) adopt(b *draft) (*draft, *Mismatch) {
	if into := m.merged[b]; into != nil {
		return into, nil
	}
	if b.kind.Named() {
		if a := m.names[b.source.Name]; a != nil {
			return m.merge(a, b)
		}
		m.names[b.source.Name] = b
		m.merged[b] = b
	}
	var fail *Mismatch
	for _, f := range b.fields {
		if f.typ, fail = m.adopt(f.typ); fail != nil {
			return nil, fail.Below("." + f.name())
		}
	}
	for i := range b.branches {
		if b.branches[i], fail = m.adopt(b.branches[i]); fail != nil {
			return nil, fail
		}
	}
	if b.items != nil {
		b.items, fail = m.adopt(b.items)
	}
	return b, fail
}

// merge merges b into a, and returns what both are.
func (m *merger) merge(a, b *draft) (*draft, *Mismatch) {
	switch {
	case b.kind.Named() && m.merged[b] == a:
		return a, nil
	case a.kind == Union || b.kind == Union || a.kind != b.kind && (a.kind == Null || b.kind == Null):
		return m.unite(a, b)
	case a.kind != b.kind:
		return widen(a, b)
	case !mergeable(a, b):
		return nil, differ(a, b)
	}
	if b.source.Logical.Precision > a.source.Logical.Precision {
		a.json = a.json.(object).with("precision", json.Number(strconv.Itoa(b.source.Logical.Precision)))
		a.source = b.source
	}
	switch a.kind {
	case Record:
		return m.records(a, b)
	case Enum:
		m.merged[b] = a
		for _, s := range b.symbols {
			if !slices.Contains(a.symbols, s) {
				a.symbols = append(slices.Clip(a.symbols), s)
			}
		}
	case Array, Map:
		items, fail := m.merge(a.items, b.items)
		if fail != nil {
			return nil, fail.Below(map[Kind]string{Array: "[]", Map: "{}"}[a.kind])
		}
		a.items = items
	}
	return a, nil
}

// mergeable reports whether two types of one kind, as far as they tell and not what
// they are made of, have values of one meaning.
func mergeable(a, b *draft) bool {
	x, y := a.source.Logical, b.source.Logical
	if x.Name == "decimal" && y.Name == "decimal" {
		x.Precision, y.Precision = 0, 0
	}
	if x != y {
		return false
	}
	switch a.kind {
	case Fixed:
		return a.source.Size == b.source.Size && simple(a.source.Name) == simple(b.source.Name)
	case Enum:
		return simple(a.source.Name) == simple(b.source.Name)
	}
	return true
}

// exact holds the kinds that hold values of two others without loss.
var exact = map[[2]Kind]Kind{
	{Int, Long}: Long, {Int, Float}: Double, {Int, Double}: Double, {Float, Double}: Double, {Bytes, String}: Bytes,
}

// wider returns the kind that holds values of both without loss, if there is one.
func wider(a, b *draft) (Kind, bool) {
	k, ok := exact[[2]Kind{a.kind, b.kind}]
	if !ok {
		k, ok = exact[[2]Kind{b.kind, a.kind}]
	}
	return k, ok && a.source.Logical.Name == "" && b.source.Logical.Name == ""
}

// widen merges two types of different kinds.
func widen(a, b *draft) (*draft, *Mismatch) {
	k, ok := wider(a, b)
	switch {
	case !ok:
		return nil, differ(a, b)
	case k == a.kind:
		return a, nil
	case k == b.kind:
		return b, nil
	}
	return plain(k), nil
}

// records merges b's fields into a's.
func (m *merger) records(a, b *draft) (*draft, *Mismatch) {
	m.merged[b] = a
	if b.source.Name != a.source.Name && m.names[b.source.Name] == nil {
		a.json = a.json.(object).addAliases(b.source.Name)
	}
	own := newFieldNames(a.fields)
	theirs := newFieldNames(b.fields)
	for _, f := range b.fields {
		i := own.match(f, theirs)
		if i < 0 {
			of, fail := m.adopt(f.typ)
			if fail != nil {
				return nil, fail.Below("." + f.name())
			}
			a.fields = append(a.fields, (&draftField{f.json, of}).optional())
			continue
		}
		if fail := m.field(own.fields[i], f); fail != nil {
			return nil, fail.Below("." + f.name())
		}
	}
	for i, f := range own.fields {
		if !own.taken[i] {
			f.optional()
		}
	}
	return a, nil
}

// fieldNames finds the fields of a record by their names and aliases.
type fieldNames struct {
	fields  []*draftField
	names   []string
	at      map[string]int
	aliases map[string][]int
	taken   []bool
}

func newFieldNames(fields []*draftField) *fieldNames {
	n := &fieldNames{
		fields: slices.Clone(fields), names: make([]string, len(fields)), taken: make([]bool, len(fields)),
		at: map[string]int{}, aliases: map[string][]int{},
	}
	for i, f := range fields {
		n.names[i] = f.name()
		n.at[f.name()] = i
		for _, alias := range f.json.strings("aliases") {
			n.aliases[alias] = append(n.aliases[alias], i)
		}
	}
	return n
}

// match takes the field that f is, and returns its index, -1 for none: the one of its
// name, else the first that is an alias of f or has f as an alias, if no other of f's
// record has its name.
func (n *fieldNames) match(f *draftField, others *fieldNames) int {
	found := -1
	if i, ok := n.at[f.name()]; ok && !n.taken[i] {
		found = i
	} else {
		candidates := slices.Clone(n.aliases[f.name()])
		for _, alias := range f.json.strings("aliases") {
			if i, ok := n.at[alias]; ok {
				candidates = append(candidates, i)
			}
		}
		slices.Sort(candidates)
		for _, i := range candidates {
			if _, known := others.at[n.names[i]]; !known && !n.taken[i] {
				found = i
				break
			}
		}
	}
	if found >= 0 {
		n.taken[found] = true
	}
	return found
}

// field merges b's field into a's.
func (m *merger) field(a, b *draftField) *Mismatch {
	of, fail := m.merge(a.typ, b.typ)
	if fail != nil {
		return fail
	}
	if of.kind == Union && a.typ.kind != Union {
		a.ownFirst(of)
	}
	a.typ = of
	if old := a.name(); slices.Contains(b.json.strings("aliases"), old) && old != b.name() {
		a.json = a.json.with("name", b.name()).addAliases(old)
	}
	a.json = a.json.addAliases(b.json.strings("aliases")...)
	if _, ok := a.json.find("default"); ok {
		return nil
	}
	if i, ok := b.json.find("default"); ok && (b.typ.kind != Union || b.json[i].value == nil) {
		a.json = a.json.set("default", b.json[i].value)
		a.nullFirst()
	}
	return nil
}

// optional gives a field a default if it has none.
func (f *draftField) optional() *draftField {
	if _, ok := f.json.find("default"); ok {
		return f
	}
	f.json = f.json.set("default", nil)
	switch {
	case f.typ.kind == Null:
	case f.typ.kind != Union:
		f.typ = &draft{source: &Schema{Kind: Union}, kind: Union, branches: []*draft{plain(Null), f.typ}}
	case !slices.ContainsFunc(f.typ.branches, isNull):
		f.typ.branches = slices.Insert(f.typ.branches, 0, plain(Null))
	default:
		f.nullFirst()
	}
	return f
}

func isNull(d *draft) bool { return d.kind == Null }

// nullFirst moves null to the front of a field's union if null is its default, which
// older readers ask to be of the first branch.
func (f *draftField) nullFirst() {
	i := slices.IndexFunc(f.typ.branches, isNull)
	if at, ok := f.json.find("default"); ok && f.json[at].value == nil && i > 0 {
		null := f.typ.branches[i]
		f.typ.branches = slices.Insert(slices.Delete(f.typ.branches, i, i+1), 0, null)
	}
}

// ownFirst moves null off the front of a union that the field's type has become, if
// the field has another default.
func (f *draftField) ownFirst(u *draft) {
	i, ok := f.json.find("default")
	if ok && f.json[i].value != nil && isNull(u.branches[0]) && len(u.branches) > 1 {
		u.branches[0], u.branches[1] = u.branches[1], u.branches[0]
	}
}

// unite merges two types, one of them a union or null.
func (m *merger) unite(a, b *draft) (*draft, *Mismatch) {
	u := a
	if a.kind != Union {
		u = &draft{source: &Schema{Kind: Union}, kind: Union, branches: []*draft{a}}
	}
	more := []*draft{b}
	if b.kind == Union {
		more = b.branches
	}
	for _, x := range more {
		if fail := m.branch(u, x); fail != nil {
			return nil, fail
		}
	}
	if i := slices.IndexFunc(u.branches, isNull); i > 0 && a.kind != Union {
		null := u.branches[i]
		u.branches = slices.Insert(slices.Delete(u.branches, i, i+1), 0, null)
	}
	return u, nil
}

// branch merges b into a union: into the branch of its kind, or name; into a number's
// that widens to hold both; or after the others.
func (m *merger) branch(u, b *draft) *Mismatch {
	for i, a := range u.branches {
		if a.kind == b.kind && (!a.kind.Named() || m.merged[b] == a || a.source.Name == b.source.Name) {
			d, fail := m.merge(a, b)
			u.branches[i] = d
			return fail.below("/" + b.source.TypeName())
		}
	}
	for i, a := range u.branches {
		k, ok := wider(a, b)
		if ok && k != Bytes && !slices.ContainsFunc(u.branches, func(c *draft) bool { return c != a && c.kind == k }) {
			u.branches[i], _ = widen(a, b)
			return nil
		}
	}
	d, fail := m.adopt(b)
	if fail == nil {
		u.branches = append(u.branches, d)
	}
	return fail
}
