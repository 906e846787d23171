package rowkey

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"avro2trevni/internal/columns"
	"avro2trevni/internal/schema"
	"avro2trevni/mapper"
)

// ErrKey is returned for a field that rows cannot be sorted by.
var ErrKey = errors.New("rows cannot be sorted by it")

// Column is a field that rows are sorted by.
type Column struct {
	// Path is the names of fields, with dots between. It leads through records and unions to
	// a simple type, or to a union of such; the name of a union's branch may come last.
	Path string
	// Descending is whether the greatest is first; nil: as the "order" of the field in the schema says.
	Descending *bool
	// Text makes the text that represents the field in a key, instead of its value, which is
	// nil for a null. The field must be of a simple type, or of one and null.
	Text func(dst, value []byte) ([]byte, error)
}

// Key makes the sort keys of rows: bytes that compare, unsigned, as the rows do by the
// columns, one after the other, in the order of Avro's specification. No key is the
// beginning of another.
//
//	union            | branch 1, or 2 of more than 255 |, and what follows of that branch
//	boolean          | 1 |
//	int, enum        | 4, big-endian, the sign turned |
//	long             | 8 |
//	float, double    | 4 or 8: the bits; of negatives all turned, else the sign |
//	fixed            | its bytes |
//	string, bytes    | its bytes, 0 as 0 255 | 0 0 |
//
// Of a descending column all bits are turned.
type Key struct {
	// Watch is the column of the key whose longest value [Cutter.Longest] tells, -1: none.
	Watch int

	layout  *mapper.Layout // of the rows
	columns []keyColumn
	used    []int // columns of the rows that tell a key
}

// keyColumn is one column of a key.
type keyColumn struct {
	n    *keyNode
	turn bool
	text func(dst, value []byte) ([]byte, error)
}

// keyNode is a type on the path to the compared value, or that of the value.
type keyNode struct {
	s        *schema.Schema
	column   int         // of a simple type
	branches []keyBranch // of a union
	null     int         // of a union: the branch that is null, -1: none
}

// keyBranch is a branch of a union.
type keyBranch struct {
	lengths int      // the column that tells whether a value is of it, -1: it is null, or left out
	n       *keyNode // what is compared of it; nil: nothing
}

// New returns the key of rows by columns; the first counts most.
func New(rows *schema.Selection, by []Column) (*Key, error) {
	l, err := columns.LayOut(rows)
	if err != nil {
		return nil, err
	}
	k := &Key{Watch: -1, layout: l}
	seen := map[string]bool{}
	for _, c := range by {
		if seen[c.Path] && c.Text == nil {
			return nil, fmt.Errorf("%w: %q is given twice", ErrKey, c.Path)
		}
		seen[c.Path] = c.Text == nil
		f := finder{path: c.Path, used: &k.used}
		n, err := f.find(l.Top, c.Path)
		if err != nil {
			return nil, err
		}
		if c.Text != nil && !n.option() {
			return nil, fmt.Errorf("%w: %q is of several types", ErrKey, c.Path)
		}
		turn := f.descending
		if c.Descending != nil {
			turn = *c.Descending
		}
		k.columns = append(k.columns, keyColumn{n: n, turn: turn && c.Text == nil, text: c.Text})
	}
	return k, nil
}

// Plain returns the name of column i of the key among the rows', if each row has one value
// of it and it ascends, else "".
func (k *Key) Plain(i int) string {
	if c := k.columns[i]; c.n.branches == nil && !c.turn {
		return k.layout.Columns[c.n.column].Name
	}
	return ""
}

// Type returns the simple type of column i of the key; for an option the type that is not
// null.
func (k *Key) Type(i int) *schema.Schema { return k.columns[i].n.simple().s }

// option reports whether the compared value is of one simple type, or null, also in a
// record that may be null. Branches that are left out do not count: their values are null.
func (n *keyNode) option() bool {
	if n.branches == nil {
		return true
	}
	kept := 0
	for i, b := range n.branches {
		if b.lengths >= 0 && i != n.null {
			kept++
		}
	}
	return kept == 1 && n.one().option()
}

// one returns the node of the first branch that is compared.
func (n *keyNode) one() *keyNode {
	for _, b := range n.branches {
		if b.n != nil {
			return b.n
		}
	}
	return n
}

// simple returns the node of an option's type.
func (n *keyNode) simple() *keyNode {
	for n.branches != nil {
		n = n.one()
	}
	return n
}

// finder finds what a path leads to.
type finder struct {
	path       string
	descending bool
	used       *[]int
}

func (f *finder) bad(format string, args ...any) error {
	return fmt.Errorf("%w: %q %s", ErrKey, f.path, fmt.Sprintf(format, args...))
}

// find returns what the rest of the path leads to from n.
func (f *finder) find(n *mapper.Node, rest string) (*keyNode, error) {
	switch k := n.Schema.Kind; {
	case k == schema.Union:
		return f.union(n, rest)
	case k == schema.Array || k == schema.Map:
		return nil, f.bad("is, or is in, a type %s: a row may have none or several", k)
	case k == schema.Record && rest != "":
		return f.field(n, rest)
	case k == schema.Record:
		return nil, f.bad("is a record: name its fields")
	case k == schema.Null:
		return nil, f.bad("is null: there is nothing to compare")
	case rest != "" && rest != n.Schema.TypeName():
		return nil, f.bad("leads into %s, which has no fields", n.Schema)
	}
	*f.used = append(*f.used, n.Column)
	return &keyNode{s: n.Schema, column: n.Column}, nil
}

