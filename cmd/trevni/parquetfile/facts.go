package parquetfile

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"avro2trevni/parquet"
	"avro2trevni/parquet/reader"
)

// facts are what entries are, counted.
type facts struct {
	leaf     *reader.Node
	order    order
	entries  int64
	rows     int64
	nulls    int64 // entries without a value
	nans     int64
	def, rep []int64 // entries by level
	min, max []byte  // nil if there is no value, or no order
}

// order compares two values of a column, as bytes of a batch: nil if they have none.
type order func(a, b []byte) int

func newFacts(leaf *reader.Node, o order) facts {
	return facts{leaf: leaf, order: o, def: make([]int64, leaf.MaxDef+1), rep: make([]int64, leaf.MaxRep+1)}
}

// add adds a batch.
func (f *facts) add(b *reader.Batch) {
	f.levels(b)
	if f.order == nil {
		return
	}
	for i := range b.Values.N {
		v := b.Values.Bytes(i)
		if isNaN(f.leaf, v) {
			f.nans++
			continue
		}
		if f.min == nil || f.order(v, f.min) < 0 {
			f.min = append(f.min[:0:0], v...)
			if f.min == nil {
				f.min = []byte{}
			}
		}
		if f.max == nil || f.order(v, f.max) > 0 {
			f.max = append(f.max[:0:0], v...)
			if f.max == nil {
				f.max = []byte{}
			}
		}
	}
}

// levels adds the levels of a batch.
func (f *facts) levels(b *reader.Batch) {
	n := int64(b.N)
	f.entries += n
	if b.Def == nil {
		f.def[0] += n
	}
	for _, d := range b.Def {
		f.def[d]++
		if int(d) < f.leaf.MaxDef {
			f.nulls++
		}
	}
	if b.Rep == nil {
		f.rep[0] += n
		f.rows += n
	}
	for _, r := range b.Rep {
		f.rep[r]++
		if r == 0 {
			f.rows++
		}
	}
}

// join adds others.
func (f *facts) join(o *facts) {
	f.entries, f.rows, f.nulls, f.nans = f.entries+o.entries, f.rows+o.rows, f.nulls+o.nulls, f.nans+o.nans
	for i, n := range o.def {
		f.def[i] += n
	}
	for i, n := range o.rep {
		f.rep[i] += n
	}
	if o.min == nil {
		return
	}
	if f.min == nil || f.order(o.min, f.min) < 0 {
		f.min = o.min
	}
	if f.max == nil || f.order(o.max, f.max) > 0 {
		f.max = o.max
	}
}

// said is what a file says of values.
type said struct {
	min, max           []byte
	minExact, maxExact bool
	nulls, nans        int64 // negative: nothing
	def, rep           []int64
}

// bounds compares facts with what is said of them.
func (w *chunkCheck) bounds(at int64, where string, f *facts, s said) {
	if s.nulls >= 0 && s.nulls != f.nulls && w.lists {
		w.wrong(at, "%d nulls; %s says %d", f.nulls, where, s.nulls)
	}
	if s.nans >= 0 && f.order != nil && s.nans != f.nans {
		w.wrong(at, "%d values are NaN; %s says %d", f.nans, where, s.nans)
	}
	if len(s.def) > 0 && !slices.Equal(s.def, f.def) {
		w.wrong(at, "entries by definition level are %d; %s says %d", f.def, where, s.def)
	}
	if len(s.rep) > 0 && !slices.Equal(s.rep, f.rep) {
		w.wrong(at, "entries by repetition level are %d; %s says %d", f.rep, where, s.rep)
	}
	if f.min == nil {
		return
	}
	width := f.leaf.Width()
	if s.min != nil && (width > 0 && len(s.min) != width || w.off(s.min, f.min, s.minExact, 1)) {
		w.wrong(at, "the least value is %.40x; %s says %.40x", f.min, where, s.min)
	}
	if s.max != nil && (width > 0 && len(s.max) != width || w.off(s.max, f.max, s.maxExact, -1)) {
		w.wrong(at, "the greatest value is %.40x; %s says %.40x", f.max, where, s.max)
	}
}

// off reports whether a bound is none: on the wrong side of the value, or, if it is exact,
// another.
func (w *chunkCheck) off(bound, value []byte, exact bool, side int) bool {
	c := w.order(bound, value)
	return c == side || exact && c != 0
}

func isNaN(n *reader.Node, v []byte) bool {
	switch {
	case n.Type == parquet.Float:
		return math.IsNaN(float64(math.Float32frombits(uint32(number(v)))))
	case n.Type == parquet.Double:
		return math.IsNaN(math.Float64frombits(number(v)))
	}
	return false
}

// orderOf returns the order of a column's values (ColumnOrders of the specification).
func orderOf(n *reader.Node) order {
	l := n.Logical
	switch n.Type {
	case parquet.Boolean:
		return bytes.Compare
	case parquet.Int32, parquet.Int64:
		if l.Kind == reader.IntType && !l.Signed {
			return func(a, b []byte) int { return cmp.Compare(number(a), number(b)) }
		}
		shift := 64 - 8*n.Width()
		return func(a, b []byte) int { return cmp.Compare(int64(number(a)<<shift), int64(number(b)<<shift)) }
	case parquet.Float:
		return func(a, b []byte) int {
			return cmp.Compare(math.Float32frombits(uint32(number(a))), math.Float32frombits(uint32(number(b))))
		}
	case parquet.Double:
		return func(a, b []byte) int {
			return cmp.Compare(math.Float64frombits(number(a)), math.Float64frombits(number(b)))
		}
	case reader.Int96:
		return nil
	}
	switch l.Kind {
	case reader.DecimalType:
		return signed
	case reader.IntervalType, reader.Float16Type, reader.GeometryType, reader.GeographyType, reader.VariantType:
		return nil
	}
	return bytes.Compare
}

// signed compares big-endian numbers in two's complement, of any lengths.
func signed(a, b []byte) int {
	a, b = trimmed(a), trimmed(b)
	negative := len(a) > 0 && a[0] >= 0x80
	if other := len(b) > 0 && b[0] >= 0x80; negative != other {
		if negative {
			return -1
		}
		return 1
	}
	c := cmp.Compare(len(a), len(b))
	if c != 0 && negative {
		return -c
	}
	if c != 0 {
		return c
	}
	return bytes.Compare(a, b)
}

// trimmed takes off the bytes in front that only repeat the sign.
func trimmed(b []byte) []byte {
	for len(b) > 1 && (b[0] == 0 && b[1] < 0x80 || b[0] == 0xff && b[1] >= 0x80) {
		b = b[1:]
	}
	return b
}
