package jobs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// drawer draws types and values; all follows from its seed.
type drawer struct {
	*rand.Rand
	names int
	fat   int    // bytes that large texts may still take
	often int    // one in so many texts is large
	most  int    // bytes of a large text, at the most
	mark  string // put into some texts: a file's sync marker, or nothing
	plain bool   // values are such as JSON can say
	odd   []string
}

// one draws one of some.
func one[T any](d *drawer, of ...T) T { return of[d.IntN(len(of))] }

// chance is true in one of n draws.
func (d *drawer) chance(n int) bool { return d.IntN(n) == 0 }

// name draws a name; in half of the draws some are such as few writers check.
func (d *drawer) name(prefix string) string {
	d.names++
	return fmt.Sprint(one(d, d.odd...), prefix, d.names)
}

// typeName draws the name of a type: one with a dot would have a namespace.
func (d *drawer) typeName(prefix string) string {
	return strings.ReplaceAll(d.name(prefix), ".", "")
}

var simpleKinds = []string{"boolean", "int", "long", "float", "double", "string", "string", "bytes", "enum", "fixed"}

func (d *drawer) simple() *modelType {
	if d.chance(25) {
		return &modelType{kind: "null", only: -1}
	}
	t := &modelType{kind: one(d, simpleKinds...), few: d.chance(2), only: -1}
	switch t.kind {
	case "int":
		if d.chance(4) {
			t.logical = "date"
		}
	case "enum":
		t.name = d.typeName("E")
		for range 1 + d.IntN(6) {
			d.names++
			t.symbols = append(t.symbols, fmt.Sprint("S", d.IntN(10), "_", d.names))
		}
		if d.chance(2) {
			t.fallback = one(d, t.symbols...)
		}
	case "fixed":
		t.name, t.size = d.typeName("F"), d.IntN(13)
	}
	return t
}

// typ draws a type that is nested at most so deep.
func (d *drawer) typ(depth int) *modelType {
	if depth == 0 {
		return d.simple()
	}
	switch d.IntN(10) {
	case 0:
		return &modelType{kind: "array", items: d.typ(depth - 1), only: -1}
	case 1:
		return &modelType{kind: "map", items: d.typ(depth - 1), only: -1}
	case 2, 3:
		return d.record(depth-1, 1+d.IntN(4))
	case 4, 5:
		return d.option(d.typ(depth - 1))
	case 6, 7:
		return d.union(depth - 1)
	}
	return d.simple()
}

func (d *drawer) option(t *modelType) *modelType {
	if t.kind == "union" || t.kind == "null" {
		return t
	}
	null := &modelType{kind: "null", only: -1}
	if d.chance(3) {
		return &modelType{kind: "union", branches: []*modelType{t, null}, only: -1}
	}
	return &modelType{kind: "union", branches: []*modelType{null, t}, only: -1}
}

// union draws a union; most are of simple types alone.
func (d *drawer) union(depth int) *modelType {
	if d.chance(2) {
		depth = 0
	}
	u := &modelType{kind: "union", only: -1}
	seen := map[string]bool{"union": true, "null": true}
	if d.chance(2) {
		u.branches = append(u.branches, &modelType{kind: "null", only: -1})
	}
	for range 1 + d.IntN(4) {
		if b := d.typ(depth); !seen[b.title()] {
			seen[b.title()] = true
			u.branches = append(u.branches, b)
		}
	}
	if len(u.branches) < 2 {
		u.branches = append(u.branches, d.record(0, 2))
	}
	d.Shuffle(len(u.branches), func(i, j int) { u.branches[i], u.branches[j] = u.branches[j], u.branches[i] })
	return u
}

func (d *drawer) record(depth, fields int) *modelType {
	t := &modelType{kind: "record", name: d.typeName("R"), only: -1}
	for range fields {
		f := modelField{name: d.name("f"), typ: d.typ(depth), order: one(d, "", "", "", "ascending", "descending", "ignore")}
		if d.chance(3) {
			f.has, f.fallback = true, d.fallback(f.typ)
		} else if f.typ.kind == "int" && d.chance(4) {
			f.bad = true
		}
		t.fields = append(t.fields, f)
	}
	return t
}

// fallback draws a default; now and then a large one.
func (d *drawer) fallback(t *modelType) any {
	d.plain = true
	defer func() { d.plain = false }()
	if (t.kind == "string" || t.kind == "bytes") && d.fat > 0 && d.chance(3) {
		return strings.Repeat("d", 1+d.IntN(150_000))
	}
	return d.value(t)
}