func (f *finder) field(n *mapper.Node, rest string) (*keyNode, error) {
	var names []string
	var first error
	for i := range n.Schema.Fields {
		field := &n.Schema.Fields[i]
		if n.Child(i) == nil && field.Type.Kind != schema.Null {
			continue // left out
		}
		names = append(names, field.Name)
		if more, ok := strings.CutPrefix(rest+".", field.Name+"."); ok { // a name may have dots in it
			f.descending = field.Descending // that of the last field on the path counts
			k, err := f.find(n.Child(i), strings.TrimSuffix(more, "."))
			if err == nil {
				return k, nil
			}
			first = cmp.Or(first, err)
		}
	}
	if first != nil {
		return nil, first
	}
	return nil, fmt.Errorf("%w: there is no %q; there are %s", ErrKey, f.path, strings.Join(names[:min(len(names), 20)], ", "))
}

// union finds the rest of the path in every branch that has it.
func (f *finder) union(n *mapper.Node, rest string) (*keyNode, error) {
	u := &keyNode{s: n.Schema, column: -1, null: -1}
	var first error
	found := false
	for i, s := range n.Schema.Branches {
		b := keyBranch{lengths: -1}
		inner := n.Child(i)
		switch {
		case s.Kind == schema.Null:
			u.null = i
		case inner != nil:
			b.lengths = inner.Lengths
			*f.used = append(*f.used, b.lengths)
			var err error
			if b.n, err = f.find(inner, rest); err == nil {
				found = true
			} else if first == nil {
				first = err
			}
		}
		u.branches = append(u.branches, b)
	}
	if !found && first == nil {
		first = f.bad("has no branch but null")
	}
	if first != nil && (!found || rest == "") {
		return nil, first
	}
	return u, nil
}

// append appends the key of the present row.
func (k *Key) append(dst []byte, row *mapper.Rows) ([]byte, error) {
	for i := range k.columns {
		c := &k.columns[i]
		start := len(dst)
		var err error
		if c.text != nil {
			dst, err = c.text(dst, c.n.value(row))
		} else {
			dst, err = c.n.append(dst, row)
		}
		if err != nil {
			return dst, err
		}
		if c.turn {
			for j := start; j < len(dst); j++ {
				dst[j] = ^dst[j]
			}
		}
	}
	return dst, nil
}

// branchOf returns the branch that the row's value is of.
func (n *keyNode) branchOf(row *mapper.Rows) int {
	for i := range n.branches {
		if at := n.branches[i].lengths; at >= 0 && row.Has(at) {
			return i
		}
	}
	return n.null
}

// value returns the row's value in its encoding, nil for a null.
func (n *keyNode) value(row *mapper.Rows) []byte {
	for n.branches != nil {
		i := n.branchOf(row)
		if i < 0 || n.branches[i].n == nil {
			return nil
		}
		n = n.branches[i].n
	}
	return row.Value(n.column)
}

func (n *keyNode) append(dst []byte, row *mapper.Rows) ([]byte, error) {
	for n.branches != nil {
		i := n.branchOf(row)
		if i < 0 {
			return dst, errors.New("a value of no branch")
		}
		if len(n.branches) > math.MaxUint8 {
			dst = append(dst, byte(i>>8))
		}
		dst = append(dst, byte(i))
		if n = n.branches[i].n; n == nil {
			return dst, nil
		}
	}
	return appendKey(dst, n.s.Kind, row.Value(n.column))
}

// appendKey appends the key's representation of a value.
func appendKey(dst []byte, kind schema.Kind, v []byte) ([]byte, error) {
	if len(v) == 0 {
		return dst, errors.New("a row without the value of a key")
	}
	be := binary.BigEndian
	switch kind {
	case schema.Boolean:
		return append(dst, v[0]&1), nil
	case schema.Int, schema.Enum:
		n, _ := binary.Varint(v)
		return be.AppendUint32(dst, uint32(n)^1<<31), nil
	case schema.Long:
		n, _ := binary.Varint(v)
		return be.AppendUint64(dst, uint64(n)^1<<63), nil
	case schema.Float:
		return be.AppendUint32(dst, floatKey(binary.LittleEndian.Uint32(v))), nil
	case schema.Double:
		return be.AppendUint64(dst, doubleKey(binary.LittleEndian.Uint64(v))), nil
	}
	_, n := binary.Varint(v)
	if kind == schema.Fixed {
		return append(dst, v[n:]...), nil
	}
	return appendText(dst, v[n:]), nil
}

// appendText appends a text to a key, such that keys compare as texts do.
func appendText(dst, text []byte) []byte {
	for _, b := range text {
		dst = append(dst, b)
		if b == 0 {
			dst = append(dst, math.MaxUint8)
		}
	}
	return append(dst, 0, 0)
}

// floatKey turns a float's bits such that they compare as Java orders floats: -0 before
// 0, and every NaN last.
func floatKey(bits uint32) uint32 {
	if bits&0x7fffffff > 0x7f800000 {
		bits = 0x7fc00000
	}
	if bits>>31 == 1 {
		return ^bits
	}
	return bits | 1<<31
}

// doubleKey is floatKey for a double's.
func doubleKey(bits uint64) uint64 {
	if bits&(1<<63-1) > 0x7ff<<52 {
		bits = 0x7ff8 << 48
	}
	if bits>>63 == 1 {
		return ^bits
	}
	return bits | 1<<63
}
