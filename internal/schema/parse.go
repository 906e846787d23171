package schema

import (
	"errors"
	"fmt"
	"strings"
)

// MaxDepth is the largest depth of nested types, with named types followed to their
// definition.
const MaxDepth = 256

// Errors of [Parse].
var (
	ErrSchema = errors.New("schema: not an Avro schema")                               // what the text says is no schema
	ErrDepth  = fmt.Errorf("schema: types nest deeper than the limit of %d", MaxDepth) // see MaxDepth
)

// Parse reads a schema from its JSON text, as [ParseText] does.
func Parse(text string) (*Schema, error) {
	t, err := ParseText(text)
	if err != nil {
		return nil, err
	}
	return t.Schema, nil
}

// ParseText reads a schema from its JSON text, and checks it: names resolve, union
// branches differ, types nest no deeper than [MaxDepth]. Its errors are [ErrSchema]
// with the path and the cause, or [ErrDepth] with the path. Memory and time are linear
// in the text's length.
//
// It accepts what Java accepts as the schema of a data file: any name, even an empty one;
// any default; comments; unused attributes of a type, such as an array's name; and a type
// that is defined again in the same way. It also accepts what other writers produce: a type
// that only wraps another; a flat field, which has the keys of its type next to its own;
// and an order or aliases of a wrong type, which are ignored.
//
// A record at the top, or in a union there, that has the empty name is called [TopName].
func ParseText(text string) (*Text, error) {
	plain := withoutComments(text)
	v, err := decodeJSON(plain)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	t := &Text{text: text, json: v, fields: map[*Schema][]object{}, defs: map[*Schema]object{}}
	p := parser{t: t, types: map[string]*Schema{}}
	if err := p.parse(v, "", &t.Schema); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	if err := p.finish(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	if err := checkDepth(t.Schema); err != nil {
		return nil, err
	}
	t.mended = p.nameTop() || t.mended || len(plain) != len(text)
	return t, nil
}

// parser makes Schemas from JSON, in Java's order, which decides the type of a name: a
// definition is known from its end on. A name that is not known yet is looked up at the
// end.
type parser struct {
	t      *Text
	types  map[string]*Schema // the named types, by full name
	in     *step              // the place in work
	later  []site             // names to look up
	again  []site             // types of a name that another had before
	lifted []site             // kinds of flat fields
	unions []site
}

// step is a place in a schema: a step of a path, and the place that it leads on from.
type step struct {
	from *step
	name string
}

// site is a place where a type is used.
type site struct {
	at          **Schema
	name, given string // the full name that is looked up, and the one that stands there
	in          *step
}

// here returns the current place.
func (p *parser) here(at **Schema, full, given string) site { return site{at, full, given, p.in} }

// errorf returns an error at the current place.
func (p *parser) errorf(format string, args ...any) error {
	return p.here(nil, "", "").errorf(format, args...)
}

func (u site) errorf(format string, args ...any) error {
	err := brief{fmt.Errorf(format, args...)}
	path := ""
	for s := u.in; s != nil && len(path) < briefLen; s = s.from {
		path = s.name + path
	}
	if path == "" {
		return err
	}
	return fmt.Errorf("at %q: %w", brief{errors.New(strings.TrimPrefix(path, "."))}.Error(), err)
}

// parse sets *at to the type whose JSON is v, in a namespace.
func (p *parser) parse(v any, space string, at **Schema) error {
	switch v := v.(type) {
	case string:
		p.find(v, space, at)
		return nil
	case []any:
		return p.union(v, space, at)
	case object:
		if inner, ok := wrapped(v); ok {
			return p.parse(inner, space, at)
		}
		return p.object(v, space, at)
	}
	if v == nil {
		return p.errorf("there is no type")
	}
	return p.errorf("%.60q is no type", fmt.Sprint(v))
}

// find sets *at to the type of a name, now or at the end.
func (p *parser) find(name, space string, at **Schema) {
	if kind, ok := kinds[name]; ok && kind.Primitive() {
		*at = &Schema{Kind: kind}
		return
	}
	if *at = p.known(name, space); *at == nil {
		p.later = append(p.later, p.here(at, qualified(name, space), name))
	}
}

// known returns the type of a name, nil if none is defined yet.
func (p *parser) known(name, space string) *Schema {
	if s := p.types[qualified(name, space)]; s != nil {
		return s
	}
	return p.types[name]
}

// qualified returns the full name that a name in a namespace is looked up by first.
func qualified(name, space string) string {
	if space == "" || strings.Contains(name, ".") {
		return name
	}
	return space + "." + name
}

func (p *parser) union(list []any, space string, at **Schema) error {
	s := &Schema{Kind: Union, Branches: make([]*Schema, len(list))}
	*at = s
	p.unions = append(p.unions, p.here(at, "", ""))
	for i := range list {
		if err := p.parse(list[i], space, &s.Branches[i]); err != nil {
			return err
		}
	}
	return nil
}

// object parses a type that is given by an object.
func (p *parser) object(v object, space string, at **Schema) error {
	name, ok := v.get("type").(string)
	if !ok {
		return p.errorf("an object without a type")
	}
	kind, ok := kinds[name]
	switch {
	case !ok:
		p.find(name, space, at)
		return nil
	case kind.Named():
		return p.define(v, kind, space, at)
	case kind.Primitive():
		*at = &Schema{Kind: kind, Logical: logical(v, kind)}
		return nil
	}
	s := &Schema{Kind: kind}
	*at = s
	of, ok := v.find(content[kind])
	if !ok {
		return p.errorf("%s without %q", kind, content[kind])
	}
	p.in = &step{p.in, map[Kind]string{Array: "[]", Map: "{}"}[kind]}
	defer p.out()
	return p.parse(v[of].value, space, &s.Items)
}

// out leaves a step that led below.
func (p *parser) out() { p.in = p.in.from }

// define parses the definition of a named type.
func (p *parser) define(v object, kind Kind, space string, at **Schema) error {
	name, ok := v.get("name").(string)
	if !ok {
		return p.errorf("%s without a name", kind)
	}
	name, space = fullName(v, name, space)
	if k, ok := kinds[name]; ok && k.Primitive() {
		return p.errorf("%s of the name %q, which is a type's", kind, name)
	}
	s := &Schema{Kind: kind, Name: name}
	*at = s
	p.t.defs[s] = v
	var err error
	switch kind {
	case Enum:
		err = p.symbols(v, s)
	case Fixed:
		err = p.fixed(v, s)
	case Record:
		err = p.fields(v, s, space)
	}
	if p.types[name] != nil {
		p.again = append(p.again, p.here(at, name, name))
		return err
	}
	p.types[name] = s
	return err
}

// fullName returns the full name of a named type, and the namespace of what is in it.
func fullName(v object, name, space string) (full, own string) {
	if given, ok := v.get("namespace").(string); ok {
		space = given
	}
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name, space = name[i+1:], name[:i]
	}
	if space == "" {
		return name, ""
	}
	return space + "." + name, space
}

