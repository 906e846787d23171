package record

import (
	"bytes"
	"fmt"
	"strings"

	"avro2trevni/internal/schema"
)

// Project returns the schema that is left of a schema's text if only the fields on
// the given paths are kept, in their order in the text; its doc strings and
// properties stay. A path is names of fields with dots between, from the top level
// on, as in "Name.Language.Code": arrays, maps and unions on the way are passed
// through. All that is under a path is kept.
//
// Of a union, the branches that a path leads through are kept, and null, which is
// what a [Reader] gives for the others; one without null keeps all. A named type
// that is used in several places keeps in all of them what a path keeps in any.
//
// A path that leads nowhere is [ErrNoField]; no path at all keeps everything.
func Project(text string, paths []string) (string, error) {
	t, err := parse(text)
	if err != nil {
		return "", err
	}
	if len(paths) == 0 {
		return text, nil
	}
	p := projection{t: t, kept: map[*schema.Schema][]bool{}, whole: map[*schema.Schema]bool{}, written: map[*schema.Schema]bool{}}
	for _, path := range paths {
		if !p.choose(t.schema, path) {
			return "", fmt.Errorf("%w: %q", ErrNoField, path)
		}
	}
	var b bytes.Buffer
	if err := writeJSON(&b, p.write(t.json, t.schema, "")); err != nil {
		return "", err
	}
	return b.String(), nil
}

// projection is the state of one call of [Project].
type projection struct {
	t       *text
	kept    map[*schema.Schema][]bool // of records and unions, the fields and branches to keep
	whole   map[*schema.Schema]bool   // types kept with all that is in them
	written map[*schema.Schema]bool   // named types whose definition is written
}

// choose keeps what a path leads to from s, and reports whether it leads anywhere.
func (p *projection) choose(s *schema.Schema, path string) bool {
	if path == "" {
		p.all(s)
		return true
	}
	switch s.Kind {
	case schema.Record:
		return p.chooseField(s, path)
	case schema.Array, schema.Map:
		return p.choose(s.Items, path)
	case schema.Union:
		return p.chooseBranches(s, path)
	}
	return false
}

func (p *projection) chooseField(s *schema.Schema, path string) bool {
	for i, f := range s.Fields {
		rest, ok := strings.CutPrefix(path, f.Name)
		if !ok || rest != "" && (rest[0] != '.' || len(rest) == 1) {
			continue
		}
		if p.choose(f.Type, strings.TrimPrefix(rest, ".")) {
			p.keep(s, len(s.Fields), i)
			return true
		}
	}
	return false
}

func (p *projection) chooseBranches(s *schema.Schema, path string) bool {
	found, null := false, false
	for i, b := range s.Branches {
		if p.choose(b, path) {
			p.keep(s, len(s.Branches), i)
			found = true
		}
	}
	for i, b := range s.Branches {
		if b.Kind == schema.Null && found {
			p.keep(s, len(s.Branches), i)
			null = true
		}
	}
	for i, b := range s.Branches {
		if found && !null && !p.kept[s][i] {
			p.all(b)
			p.keep(s, len(s.Branches), i)
		}
	}
	return found
}

// keep keeps field or branch i, of n, of a type.
func (p *projection) keep(s *schema.Schema, n, i int) {
	if p.kept[s] == nil {
		p.kept[s] = make([]bool, n)
	}
	p.kept[s][i] = true
}

// all keeps a type with all that is in it.
func (p *projection) all(s *schema.Schema) {
	if p.whole[s] {
		return
	}
	p.whole[s] = true
	switch s.Kind {
	case schema.Record:
		for _, f := range s.Fields {
			p.all(f.Type)
		}
	case schema.Array, schema.Map:
		p.all(s.Items)
	case schema.Union:
		for _, b := range s.Branches {
			p.all(b)
		}
	}
}

// keeps reports whether field or branch i of a type is kept.
func (p *projection) keeps(s *schema.Schema, i int) bool {
	return p.whole[s] || p.kept[s] != nil && p.kept[s][i]
}

// write returns the JSON of what is kept of a type, whose JSON is v; space is the
// namespace where it stands.
func (p *projection) write(v any, s *schema.Schema, space string) any {
	if s.Kind.Named() {
		return p.named(s, space)
	}
	switch v := v.(type) {
	case []any:
		out := []any{}
		for i := range v {
			if p.keeps(s, i) {
				out = append(out, p.write(v[i], s.Branches[i], space))
			}
		}
		return out
	case object:
		if inner, ok := wrapped(v); ok {
			return v.with("type", p.write(inner, s, space))
		}
		for _, key := range []string{"items", "values"} {
			if i, ok := v.find(key); ok && s.Items != nil {
				v = v.with(key, p.write(v[i].value, s.Items, space))
			}
		}
		return v
	}
	return v
}

// named returns a named type's definition the first time, and then its name.
func (p *projection) named(s *schema.Schema, space string) any {
	own, name := "", s.Name
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		own, name = name[:i], name[i+1:]
	}
	if p.written[s] {
		if own == space {
			return name
		}
		return s.Name
	}
	p.written[s] = true
	var out object
	for _, m := range p.t.defs[s] {
		switch {
		case m.key == "name":
			out = append(out, member{"name", name})
			if own != space {
				out = append(out, member{"namespace", own})
			}
		case m.key == "fields" && s.Kind == schema.Record:
			out = append(out, member{"fields", p.fields(s, own)})
		case m.key != "namespace":
			out = append(out, m)
		}
	}
	return out
}

// fields returns the JSON of a record's fields that are kept.
func (p *projection) fields(s *schema.Schema, space string) []any {
	out := []any{}
	for i, v := range p.t.fields[s] {
		if !p.keeps(s, i) {
			continue
		}
		f := s.Fields[i].Type
		v = v.with("type", p.write(v.get("type"), f, space))
		if at, ok := v.find("default"); ok && p.stale(v[at].value, f) {
			v = append(append(object{}, v[:at]...), v[at+1:]...)
		}
		out = append(out, v)
	}
	return out
}

// stale reports whether a default may no longer be one of what is kept of its type.
func (p *projection) stale(v any, s *schema.Schema) bool {
	switch v := v.(type) {
	case object:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return s.Kind == schema.Union && !p.keeps(s, 0)
}

// with returns a copy in which a key that is there has another value.
func (o object) with(key string, value any) object {
	out := append(object{}, o...)
	if i, ok := out.find(key); ok {
		out[i].value = value
	}
	return out
}
