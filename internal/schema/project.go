package schema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// projector writes the text of a [Selection].
type projector struct {
	sel      *Selection
	written  map[*Schema]bool // named types whose definition is written
	defaults *Defaults
	strict   strict
	changed  bool // whether something is written otherwise than it stands
}

// JSON returns the text of the selected part of the schema, with its doc strings, aliases
// and properties unchanged; if everything is selected, the text itself.
//
// Readers that check what Java does not check in a data file refuse some of it. That is
// written as they take it where nothing is lost: a default that is no value of its
// field's type, or may not be one any more, is left out, and so are an order, aliases
// and an enum's default that say nothing; a type that only wraps another is written as
// the other; one that is defined again is written as its name; that of a flat field has
// an object of its own.
func (s *Selection) JSON() (string, error) {
	w := projector{sel: s, written: map[*Schema]bool{}, defaults: s.t.Defaults(), strict: strict{t: s.t}}
	w.changed = s.kept != nil || s.t.mended
	v := w.write(s.t.json, s.t.Schema, "")
	if !w.changed {
		return s.t.text, nil
	}
	var b bytes.Buffer
	if err := writeJSON(&b, v); err != nil {
		return "", err
	}
	return b.String(), nil
}

// write returns the JSON of the selected part of a type, whose JSON is v; space is the
// namespace around it.
func (w *projector) write(v any, s *Schema, space string) any {
	o, _ := v.(object)
	if inner, ok := wrapped(o); ok {
		w.changed = true
		return w.write(inner, s, space)
	}
	switch {
	case s.Kind.Named():
		return w.named(o, s, space)
	case s.Kind == Array:
		return o.with("items", w.write(o.get("items"), s.Items, space))
	case s.Kind == Map:
		return o.with("values", w.write(o.get("values"), s.Items, space))
	case s.Kind != Union:
		return v
	}
	list := v.([]any)
	out := []any{}
	for i := range list {
		if w.sel.Keeps(s, i) {
			out = append(out, w.write(list[i], s.Branches[i], space))
		}
	}
	return out
}

// named returns a named type's definition the first time, and then its name. v is the JSON
// there, nil for a name.
func (w *projector) named(v object, s *Schema, space string) any {
	own, name := splitName(s.Name)
	if w.written[s] {
		if kind, _ := v.get("type").(string); kinds[kind] == s.Kind {
			w.changed = true
		}
		return reference(s.Name, space)
	}
	w.written[s] = true
	var out object
	for _, m := range w.sel.t.defs[s] {
		switch m.key {
		case "namespace":
			continue
		case "name":
			out = append(out, member{"name", name})
			if own != space {
				out = append(out, member{"namespace", own})
			}
			continue
		case "fields":
			if s.Kind == Record {
				m.value = w.fields(s, own)
			}
		case "size":
			if text, ok := m.value.(string); ok && s.Kind == Fixed {
				m.value, w.changed = json.Number(text), true
			}
		case "default":
			text, ok := m.value.(string)
			if s.Kind == Enum && ok && !slices.Contains(s.Symbols, text) {
				w.changed = true
				continue
			}
		}
		out = append(out, m)
	}
	return w.withoutInvalid(out)
}

// splitName returns the namespace and the last part of a full name.
func splitName(full string) (space, name string) {
	if i := strings.LastIndexByte(full, '.'); i >= 0 {
		return full[:i], full[i+1:]
	}
	return "", full
}

// reference returns the reference to a named type from a namespace.
func reference(full, space string) string {
	own, name := splitName(full)
	if kind, ok := kinds[name]; own == space && !(ok && kind.Primitive()) {
		return name
	}
	return full
}

// withoutInvalid leaves out an invalid order and invalid aliases.
func (w *projector) withoutInvalid(o object) object {
	return slices.DeleteFunc(o, func(m member) bool {
		invalid := false
		switch m.key {
		case "order":
			text, _ := m.value.(string)
			invalid = !slices.Contains(orders, strings.ToLower(text))
		case "aliases":
			list, ok := m.value.([]any)
			invalid = !ok || slices.ContainsFunc(list, func(v any) bool { _, ok := v.(string); return !ok })
		}
		w.changed = w.changed || invalid
		return invalid
	})
}

var orders = []string{"ascending", "descending", "ignore"}

// fields returns the JSON of a record's fields that are kept.
func (w *projector) fields(s *Schema, space string) []any {
	out := []any{}
	for _, i := range w.sel.fields(s) {
		v := w.sel.t.fields[s][i]
		f := s.Fields[i].Type
		v = v.with("type", w.write(v.get("type"), f, space))
		if at, ok := v.find("default"); ok && w.useless(v[at].value, s, i) {
			v = slices.DeleteFunc(v, func(m member) bool { return m.key == "default" })
			w.changed = true
		}
		out = append(out, w.withoutInvalid(v))
	}
	return out
}

// useless reports whether the default of field i of a record is no value of the field's
// type, or may not be one any more.
func (w *projector) useless(v any, record *Schema, i int) bool {
	if w.sel.kept != nil && w.stale(v, record.Fields[i].Type) {
		return true
	}
	if w.strict.field(v, record.Fields[i].Type) {
		return false
	}
	_, err := w.defaults.Of(record, i)
	return err != nil
}

// stale reports whether a default may no longer be one of what is kept of its type.
func (w *projector) stale(v any, s *Schema) bool {
	switch v := v.(type) {
	case object:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return s.Kind == Union && !w.sel.Keeps(s, 0)
}

// with returns a copy in which a key that is there has another value.
func (o object) with(key string, value any) object {
	out := append(object{}, o...)
	if i, ok := out.find(key); ok {
		out[i].value = value
	}
	return out
}
