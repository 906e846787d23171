package schema

import (
	"bytes"
	"strings"
)

// projector writes the text of a [Selection].
type projector struct {
	sel     *Selection
	written map[*Schema]bool // named types whose definition is written
}

// JSON returns the schema's text with only what is kept, its doc strings, aliases and
// properties as they are; the text itself if that is everything. A default that may
// not be one any more is left out.
func (s *Selection) JSON() (string, error) {
	if s.kept == nil {
		return s.t.text, nil
	}
	w := projector{s, map[*Schema]bool{}}
	var b bytes.Buffer
	if err := writeJSON(&b, w.write(s.t.json, s.t.Schema, "")); err != nil {
		return "", err
	}
	return b.String(), nil
}

// write returns the JSON of what is kept of a type, whose JSON is v; space is the
// namespace where it stands.
func (w *projector) write(v any, s *Schema, space string) any {
	if s.Kind.Named() {
		return w.named(s, space)
	}
	switch v := v.(type) {
	case []any:
		out := []any{}
		for i := range v {
			if w.sel.Keeps(s, i) {
				out = append(out, w.write(v[i], s.Branches[i], space))
			}
		}
		return out
	case object:
		if inner, ok := wrapped(v); ok {
			return v.with("type", w.write(inner, s, space))
		}
		for _, key := range []string{"items", "values"} {
			if i, ok := v.find(key); ok && s.Items != nil {
				v = v.with(key, w.write(v[i].value, s.Items, space))
			}
		}
		return v
	}
	return v
}

// named returns a named type's definition the first time, and then its name.
func (w *projector) named(s *Schema, space string) any {
	own, name := "", s.Name
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		own, name = name[:i], name[i+1:]
	}
	if w.written[s] {
		if own == space {
			return name
		}
		return s.Name
	}
	w.written[s] = true
	var out object
	for _, m := range w.sel.t.defs[s] {
		switch {
		case m.key == "name":
			out = append(out, member{"name", name})
			if own != space {
				out = append(out, member{"namespace", own})
			}
		case m.key == "fields" && s.Kind == Record:
			out = append(out, member{"fields", w.fields(s, own)})
		case m.key != "namespace":
			out = append(out, m)
		}
	}
	return out
}

// fields returns the JSON of a record's fields that are kept.
func (w *projector) fields(s *Schema, space string) []any {
	out := []any{}
	for i, v := range w.sel.t.fields[s] {
		if !w.sel.Keeps(s, i) {
			continue
		}
		f := s.Fields[i].Type
		v = v.with("type", w.write(v.get("type"), f, space))
		if at, ok := v.find("default"); ok && w.stale(v[at].value, f) {
			v = append(append(object{}, v[:at]...), v[at+1:]...)
		}
		out = append(out, v)
	}
	return out
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
