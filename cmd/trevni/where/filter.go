package where

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/internal/cmdline"
	"avro2trevni/internal/colname"
	"avro2trevni/internal/schema"
)

// Errors of [New].
var (
	ErrUnknown   = errors.New("no such column")
	errRecursive = errors.New("its type contains itself")
)

// Filter finds rows in which clauses hold. One goroutine at a time.
type Filter struct {
	root   *node
	held   []bool // by clause, for the row in work
	bounds []colfile.Bounds
}

// node is a place in the rows that a clause is about, or that leads to one.
type node struct {
	s     *schema.Schema
	inner map[int]*node // of fields and branches by number, of items 0; those that are not here are passed over
	tests []test
}

// test is what is done with a value at a node: the function of the value's kind.
type test struct {
	clause int
	any    bool // every value will do
	long   func(int64) bool
	float  func(float64) bool
	text   func([]byte) bool
}

// New makes the filter of clauses on rows of a schema. What is wrong with a clause is an
// error that names its column.
func New(s *schema.Schema, clauses []Clause) (*Filter, error) {
	f := &Filter{root: newNode(s), held: make([]bool, len(clauses))}
	for i, c := range clauses {
		p := placer{f: f, c: c, number: i, plain: true}
		if err := p.column(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Columns returns the paths of the fields that the filter needs, for a projection of the
// schema; all are needed if there are none.
func Columns(clauses []Clause) (paths []string) {
	for _, c := range clauses {
		if p := colname.Path(c.Column); !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	return paths
}

// Bounds returns what an index can be asked.
func (f *Filter) Bounds() []colfile.Bounds { return f.bounds }

func newNode(s *schema.Schema) *node {
	return &node{s: s, inner: map[int]*node{}}
}

// at returns the inner node of a number.
func (n *node) at(i int, s *schema.Schema) *node {
	if n.inner[i] == nil {
		n.inner[i] = newNode(s)
	}
	return n.inner[i]
}

// step is a name on a path; a branch is that of the union that the field is.
type step struct{ name, branch string }

// steps returns the names of a column: a path, or a name as Trevni's columns have them.
func steps(column string) (all []step) {
	for part := range strings.SplitSeq(strings.ReplaceAll(column, "[]", ""), "#") {
		path, branch, _ := strings.Cut(part, "/")
		for name := range strings.SplitSeq(path, ".") {
			all = append(all, step{name: name})
		}
		all[len(all)-1].branch = branch
	}
	return all
}

// placer puts the tests of a clause where its values are.
type placer struct {
	f      *Filter
	c      Clause
	number int
	plain  bool             // so far, each row has at most one value
	path   []string         // names so far
	open   []*schema.Schema // named types that it is inside of
	found  int              // tests placed
	bad    error            // why the value does not fit, at one place
}

// column places the clause, or says why it cannot.
func (p *placer) column() error {
	s := p.f.root.s
	var err error
	if s.Kind.Simple() && p.c.Column == s.TypeName() {
		err = p.value(p.f.root)
	} else {
		err = p.walk(p.f.root, steps(p.c.Column), "")
	}
	if err == nil && p.found == 0 {
		err = p.bad
	}
	if err != nil {
		return fmt.Errorf("where: column %q: %w", p.c.Column, err)
	}
	return nil
}

// walk goes on to the values at what is left of the path; branch is what they must be of, if
// they are of a union.
func (p *placer) walk(n *node, left []step, branch string) error {
	s := n.s
	if len(left) == 0 && (p.c.Op == IsNull || p.c.Op == NotNull) {
		p.null(n)
		return nil
	}
	switch s.Kind {
	case schema.Record:
		return p.record(n, left)
	case schema.Array, schema.Map:
		p.plain = false
		return p.walk(n.at(0, s.Items), left, branch)
	case schema.Union:
		return p.union(n, left, branch)
	}
	if len(left) > 0 {
		return p.unknown(left[0].name, nil)
	}
	return p.value(n)
}

func (p *placer) record(n *node, left []step) error {
	s := n.s
	if slices.Contains(p.open, s) {
		return errRecursive
	}
	if len(left) == 0 {
		return fmt.Errorf("is a record: name one of its fields, %s", listed(fieldNames(s)))
	}
	for i, f := range s.Fields {
		if f.Name == left[0].name {
			p.open, p.path = append(p.open, s), append(p.path, f.Name)
			err := p.walk(n.at(i, f.Type), left[1:], left[0].branch)
			p.open, p.path = p.open[:len(p.open)-1], p.path[:len(p.path)-1]
			return err
		}
	}
	return p.unknown(left[0].name, fieldNames(s))
}

func (p *placer) union(n *node, left []step, branch string) error {
	p.plain = p.plain && values(n.s) == 1
	var first error
	fits := false
	for i, b := range n.s.Branches {
		switch {
		case branch != "" && b.TypeName() != branch:
			continue
		case b.Kind == schema.Null && len(n.s.Branches) > 1:
			continue
		}
		if err := p.walk(n.at(i, b), left, ""); err == nil {
			fits = true
		} else if first == nil {
			first = err
		}
	}
	switch {
	case fits:
		return nil
	case first == nil:
		return fmt.Errorf("has no values of type %q", branch)
	}
	return first
}

// values returns the number of branches that are not null.
func values(u *schema.Schema) (n int) {
	for _, b := range u.Branches {
		if b.Kind != schema.Null {
			n++
		}
	}
	return n
}

// unknown is the error of a field that is not there.
func (p *placer) unknown(name string, names []string) error {
	full := strings.Join(append(slices.Clone(p.path), name), ".")
	if near := cmdline.Closest(name, names); near != "" {
		return fmt.Errorf("%w; did you mean %q?", ErrUnknown, strings.Join(append(slices.Clone(p.path), near), "."))
	}
	if len(names) == 0 {
		return fmt.Errorf("%w: %q has no fields", ErrUnknown, strings.Join(p.path, "."))
	}
	return fmt.Errorf("%w; there is no %q, there are %s", ErrUnknown, full, listed(names))
}

// mostNames is the largest number of fields that an error names.
const mostNames = 20

func listed(names []string) string {
	text := strings.Join(names[:min(len(names), mostNames)], ", ")
	if more := len(names) - mostNames; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// mostPaths is the largest number of paths that [Fields] returns: a type may be used in many
// places.
const mostPaths = 10_000

// Fields returns the paths of all fields of a schema, for messages; not all, if there are very
// many.
func Fields(s *schema.Schema) (paths []string) {
	var walk func(s *schema.Schema, at string, depth int)
	walk = func(s *schema.Schema, at string, depth int) {
		if len(paths) >= mostPaths || depth > mostDepth {
			return
		}
		for _, f := range s.Fields {
			paths = append(paths, strings.TrimPrefix(at+"."+f.Name, "."))
			walk(f.Type, at+"."+f.Name, depth+1)
		}
		for _, b := range s.Branches {
			walk(b, at, depth+1)
		}
		if s.Items != nil {
			walk(s.Items, at, depth+1)
		}
	}
	walk(s, "", 0)
	return paths
}

// mostDepth is how deep [Fields] looks: a type may contain itself.
const mostDepth = 30

func fieldNames(s *schema.Schema) []string {
	names := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		names[i] = f.Name
	}
	return names
}

// null places a test for null, or for anything else.
func (p *placer) null(n *node) {
	p.found++
	t := test{clause: p.number, any: true}
	if n.s.Kind != schema.Union {
		if (n.s.Kind == schema.Null) == (p.c.Op == IsNull) {
			n.tests = append(n.tests, t)
		}
		return
	}
	for i, b := range n.s.Branches {
		if (b.Kind == schema.Null) == (p.c.Op == IsNull) {
			inner := n.at(i, b)
			inner.tests = append(inner.tests, t)
		}
	}
}

// value places a test of a simple value. A value of the clause that does not fit the type is
// kept as p.bad: another branch of a union may have it.
func (p *placer) value(n *node) error {
	t, low, high, err := newTest(p.c, n.s)
	if err != nil {
		p.bad = err
		return nil
	}
	t.clause = p.number
	p.found++
	n.tests = append(n.tests, t)
	if p.plain && (low != nil || high != nil) {
		p.f.bounds = append(p.f.bounds, colfile.Bounds{Path: strings.Join(p.path, "."), Low: low, High: high})
	}
	return nil
}
