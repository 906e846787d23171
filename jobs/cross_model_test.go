package jobs

import (
	"slices"
	"strings"
)

// What convert is to do, said plainly: values are resolved, projected, sorted and put into folders
// one by one, all in memory.

// resolve returns what a value of w is as one of r, by Avro's rules; ok is whether it is one.
func resolve(w, r *modelType, v any) (_ any, ok bool) {
	if w.kind == "union" {
		b := v.(modelBranch)
		return resolve(w.branches[b.i], r, b.value)
	}
	if r.kind == "union" {
		for _, fits := range []func(w, r *modelType) bool{sameType, promotes} {
			for i, b := range r.branches {
				if fits(w, b) {
					x, ok := resolve(w, b, v)
					return modelBranch{i, x}, ok
				}
			}
		}
		return nil, false
	}
	switch {
	case w.kind != r.kind:
		return promote(v, r.kind), promotes(w, r)
	case w.kind == "record":
		return resolveRecord(w, r, v.([]any))
	case w.kind == "array":
		all := []any{}
		for _, e := range v.([]any) {
			x, good := resolve(w.items, r.items, e)
			if all = append(all, x); !good {
				return nil, false
			}
		}
		return all, true
	case w.kind == "map":
		all := []modelEntry{}
		for _, e := range v.([]modelEntry) {
			x, good := resolve(w.items, r.items, e.value)
			if all = append(all, modelEntry{e.key, x}); !good {
				return nil, false
			}
		}
		return all, true
	case w.kind == "enum" && !slices.Contains(r.symbols, v.(string)):
		return r.fallback, r.fallback != ""
	}
	return v, true
}

func resolveRecord(w, r *modelType, v []any) (any, bool) {
	var all []any
	for _, f := range r.fields {
		i := slices.IndexFunc(w.fields, func(g modelField) bool { return g.name == f.name })
		if i < 0 && f.alias != "" {
			i = slices.IndexFunc(w.fields, func(g modelField) bool { return g.name == f.alias })
		}
		x, ok := f.fallback, f.has
		if i >= 0 {
			x, ok = resolve(w.fields[i].typ, f.typ, v[i])
		}
		if all = append(all, x); !ok {
			return nil, false
		}
	}
	return all, true
}

// sameType reports whether a branch of a union is of the written type.
func sameType(w, r *modelType) bool { return w.kind == r.kind && w.name == r.name }

// wider are the types that one can be read as, beside itself.
var wider = map[string][]string{
	"int": {"long", "float", "double"}, "long": {"float", "double"}, "float": {"double"}, "string": {"bytes"}, "bytes": {"string"},
}

func promotes(w, r *modelType) bool { return slices.Contains(wider[w.kind], r.kind) }

func promote(v any, kind string) any {
	switch x := v.(type) {
	case int64:
		switch kind {
		case "float":
			return float32(x)
		case "double":
			return float64(x)
		}
	case float32:
		return float64(x)
	}
	return v
}

// kept is what of a type is kept: fields of records, branches of unions.
type kept map[*modelType]map[int]bool

func (k kept) keep(t *modelType, i int) bool {
	if k[t] == nil {
		k[t] = map[int]bool{}
	}
	k[t][i] = true
	return true
}

// children calls f for each type that one is made of.
func (t *modelType) children(f func(i int, c *modelType)) {
	for i := range t.fields {
		f(i, t.fields[i].typ)
	}
	for i, b := range t.branches {
		f(i, b)
	}
	if t.items != nil {
		f(0, t.items)
	}
}

// whole keeps all of a type.
func (k kept) whole(t *modelType) {
	t.children(func(i int, c *modelType) { k.keep(t, i); k.whole(c) })
}

// choose keeps what is on a path, and reports whether it leads anywhere.
func (k kept) choose(t *modelType, path string) (found bool) {
	if path == "" {
		k.whole(t)
		return true
	}
	t.children(func(i int, c *modelType) {
		rest := path
		if t.kind == "record" {
			var ok bool
			if rest, ok = stepInto(path, t.fields[i].name); !ok {
				return
			}
		}
		if k.choose(c, rest) {
			found = k.keep(t, i)
		}
	})
	if null := t.null(); found && null >= 0 {
		k.keep(t, null)
	} else if found && t.kind == "union" { // nothing could stand for the others
		for i, b := range t.branches {
			if !k[t][i] {
				k.whole(b)
				k.keep(t, i)
			}
		}
	}
	return found
}

// stepInto takes a field's name off the front of a path.
func stepInto(path, name string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path+".", name+".")
	return strings.TrimSuffix(rest, "."), ok
}

// exclude takes away what is on a path.
func (k kept) exclude(t *modelType, path string) {
	t.children(func(i int, c *modelType) {
		rest, ok := path, true
		if t.kind == "record" {
			rest, ok = stepInto(path, t.fields[i].name)
		}
		if ok && rest == "" {
			delete(k[t], i)
		} else if ok {
			k.exclude(c, rest)
		}
	})
}

// project returns what is left of a type, without its defaults.
func (k kept) project(t *modelType) *modelType {
	p := *t
	p.fields, p.branches = nil, nil
	for i, f := range t.fields {
		if k[t][i] {
			f.typ, f.has, f.bad = k.project(f.typ), false, false
			p.fields = append(p.fields, f)
		}
	}
	for i, b := range t.branches {
		if k[t][i] {
			p.branches = append(p.branches, k.project(b))
		}
	}
	if t.items != nil {
		p.items = k.project(t.items)
	}
	return &p
}

// value returns what is left of a value: null of what was of a branch that is left out.
func (k kept) value(t *modelType, v any) any {
	switch v := v.(type) {
	case modelBranch:
		i := v.i
		if !k[t][i] {
			i, v.value = t.null(), nil
		}
		place := 0
		for j := range i {
			if k[t][j] {
				place++
			}
		}
		return modelBranch{place, k.value(t.branches[i], v.value)}
	case []modelEntry:
		all := []modelEntry{}
		for _, e := range v {
			all = append(all, modelEntry{e.key, k.value(t.items, e.value)})
		}
		return all
	case []any:
		all := []any{}
		for i, e := range v {
			if t.kind == "array" {
				all = append(all, k.value(t.items, e))
			} else if k[t][i] {
				all = append(all, k.value(t.fields[i].typ, e))
			}
		}
		return all
	}
	return v
}
