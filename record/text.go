package record

import (
	"fmt"

	"avro2trevni/internal/schema"
)

// text is a schema and what its JSON says beside: defaults.
type text struct {
	schema  *schema.Schema
	json    any
	fields  map[*schema.Schema][]object // of each record, its fields as they stand
	symbols map[*schema.Schema]string   // of enums, the symbol that stands for unknown ones
	defs    map[*schema.Schema]object   // of each named type, what defines it

	defaults int // bytes and values of the defaults encoded
	depth    int // defaults that the one in work stands in
}

// parse reads a schema's JSON text.
func parse(s string) (*text, error) {
	root, err := schema.Parse(s)
	if err != nil {
		return nil, err
	}
	v, err := decodeJSON(s)
	if err != nil { // the text may be a bare name
		v = s
	}
	t := &text{
		schema: root, json: v,
		fields: map[*schema.Schema][]object{}, symbols: map[*schema.Schema]string{}, defs: map[*schema.Schema]object{},
	}
	return t, t.walk(v, root)
}

// errText says that JSON and schema do not go together, which happens for no text
// that the one parser took and the other understood otherwise.
func errText(s *schema.Schema) error {
	return fmt.Errorf("%w: %s is spelled in a way that is not understood", schema.ErrSchema, s)
}

// walk goes through the JSON of a type and its schema side by side.
func (t *text) walk(v any, s *schema.Schema) error {
	switch v := v.(type) {
	case string: // a primitive, or a name: defined elsewhere
		return nil
	case []any:
		if s.Kind != schema.Union || len(v) != len(s.Branches) {
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

func (t *text) object(v object, s *schema.Schema) error {
	kind, _ := v.get("type").(string)
	switch s.Kind {
	case schema.Array:
		return t.walk(v.get("items"), s.Items)
	case schema.Map:
		return t.walk(v.get("values"), s.Items)
	case schema.Enum, schema.Fixed, schema.Record:
		if kind != s.Kind.String() && (kind != "error" || s.Kind != schema.Record) {
			return nil // {"type": "ns.Name"}: a name
		}
		t.defs[s] = v
	}
	if d, ok := v.get("default").(string); ok && s.Kind == schema.Enum {
		t.symbols[s] = d
	}
	if s.Kind == schema.Record {
		return t.record(v, s)
	}
	return nil
}

func (t *text) record(v object, s *schema.Schema) error {
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