// value draws a value.
func (d *drawer) value(t *modelType) any {
	switch t.kind {
	case "boolean":
		return d.chance(2)
	case "int", "long":
		return d.number(t)
	case "float":
		return float32(d.float(t))
	case "double":
		return d.float(t)
	case "string", "bytes":
		return d.text(t)
	case "fixed":
		return strings.Repeat(one(d, "\x00", "a", "b", "\x7f", "x"), t.size)
	case "enum":
		return one(d, t.symbols...)
	case "union":
		i := d.IntN(len(t.branches))
		if t.only >= 0 {
			i = t.only
		} else if d.plain {
			i = 0
		}
		return modelBranch{i, d.value(t.branches[i])}
	case "record":
		var all []any
		for _, f := range t.fields {
			all = append(all, d.value(f.typ))
		}
		return all
	case "array":
		all := []any{}
		n := d.count()
		if t.few && !d.chance(40) {
			n = 0
		}
		for range n {
			all = append(all, d.value(t.items))
		}
		return all
	case "map":
		all := []modelEntry{}
		for i := range d.count() {
			all = append(all, modelEntry{fmt.Sprint("k", i), d.value(t.items)})
		}
		if d.plain {
			return all[:min(len(all), 1)] // JSON has no order
		}
		return all
	}
	return nil
}

// count is how many elements a collection has.
func (d *drawer) count() int {
	if d.chance(20) && !d.plain {
		return d.IntN(60)
	}
	return d.IntN(4)
}

func (d *drawer) number(t *modelType) int64 {
	if t.few || d.plain {
		return int64(d.IntN(7)) - 3
	}
	n := int64(d.Uint64()) >> d.IntN(64)
	if t.kind == "int" {
		return int64(int32(n))
	}
	return n
}

func (d *drawer) float(t *modelType) float64 {
	if d.plain {
		return float64(d.IntN(9)) / 4
	}
	if t.few || d.chance(5) {
		return one(d, 0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1.5, -2)
	}
	return float64(float32(d.NormFloat64()))
}

var fewTexts = []string{"", "a", "b c", "A", ".x", "=%", "é/x", "__HIVE_DEFAULT_PARTITION__", "a\x00", "a\x00b", "\xff", "\u2028", "ab"}

func (d *drawer) text(t *modelType) string {
	switch {
	case d.plain:
		return one(d, "", "x", "default")
	case d.fat > 0 && !t.few && d.chance(d.often):
		n := min(60_000+d.IntN(d.most), d.fat)
		d.fat -= n
		return d.filled(n)
	case d.mark != "" && d.chance(20):
		return "before" + d.mark + one(d, "", "\x02\x04ab", "\x00\x00", "\x04\x7f") + d.filled(d.IntN(9))
	case t.few:
		return one(d, fewTexts...)
	case d.chance(100):
		return d.filled(d.IntN(6000))
	}
	return d.filled(d.IntN(40))
}

// filled returns a text of n bytes, which compresses.
func (d *drawer) filled(n int) string {
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(fmt.Sprint(d.Uint64()))
		b.WriteString(strings.Repeat("-", d.IntN(200)))
	}
	return b.String()[:n]
}

// writer draws a type whose values can be read as those of r.
func (d *drawer) writer(r *modelType) *modelType {
	w := *r
	switch {
	case r.kind == "long" && d.chance(2):
		w.kind = "int"
	case r.kind == "float" && d.chance(2):
		w.kind = one(d, "int", "long")
	case r.kind == "double" && d.chance(2):
		w.kind = one(d, "int", "long", "float")
	case r.kind == "string" && d.chance(4):
		w.kind = "bytes"
	case r.kind == "bytes" && d.chance(4):
		w.kind = "string"
	case r.kind == "enum":
		w.symbols = slices.Clone(r.symbols)
		d.Shuffle(len(w.symbols), func(i, j int) { w.symbols[i], w.symbols[j] = w.symbols[j], w.symbols[i] })
		w.symbols = w.symbols[:1+d.IntN(len(w.symbols))]
		if r.fallback != "" {
			w.symbols = append(w.symbols, "Other1", "Other2")
		}
		w.fallback = ""
	case r.items != nil:
		w.items = d.writer(r.items)
	case r.kind == "union":
		return d.writerUnion(r)
	case r.kind == "record":
		w.fields = d.writerFields(r)
	}
	if d.chance(15) && r.kind != "null" {
		return &modelType{kind: "union", branches: []*modelType{{kind: "null", only: -1}, &w}, only: 1}
	}
	return &w
}

// writerUnion draws some branches, in some order, or one alone.
func (d *drawer) writerUnion(r *modelType) *modelType {
	if b := one(d, r.branches...); d.chance(4) {
		if b.kind == "record" {
			return &modelType{kind: "record", name: b.name, fields: d.writerFields(b), only: -1}
		}
		return b
	}
	u := &modelType{kind: "union", only: -1}
	for _, i := range d.Perm(len(r.branches))[:1+d.IntN(len(r.branches))] {
		b := *r.branches[i]
		if b.kind == "record" {
			b.fields = d.writerFields(&b)
		}
		u.branches = append(u.branches, &b)
	}
	return u
}

// writerFields draws the fields of a record that can be read as r.
func (d *drawer) writerFields(r *modelType) (fields []modelField) {
	for _, f := range r.fields {
		if f.has && d.chance(2) && !f.bad {
			continue
		}
		g := modelField{name: f.name, typ: d.writer(f.typ)}
		if f.alias != "" && d.chance(2) {
			g.name = f.alias
		}
		fields = append(fields, g)
	}
	for d.chance(3) {
		fields = append(fields, modelField{name: d.name("gone"), typ: d.typ(1)})
	}
	d.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return fields
}
