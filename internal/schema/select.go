package schema

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Errors of [Text.Select].
var (
	ErrNoField = errors.New("schema: no such field")
	ErrShared  = errors.New("schema: a type is one wherever it is used")
)

// Selection is a schema, and what is kept of it. It is never changed, and safe for
// any number of goroutines.
type Selection struct {
	t    *Text
	kept map[*Schema][]bool // of records and unions, the fields and branches to keep; nil: all of everything
	// order has, of records, the fields that are kept in the order in which paths led to them.
	order   map[*Schema][]int
	inOrder bool // whether JSON has fields so
}

// InOrder returns the same selection, whose JSON has the fields of each record in the order in
// which the columns of Select led to them, and not in the schema's.
func (s *Selection) InOrder() *Selection {
	ordered := *s
	ordered.inOrder = s.kept != nil
	return &ordered
}

// fields returns the numbers of a record's fields that are kept, in the order of JSON.
func (s *Selection) fields(of *Schema) (all []int) {
	if s.inOrder {
		all = s.order[of]
	} else {
		for i := range of.Fields {
			all = append(all, i)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(i int) bool { return !s.Keeps(of, i) })
}

// All returns the selection of everything.
func (t *Text) All() *Selection { return &Selection{t: t} }

// Text returns the schema that the selection is of.
func (s *Selection) Text() *Text { return s.t }

// Keeps reports whether field or branch i of a type is kept.
func (s *Selection) Keeps(of *Schema, i int) bool {
	return s.kept == nil || s.kept[of] != nil && s.kept[of][i]
}

// Select keeps the fields on the paths of columns, or all if there are none, and leaves out
// those on the paths of exclude. A path is names of fields with dots between, from the top
// level on, as in "Name.Language.Code": paths pass through arrays, maps and unions. A *
// stands for any part of one name. A path includes everything under it.
//
// A union keeps the branches that a path of columns leads through, and null, which replaces
// the others; a union without null keeps all. A named type that is used in several places
// keeps in all of them what columns keep in any. If exclude leaves out a field in one place
// that is kept in another, the error is [ErrShared].
//
// A path that leads nowhere is [ErrNoField], which names the fields that there are,
// and so is leaving nothing.
func (t *Text) Select(columns, exclude []string) (*Selection, error) {
	if len(columns)+len(exclude) == 0 {
		return t.All(), nil
	}
	p := newChooser()
	for _, path := range columns {
		if !p.choose(t.Schema, path) {
			return nil, p.lost(path)
		}
	}
	if len(columns) == 0 {
		p.all(t.Schema)
	}
	if err := t.exclude(p, exclude); err != nil {
		return nil, err
	}
	if t.Schema.Kind == Record && !slices.Contains(p.kept[t.Schema], true) {
		return nil, fmt.Errorf("%w: every field is left out", ErrNoField)
	}
	return &Selection{t: t, kept: p.kept, order: p.order}, nil
}

// exclude takes from what p keeps.
func (t *Text) exclude(p *chooser, paths []string) error {
	for _, path := range paths {
		if find := newChooser(); !find.choose(t.Schema, path) {
			return find.lost(path)
		}
	}
	c := cutter{p: p, seen: map[visit]bool{}, out: map[use]string{}, in: map[use]string{}}
	if len(paths) == 0 {
		return nil
	}
	if err := c.walk(t.Schema, paths, ""); err != nil {
		return err
	}
	for u := range c.out {
		p.kept[u.of][u.i] = false
	}
	return nil
}

// LeftOut returns the paths of the fields that are not kept, inside types that are, in the
// schema's order. The fields of a named type are given at its first use.
func (s *Selection) LeftOut() []string {
	var paths []string
	seen := map[*Schema]bool{}
	var walk func(of *Schema, at string)
	walk = func(of *Schema, at string) {
		if seen[of] || s.kept == nil {
			return
		}
		seen[of] = true
		i := -1
		of.children(func(step string, c *Schema) bool {
			i++
			below := strings.TrimPrefix(at+step, ".")
			switch {
			case of.Kind != Record && of.Kind != Union:
				walk(c, at)
			case !s.Keeps(of, i):
				paths = append(paths, below)
			case of.Kind == Union:
				walk(c, at)
			default:
				walk(c, below)
			}
			return true
		})
	}
	walk(s.t.Schema, "")
	return paths
}

// match takes the name off the front of a path, if the path begins with it or with a
// pattern that it matches, and returns the rest: "" for a path that ends there.
func match(p, name string) (rest string, ok bool) {
	if rest, ok := strings.CutPrefix(p, name); ok && (rest == "" || rest[0] == '.' && len(rest) > 1) {
		return strings.TrimPrefix(rest, "."), true
	}
	first, rest, more := strings.Cut(p, ".")
	if !strings.Contains(first, "*") || more && rest == "" {
		return "", false
	}
	ok, err := path.Match(literal.Replace(first), name)
	return rest, ok && err == nil
}

// literal takes from a pattern what else path.Match has a meaning for.
var literal = strings.NewReplacer(`\`, `\\`, `?`, `\?`, `[`, `\[`, `]`, `\]`)

// chooser finds what paths lead to.
type chooser struct {
	kept  map[*Schema][]bool
	order map[*Schema][]int   // of records, the fields kept, in the order in which they were found
	whole map[*Schema]bool    // types kept with all that is in them
	found map[visit]bool      // where a path was looked for, and whether it leads anywhere
	tried map[string][]string // the names of fields where a rest of the path led nowhere
}

// visit is a type with what is left of the paths there.
type visit struct {
	s    *Schema
	rest string
}

func newChooser() *chooser {
	return &chooser{kept: map[*Schema][]bool{}, order: map[*Schema][]int{}, whole: map[*Schema]bool{}, found: map[visit]bool{}, tried: map[string][]string{}}
}

// choose keeps what a path leads to from s, and reports whether it leads anywhere.
func (p *chooser) choose(s *Schema, path string) bool {
	if path == "" {
		p.all(s)
		return true
	}
	at := visit{s, path}
	if found, ok := p.found[at]; ok {
		return found
	}
	p.found[at] = false
	found := false
	switch s.Kind {
	case Record:
		found = p.chooseFields(s, path)
	case Array, Map:
		found = p.choose(s.Items, path)
	case Union:
		found = p.chooseBranches(s, path)
	}
	p.found[at] = found
	return found
}

func (p *chooser) chooseFields(s *Schema, path string) bool {
	found := false
	for i, f := range s.Fields {
		if rest, ok := match(path, f.Name); ok && p.choose(f.Type, rest) {
			p.keep(s, len(s.Fields), i)
			found = true
		}
	}
	if !found {
		for _, f := range s.Fields {
			p.tried[path] = append(p.tried[path], f.Name)
		}
	}
	return found
}

func (p *chooser) chooseBranches(s *Schema, path string) bool {
	found, null := false, false
	for i, b := range s.Branches {
		if p.choose(b, path) {
			p.keep(s, len(s.Branches), i)
			found = true
		}
	}
	for i, b := range s.Branches {
		if b.Kind == Null && found {
			p.keep(s, len(s.Branches), i)
			null = true
		}
	}
	for i, b := range s.Branches {
		if found && !null && !p.kept[s][i] {
			p.all(b)
			p.keep(s, len(s.Branches), i)
		}
	}
	return found
}

// keep keeps field or branch i, of n, of a type.
func (p *chooser) keep(s *Schema, n, i int) {
	if p.kept[s] == nil {
		p.kept[s] = make([]bool, n)
	}
	if s.Kind == Record && !p.kept[s][i] {
		p.order[s] = append(p.order[s], i)
	}
	p.kept[s][i] = true
}

// all keeps a type with all that is in it.
func (p *chooser) all(s *Schema) {
	if p.whole[s] {
		return
	}
	p.whole[s] = true
	i := 0
	s.children(func(_ string, c *Schema) bool {
		if s.Kind == Record || s.Kind == Union {
			p.keep(s, max(len(s.Fields), len(s.Branches)), i)
		}
		i++
		p.all(c)
		return true
	})
}

// mostNames is the largest number of fields that an error names.
const mostNames = 20

// lost is the error for a path that leads nowhere: it names the fields where the path
// was lost, farthest along.
func (p *chooser) lost(path string) error {
	rest := path
	for r := range p.tried {
		if len(r) < len(rest) || len(r) == len(rest) && r < rest {
			rest = r
		}
	}
	names := p.tried[rest]
	slices.Sort(names)
	names = slices.Compact(names)
	switch {
	case len(names) == 0:
		return fmt.Errorf("%w: %q", ErrNoField, path)
	case len(names) > mostNames:
		names = append(names[:mostNames:mostNames], fmt.Sprintf("and %d more", len(names)-mostNames))
	}
	where := "there are"
	if at := strings.TrimSuffix(path[:len(path)-len(rest)], "."); at != "" {
		where = fmt.Sprintf("under %q there are", at)
	}
	return fmt.Errorf("%w: %q; %s %s", ErrNoField, path, where, strings.Join(names, ", "))
}

// use is a field of a record.
type use struct {
	of *Schema
	i  int
}

// cutter finds the fields that paths lead to, in what a chooser keeps.
type cutter struct {
	p    *chooser
	seen map[visit]bool
	out  map[use]string // the fields found, and where
	in   map[use]string // those that stay
}

// walk finds them from s on, where paths are what is left of them.
func (c *cutter) walk(s *Schema, paths []string, at string) error {
	key := visit{s, strings.Join(paths, "\x00")}
	if c.seen[key] {
		return nil
	}
	c.seen[key] = true
	var err error
	i := -1
	s.children(func(step string, child *Schema) bool {
		i++
		switch {
		case s.Kind == Record && c.p.kept[s] != nil && c.p.kept[s][i]:
			err = c.field(s, i, paths, strings.TrimPrefix(at+step, "."))
		case s.Kind == Union && (c.p.kept[s] == nil || !c.p.kept[s][i]):
		case s.Kind != Record:
			err = c.walk(child, paths, at)
		}
		return err == nil
	})
	return err
}

// field takes field i of a record out, or goes on in it.
func (c *cutter) field(s *Schema, i int, paths []string, at string) error {
	u := use{s, i}
	var rests []string
	here := c.in
	for _, p := range paths {
		if rest, ok := match(p, s.Fields[i].Name); ok && rest == "" {
			here = c.out
		} else if ok {
			rests = append(rests, rest)
		}
	}
	if here[u] == "" {
		here[u] = at
	}
	if in, out := c.in[u], c.out[u]; in != "" && out != "" {
		return fmt.Errorf("%w: %q is to be left out of %s, and %q, which is the same field, is not", ErrShared, out, s, in)
	}
	if _, gone := c.out[u]; gone {
		return nil
	}
	return c.walk(s.Fields[i].Type, rests, at)
}
