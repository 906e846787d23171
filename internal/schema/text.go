package schema

import (
	"fmt"
	"strings"
)

// Text is a schema and what its JSON says beside: what has no part in a file's bytes,
// but in how they are read as another schema, and what is kept when a schema is
// written anew. It is never changed, and safe for any number of goroutines.
type Text struct {
	Schema *Schema

	text   string
	json   any
	fields map[*Schema][]object // of each record, its fields as they stand
	defs   map[*Schema]object   // of each named type, what defines it
}

// ParseText reads a schema from its JSON text, as [Parse] does.
func ParseText(text string) (*Text, error) {
	root, err := Parse(text)
	if err != nil {
		return nil, err
	}
	v, err := decodeJSON(text)
	if err != nil { // the text may be a bare name
		v = text
	}
	t := &Text{Schema: root, text: text, json: v, fields: map[*Schema][]object{}, defs: map[*Schema]object{}}
	return t, t.walk(v, root)
}

// String returns the text.
func (t *Text) String() string { return t.text }

// Symbol returns the symbol that stands for unknown ones of an enum, if it has one.
func (t *Text) Symbol(enum *Schema) (string, bool) {
	s, ok := t.defs[enum].get("default").(string)
	return s, ok
}

// Aliases returns the full names that a named type goes by beside its own.
func (t *Text) Aliases(s *Schema) []string {
	space := ""
	if i := strings.LastIndexByte(s.Name, '.'); i >= 0 {
		space = s.Name[:i+1]
	}
	names := t.defs[s].strings("aliases")
	for i, name := range names {
		if !strings.Contains(name, ".") {
			names[i] = space + name
		}
	}
	return names
}

// FieldAliases returns the names that field i of a record goes by beside its own.
func (t *Text) FieldAliases(record *Schema, i int) []string {
	if fields := t.fields[record]; fields != nil {
		return fields[i].strings("aliases")
	}
	return nil
}

// HasDefault reports whether field i of a record has a default.
func (t *Text) HasDefault(record *Schema, i int) bool {
	_, ok := t.defaultOf(record, i)
	return ok
}

// defaultOf returns the default of field i of a record, as JSON.
func (t *Text) defaultOf(record *Schema, i int) (any, bool) {
	fields := t.fields[record]
	if fields == nil {
		return nil, false
	}
	at, ok := fields[i].find("default")
	if !ok {
		return nil, false
	}
	return fields[i][at].value, true
}

// errText says that JSON and schema do not go together, which happens for no text
// that the one parser took and the other understood otherwise.
func errText(s *Schema) error {
	return fmt.Errorf("%w: %s is spelled in a way that is not understood", ErrSchema, s)
}

// walk goes through the JSON of a type and its schema side by side.
func (t *Text) walk(v any, s *Schema) error {
	switch v := v.(type) {
	case string: // a primitive, or a name: defined elsewhere
		return nil
	case []any:
		if s.Kind != Union || len(v) != len(s.Branches) {
			return errText(s)
		}
		for i := range v {
			if err := t.walk(v[i], s.Branches[i]); err != nil {
				return err
			}
		}
		return nil
	case object:
		if inner, ok := wrapped(v); ok {
			return t.walk(inner, s)
		}
		return t.object(v, s)
	}
	return errText(s)
}

// wrapped returns the type that an object only wraps, if it does: {"type": [...]}.
func wrapped(v object) (any, bool) {
	switch inner := v.get("type").(type) {
	case object, []any:
		return inner, true
	}
	return nil, false
}

func (t *Text) object(v object, s *Schema) error {
	kind, _ := v.get("type").(string)
	switch s.Kind {
	case Array:
		return t.walk(v.get("items"), s.Items)
	case Map:
		return t.walk(v.get("values"), s.Items)
	case Enum, Fixed, Record:
		if kind != s.Kind.String() && (kind != "error" || s.Kind != Record) {
			return nil // {"type": "ns.Name"}: a name
		}
		t.defs[s] = v
	}
	if s.Kind == Record {
		return t.record(v, s)
	}
	return nil
}

func (t *Text) record(v object, s *Schema) error {
	list, _ := v.get("fields").([]any)
	if len(list) != len(s.Fields) {
		return errText(s)
	}
	fields := make([]object, len(list))
	t.fields[s] = fields
	for i := range list {
		var ok bool
		if fields[i], ok = list[i].(object); !ok {
			return errText(s)
		}
		if err := t.walk(fields[i].get("type"), s.Fields[i].Type); err != nil {
			return err
		}
	}
	return nil
}
