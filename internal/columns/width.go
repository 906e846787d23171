package columns

import (
	"avro2trevni/internal/schema"
	"avro2trevni/mapper"
)

// width counts the columns and the types of a value of s, as [layout.value] makes them,
// without making any: each type is counted once, so that a schema of 2^n columns costs
// no more than its text does. Counts stop short of overflowing.
func (l *layout) width(s *schema.Schema, known map[*schema.Schema]width) width {
	if w, ok := known[s]; ok {
		return w
	}
	known[s] = width{} // met again inside of itself: layout.value refuses that
	w := width{types: 1}
	switch s.Kind {
	case schema.Record:
		for i, f := range s.Fields {
			if l.keeps(s, i) {
				w = w.plus(l.width(f.Type, known))
			}
		}
	case schema.Array:
		w = w.plus(l.element(s.Items, known))
	case schema.Map:
		w = w.plus(width{columns: 2}).plus(l.width(s.Items, known))
	case schema.Union:
		for i, b := range s.Branches {
			if b.Kind != schema.Null && l.keeps(s, i) {
				w = w.plus(l.element(b, known))
			}
		}
	default:
		w.columns = 1
	}
	known[s] = w
	return w
}

// element is the width of an array's elements or a union's branch, with the column of
// lengths, which simple values share.
func (l *layout) element(s *schema.Schema, known map[*schema.Schema]width) width {
	w := l.width(s, known)
	if !s.Kind.Simple() {
		w.columns++
	}
	return w
}

// width is how many columns and types there are.
type width struct{ columns, types int64 }

func (w width) plus(v width) width {
	const most = 1 << 50
	return width{min(w.columns+v.columns, most), min(w.types+v.types, most)}
}

// tooWide reports whether there is more than is compiled.
func (w width) tooWide() bool { return w.columns > mapper.MaxColumns || w.types > mapper.MaxTypes }
