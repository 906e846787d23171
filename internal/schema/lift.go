package schema

import "slices"

// content is the key without which a type of a kind is none.
var content = map[Kind]string{Array: "items", Map: "values", Enum: "symbols", Fixed: "size", Record: "fields"}

// ofType are the keys of a flat field that are its type's. All others are the field's,
// so that a "default" is one of the field, and never of an enum.
var ofType = []string{"items", "values", "symbols", "size", "fields", "namespace", "logicalType", "precision", "scale"}

// lift returns a flat field in the specification's form, and any other field unchanged. In
// a flat field the keys of its type are next to its own, as goavro accepts and writes it:
//
//	{"name": "a", "type": "array", "items": "int", "doc": "x"}
//	{"name": "a", "type": {"type": "array", "items": "int"}, "doc": "x"}
//
// A record, an enum or a fixed has the field's name. If it is unclear what goavro writes,
// lift refuses the field: goavro turns a name with a dot into its last part, and after a
// type called "map", "map" denotes that type.
func (p *parser) lift(f object, name, space string) (object, error) {
	text, _ := f.get("type").(string)
	kind := kinds[text]
	key, ok := content[kind]
	if _, has := f.find(key); !ok || !has || p.known(text, space) != nil {
		return f, nil
	}
	field, of := object{}, object{{"type", text}}
	if kind.Named() {
		if !liftable(name) {
			return nil, p.errorf(`a field of the name %q cannot name its type too: its type is {"type": {"type": %q, "name": ...}}`, name, text)
		}
		of = append(of, member{"name", name})
	}
	for _, m := range f {
		if slices.Contains(ofType, m.key) {
			of = append(of, m)
		} else {
			field = append(field, m)
		}
	}
	p.t.mended = true
	p.lifted = append(p.lifted, p.here(nil, qualified(text, space), text))
	at, _ := field.find("type")
	field[at].value = of
	return field, nil
}

// liftable reports whether a field's name can be its type's too.
func liftable(name string) bool {
	_, taken := content[kinds[name]]
	return simple(name) == name && (!taken || name == "error") // which goavro does not know
}

// doubted returns an error if a name that was taken for a kind's is a type's after all.
func (p *parser) doubted() error {
	for _, u := range p.lifted {
		if p.types[u.name] != nil || p.types[u.given] != nil {
			return u.errorf(`%q is also a type that is defined after it: a field's type is {"type": {"type": %q, ...}}`, u.given, u.given)
		}
	}
	return nil
}
