package schema

import "strings"

// Text is a schema with the rest of its JSON: properties that do not affect a file's bytes,
// but how they are read with another schema, and properties that are kept when a schema is
// written. It never changes, and is safe for any number of goroutines.
type Text struct {
	Schema *Schema

	text   string
	json   any
	mended bool                 // the text is not to be written as it stands
	fields map[*Schema][]object // of each record, its fields as they stand
	defs   map[*Schema]object   // of each named type, what defines it
}

// String returns the text.
func (t *Text) String() string { return t.text }

// Symbol returns an enum's default symbol, which replaces unknown ones, if it has one.
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
		if plain, none := strings.CutPrefix(name, "."); none {
			names[i] = plain
		} else if !strings.Contains(name, ".") {
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

// wrapped returns the type that an object only wraps, if it does: {"type": [...]}.
func wrapped(v object) (any, bool) {
	switch inner := v.get("type").(type) {
	case object, []any:
		return inner, true
	}
	return nil, false
}
