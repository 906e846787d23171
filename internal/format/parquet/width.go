package parquet

import (
	"avro2trevni/internal/schema"
	"avro2trevni/mapper"
)

// width counts the leaves and the types of a value of s, as [mapping.value] makes them, without
// making any: each type is counted once, so that a schema of 2^n columns costs no more than its
// text does.
func (m *mapping) width(s *schema.Schema, known map[*schema.Schema]width) width {
	if w, ok := known[s]; ok {
		return w
	}
	known[s] = width{} // met again inside of itself: mapping.value refuses that
	w := width{types: 1}
	switch s.Kind {
	case schema.Record:
		for i, f := range s.Fields {
			if m.keeps(s, i) {
				w = w.plus(m.width(f.Type, known))
			}
		}
	case schema.Array:
		w = w.plus(m.width(s.Items, known))
	case schema.Map:
		w = w.plus(width{leaves: 1}).plus(m.width(s.Items, known))
	case schema.Union:
		for i, b := range s.Branches {
			if m.keeps(s, i) {
				w = w.plus(m.width(b, known))
			}
		}
	case schema.Null:
	default:
		w.leaves = 1
	}
	known[s] = w
	return w
}

// width is how many leaves and types there are, not counting leaves of what has no values.
type width struct{ leaves, types int64 }

// plus adds, and stops short of overflowing.
func (w width) plus(v width) width {
	const most = 1 << 50
	return width{min(w.leaves+v.leaves, most), min(w.types+v.types, most)}
}

func (w width) tooWide() bool { return w.leaves > mapper.MaxColumns || w.types > mapper.MaxTypes }
