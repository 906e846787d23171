package schema

import (
	"bytes"
	"slices"
)

// draft is an editable copy of a schema: the JSON of its types, taken apart. Each
// named type is one draft.
type draft struct {
	source   *Schema // the type as it was read, with its kind, name and logical type
	kind     Kind
	json     any // as it stands: what is not told otherwise here is kept
	fields   []*draftField
	items    *draft
	branches []*draft
	symbols  []string
}

type draftField struct {
	json object
	typ  *draft
}

func (f *draftField) name() string {
	name, _ := f.json.get("name").(string)
	return name
}

// drafter makes drafts of a text.
type drafter struct {
	t     *Text
	named map[*Schema]*draft
}

func newDraft(t *Text) *draft {
	d := drafter{t: t, named: map[*Schema]*draft{}}
	return d.draft(t.json, t.Schema)
}

func (d *drafter) draft(v any, s *Schema) *draft {
	if known := d.named[s]; known != nil {
		return known
	}
	if o, ok := v.(object); ok {
		if inner, ok := wrapped(o); ok {
			return d.draft(inner, s)
		}
	}
	out := &draft{source: s, kind: s.Kind, json: v, symbols: s.Symbols}
	switch s.Kind {
	case Record, Enum, Fixed:
		d.named[s] = out
		out.json = d.t.defs[s]
		for i, f := range s.Fields {
			o := d.t.fields[s][i]
			out.fields = append(out.fields, &draftField{o, d.draft(o.get("type"), f.Type)})
		}
	case Array:
		out.items = d.draft(v.(object).get("items"), s.Items)
	case Map:
		out.items = d.draft(v.(object).get("values"), s.Items)
	case Union:
		for i, b := range s.Branches {
			out.branches = append(out.branches, d.draft(v.([]any)[i], b))
		}
	}
	return out
}

// plain returns the draft of a kind without attributes.
func plain(k Kind) *draft { return &draft{source: &Schema{Kind: k}, kind: k, json: k.String()} }

// text parses what a draft comes to.
func (d *draft) text() (*Text, error) {
	w := draftWriter{written: map[*draft]bool{}}
	var b bytes.Buffer
	if err := writeJSON(&b, w.write(d, "")); err != nil {
		return nil, err
	}
	return ParseText(b.String())
}

// draftWriter writes drafts as JSON.
type draftWriter struct{ written map[*draft]bool }

func (w *draftWriter) write(d *draft, space string) any {
	switch d.kind {
	case Record, Enum, Fixed:
		return w.named(d, space)
	case Array:
		return d.json.(object).with("items", w.write(d.items, space))
	case Map:
		return d.json.(object).with("values", w.write(d.items, space))
	case Union:
		list := make([]any, len(d.branches))
		for i, b := range d.branches {
			list[i] = w.write(b, space)
		}
		return list
	}
	return d.json
}

// named returns a named type's definition the first time, and then its name.
func (w *draftWriter) named(d *draft, space string) any {
	own, name := splitName(d.source.Name)
	if w.written[d] {
		return reference(d.source.Name, space)
	}
	w.written[d] = true
	out := object{}
	for _, m := range d.json.(object) {
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
			m.value = w.fields(d, own)
		case "symbols":
			m.value = anys(d.symbols)
		}
		out = append(out, m)
	}
	return out
}

func (w *draftWriter) fields(d *draft, space string) any {
	list := make([]any, len(d.fields))
	for i, f := range d.fields {
		list[i] = f.json.with("type", w.write(f.typ, space))
	}
	return list
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// set returns a copy in which a key has a value, the last if it was not there.
func (o object) set(key string, value any) object {
	if _, ok := o.find(key); ok {
		return o.with(key, value)
	}
	return append(slices.Clone(o), member{key, value})
}

// addAliases returns a copy with more aliases.
func (o object) addAliases(names ...string) object {
	have := o.strings("aliases")
	for _, name := range names {
		if own, _ := o.get("name").(string); name != own && !slices.Contains(have, name) {
			have = append(have, name)
		}
	}
	if len(have) == 0 {
		return o
	}
	return o.set("aliases", anys(have))
}