func (p *parser) symbols(v object, s *Schema) error {
	list, ok := v.get("symbols").([]any)
	if !ok {
		return p.errorf("%s without symbols", s)
	}
	seen := make(map[string]bool, len(list))
	for _, symbol := range list {
		text, ok := symbol.(string)
		if !ok || seen[text] {
			return p.errorf("%s: symbol %.60q is no string, or there twice", s, fmt.Sprint(symbol))
		}
		seen[text] = true
		s.Symbols = append(s.Symbols, text)
	}
	return nil
}

func (p *parser) fixed(v object, s *Schema) error {
	var ok bool
	if s.Size, ok = whole(v.get("size")); !ok || s.Size < 0 {
		return p.errorf("%s without a size, or of one that is no whole number from 0 on", s)
	}
	s.Logical = logical(v, Fixed)
	return nil
}

func (p *parser) fields(v object, s *Schema, space string) error {
	list, ok := v.get("fields").([]any)
	if !ok {
		return p.errorf("%s without fields", s)
	}
	p.t.fields[s] = make([]object, len(list))
	s.Fields = make([]Field, len(list))
	seen := make(map[string]bool, len(list))
	for i := range list {
		f, _ := list[i].(object)
		name, ok := f.get("name").(string)
		if !ok {
			return p.errorf("field %d of %s has no name", i, s)
		}
		if seen[name] {
			return p.errorf("%s has two fields %q", s, name)
		}
		seen[name] = true
		order, _ := f.get("order").(string)
		s.Fields[i] = Field{Name: name, Descending: strings.EqualFold(order, "descending")}
		if err := p.field(f, space, s, i); err != nil {
			return err
		}
	}
	return nil
}

// field parses the type of field i of a record.
func (p *parser) field(f object, space string, s *Schema, i int) error {
	p.in = &step{p.in, "." + s.Fields[i].Name}
	defer p.out()
	f, err := p.lift(f, s.Fields[i].Name, space)
	if err != nil {
		return err
	}
	p.t.fields[s][i] = f
	return p.parse(f.get("type"), space, &s.Fields[i].Type)
}

// briefLen is the largest number of bytes of a message that brief shows.
const briefLen = 200

// brief is an error whose message leaves out the middle where it is long.
type brief struct{ error }

func (b brief) Error() string {
	s := b.error.Error()
	if len(s) <= briefLen {
		return s
	}
	return strings.ToValidUTF8(s[:briefLen/2]+" ... "+s[len(s)-briefLen/2:], "?")
}

func (b brief) Unwrap() error { return b.error }
