package schema

import (
	"strconv"
	"strings"
)

// TopName is the name of a record at the top that has none. Where another type has
// that name a number is put after it.
const TopName = "row"

// finish looks up the names that were used before their definitions, and checks what can
// be checked only then.
func (p *parser) finish() error {
	if err := p.doubted(); err != nil {
		return err
	}
	for _, u := range p.later {
		if *u.at = p.types[u.name]; *u.at == nil {
			*u.at = p.types[u.given]
			p.t.mended = true // a reader that goes by the letter looks in the namespace alone
		}
		if *u.at == nil {
			return u.undefined()
		}
	}
	for _, u := range p.again {
		first, second := p.types[u.name], *u.at
		c := comparer{seen: map[[2]*Schema]bool{}, orders: true}
		if d := c.compare(first, second); d != nil {
			return u.errorf("%s is defined twice, and not alike: %s differs, %s and %s", first, d.What, d.A, d.B)
		}
		*u.at = first
	}
	for _, u := range p.unions {
		if err := u.branches(*u.at); err != nil {
			return err
		}
	}
	return nil
}

// undefined is the error of a name that nothing has.
func (u site) undefined() error {
	name := simple(u.name)
	if _, ok := kinds[name]; ok {
		return u.errorf(`%q cannot stand alone: a field's type is {"type": {"type": %q, ...}}`, name, name)
	}
	return u.errorf("type %q is not defined", u.name)
}

// branches checks a union's.
func (u site) branches(s *Schema) error {
	seen := make(map[string]bool, len(s.Branches))
	for _, b := range s.Branches {
		if b.Kind == Union {
			return u.errorf("a union in a union")
		}
		if name := b.TypeName(); seen[name] {
			return u.errorf("%q is twice in a union", name)
		}
		seen[b.TypeName()] = true
	}
	return nil
}

// nameTop names the records at the top that have the empty name: they would make no
// column's name, and few readers take them. It reports whether there were any.
func (p *parser) nameTop() (found bool) {
	tops := []*Schema{p.t.Schema}
	if tops[0].Kind == Union {
		tops = tops[0].Branches
	}
	for _, s := range tops {
		if s.Kind != Record || simple(s.Name) != "" {
			continue
		}
		found = true
		for n := 0; ; n++ {
			name := s.Name + TopName
			if n > 0 {
				name += strconv.Itoa(n)
			}
			if p.types[name] == nil {
				s.Name = name
				p.types[name] = s
				break
			}
		}
	}
	return found
}

// simple returns a full name's last part.
func simple(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// kinds are the types by their names in JSON.
var kinds = map[string]Kind{
	"null": Null, "boolean": Boolean, "int": Int, "long": Long, "float": Float,
	"double": Double, "string": String, "bytes": Bytes,
	"array": Array, "map": Map,
	"record": Record, "error": Record, "enum": Enum, "fixed": Fixed,
}
