package schema

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode"
)

// strict checks what Java checks of a schema that is not a data file's, such as a Trevni
// file's: names and defaults.
type strict struct {
	t    *Text
	work int // values looked at
	deep int
}

// Unreadable returns the path to the first name, or default, for which Java refuses to
// read the schema as a Trevni file's, and what is wrong; "" for neither.
func (t *Text) Unreadable() (path, why string) {
	c := strict{t: t}
	path, why = c.walk(t.Schema, map[*Schema]bool{})
	return strings.TrimPrefix(path, "."), why
}

func (c *strict) walk(s *Schema, seen map[*Schema]bool) (path, why string) {
	if seen[s] {
		return "", ""
	}
	seen[s] = s.Kind.Named()
	if why = c.named(s); why != "" {
		return "", why
	}
	i := 0
	s.children(func(step string, child *Schema) bool {
		below := ""
		if s.Kind == Record {
			why = c.ofField(s, i)
		}
		if i++; why == "" {
			below, why = c.walk(child, seen)
		}
		if why != "" {
			path = step + below
		}
		return why == ""
	})
	return path, why
}

// named returns what is wrong with a type's names.
func (c *strict) named(s *Schema) string {
	if !s.Kind.Named() {
		return ""
	}
	names := strings.Split(s.Name, ".")
	for _, alias := range c.t.Aliases(s) {
		names = append(names, simple(alias))
	}
	for _, name := range append(names, s.Symbols...) {
		if why := wrongName("type's", name); why != "" {
			return why
		}
	}
	return ""
}

func (c *strict) ofField(s *Schema, i int) string {
	if why := wrongName("field's", s.Fields[i].Name); why != "" {
		return why
	}
	if v, ok := c.t.defaultOf(s, i); ok && !c.field(v, s.Fields[i].Type) {
		return "its default is none that Java takes"
	}
	return ""
}

// wrongName returns what Java has against a name of something, "" for nothing: it has
// letters, digits and underscores, and begins with no digit.
func wrongName(of, name string) string {
	if name == "" {
		return "a " + of + " name is empty"
	}
	for i, r := range name {
		if r > 0xFFFF || r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return "the name " + strconv.Quote(brief{errors.New(name)}.Error()) + " has other characters than letters, digits and _, or begins with a digit"
		}
	}
	return ""
}

// field reports whether Java takes a default of a field: as value does, and a number
// in quotes where the type is a floating one.
func (c *strict) field(v any, s *Schema) bool {
	if text, ok := v.(string); ok && (s.Kind == Float || s.Kind == Double) {
		_, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		return err == nil
	}
	return c.value(v, s)
}

// value reports whether Java takes JSON for a value of a type. It looks at kinds, and
// not at what is in texts. Past a bound of work it says so unseen.
func (c *strict) value(v any, s *Schema) bool {
	if c.work++; c.work > maxDefaults {
		return true
	}
	if c.deep > MaxDepth {
		return false
	}
	c.deep++
	defer func() { c.deep-- }()
	switch s.Kind {
	case Null:
		return v == nil
	case Boolean:
		_, ok := v.(bool)
		return ok
	case Int, Long:
		bits := 64
		if s.Kind == Int {
			bits = 32
		}
		n, ok := v.(json.Number)
		_, err := strconv.ParseInt(n.String(), 10, bits)
		return ok && err == nil
	case Float, Double:
		_, ok := v.(json.Number)
		return ok
	case String, Bytes, Enum, Fixed:
		_, ok := v.(string)
		return ok
	case Union:
		for _, b := range s.Branches {
			if c.value(v, b) {
				return true
			}
		}
		return false
	}
	return c.values(v, s)
}

// values is value for what is made of others.
func (c *strict) values(v any, s *Schema) bool {
	if s.Kind == Array {
		list, ok := v.([]any)
		for _, e := range list {
			ok = ok && c.value(e, s.Items)
		}
		return ok
	}
	members, ok := v.(object)
	if s.Kind == Map {
		for _, m := range members {
			ok = ok && c.value(m.value, s.Items)
		}
		return ok
	}
	for i, f := range s.Fields {
		e, has := c.t.defaultOf(s, i)
		if at, given := members.find(f.Name); given {
			e, has = members[at].value, true
		}
		ok = ok && has && c.value(e, f.Type)
	}
	return ok
}
