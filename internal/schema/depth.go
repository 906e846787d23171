package schema

import "fmt"

// depths finds how deep types nest. A type that occurs again within itself counts nothing
// there: it is recursive, and its depth depends on the data.
type depths struct {
	below map[*Schema]int // levels of a type, itself included
	depth int             // levels above the type in work
}

// checkDepth returns [ErrDepth] with the path where types nest too deep.
func checkDepth(s *Schema) error {
	d := depths{below: make(map[*Schema]int)}
	if _, path, ok := d.measure(s); !ok {
		return fmt.Errorf("%w, at %s", ErrDepth, brief{fmt.Errorf("%s%s", s, path)})
	}
	return nil
}

// measure returns the levels of s, or the path to a type that is nested too deep. It visits
// a type again only to find that path.
func (d *depths) measure(s *Schema) (levels int, path string, ok bool) {
	if n, known := d.below[s]; known && d.depth+n <= MaxDepth {
		return n, "", true
	}
	if d.depth >= MaxDepth {
		return 0, "", false
	}
	d.below[s] = 0
	d.depth++
	ok = true
	s.children(func(step string, c *Schema) bool {
		var n int
		if n, path, ok = d.measure(c); !ok {
			path = step + path
		}
		levels = max(levels, n)
		return ok
	})
	d.depth--
	d.below[s] = levels + 1
	return levels + 1, path, ok
}
