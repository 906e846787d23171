package avrotest

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"avro2trevni/internal/schema"
)

// Simple returns the paths that lead, through records and unions, to fields of simple
// types, to unions of such, and to the simple branches of a union, by name; but to null
// alone: what rows can be sorted by.
func Simple(s *schema.Schema) []string {
	var paths []string
	var walk func(s *schema.Schema, path string, top bool)
	walk = func(s *schema.Schema, path string, top bool) {
		switch {
		case s.Kind == schema.Record:
			for _, f := range s.Fields {
				walk(f.Type, strings.TrimPrefix(path+"."+f.Name, "."), false)
			}
		case s.Kind == schema.Union:
			if simpleUnion(s) && !top {
				paths = append(paths, path)
			}
			for _, b := range s.Branches {
				if b.Kind == schema.Record {
					walk(b, path, top)
				} else if isSimple(b.Kind) && b.Kind != schema.Null {
					paths = append(paths, strings.TrimPrefix(path+"."+title(b), "."))
				}
			}
		case isSimple(s.Kind) && s.Kind != schema.Null && !top:
			paths = append(paths, path)
		}
	}
	walk(s, "", true)
	return paths
}

// title is what a path calls a branch.
func title(s *schema.Schema) string {
	if s.Name != "" {
		return s.Name
	}
	return s.Kind.String()
}

func isSimple(k schema.Kind) bool { return k.Primitive() || k == schema.Enum || k == schema.Fixed }

// simpleUnion reports whether all branches are simple, and not all null.
func simpleUnion(s *schema.Schema) bool {
	return !slices.ContainsFunc(s.Branches, func(b *schema.Schema) bool { return !isSimple(b.Kind) }) &&
		slices.ContainsFunc(s.Branches, func(b *schema.Schema) bool { return b.Kind != schema.Null })
}

// Compare compares two rows by the field on a path, as Avro's specification orders values:
// the slow, plain way. What is in a branch that has no such field compares by its branch
// alone.
func Compare(s *schema.Schema, path string, a, b []byte) int {
	x, y := find(s, path, a), find(s, path, b)
	for i := range min(len(x), len(y)) {
		if c := compare(x[i], y[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(x), len(y))
}

// find returns the branches on the way to a field, and its value.
func find(s *schema.Schema, path string, row []byte) []any {
	switch s.Kind {
	case schema.Record:
		for i := range s.Fields {
			f := &s.Fields[i]
			if name, rest, _ := strings.Cut(path, "."); name == f.Name {
				return find(f.Type, rest, row)
			}
			_, row = take(f.Type, row)
		}
		return nil
	case schema.Union:
		i, n := binary.Varint(row)
		return append([]any{i}, find(s.Branches[i], path, row[n:])...)
	case schema.Array, schema.Map:
		return nil
	}
	if path != "" && path != title(s) {
		return nil
	}
	v, _ := take(s, row)
	return []any{v}
}

func compare(x, y any) int {
	switch x := x.(type) {
	case int64:
		return cmp.Compare(x, y.(int64))
	case float64:
		return compareFloats(x, y.(float64))
	case string:
		return strings.Compare(x, y.(string))
	}
	return 0 // null
}

// compareFloats orders as Java's Double.compare.
func compareFloats(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case math.IsNaN(x) || math.IsNaN(y):
		return cmp.Compare(b2i(math.IsNaN(x)), b2i(math.IsNaN(y)))
	}
	return cmp.Compare(b2i(math.Signbit(y)), b2i(math.Signbit(x)))
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// take takes a value off the front of a row.
func take(s *schema.Schema, row []byte) (v any, rest []byte) {
	n, k := int64(0), 0
	if s.Kind != schema.Null && s.Kind != schema.Record {
		n, k = binary.Varint(row)
	}
	switch s.Kind {
	case schema.Null:
		return nil, row
	case schema.Boolean:
		return int64(row[0]), row[1:]
	case schema.Int, schema.Long, schema.Enum:
		return n, row[k:]
	case schema.Float:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(row))), row[4:]
	case schema.Double:
		return math.Float64frombits(binary.LittleEndian.Uint64(row)), row[8:]
	case schema.Fixed:
		return string(row[:s.Size]), row[s.Size:]
	case schema.String, schema.Bytes:
		return string(row[k : k+int(n)]), row[k+int(n):]
	case schema.Union:
		return take(s.Branches[n], row[k:])
	case schema.Record:
		for i := range s.Fields {
			_, row = take(s.Fields[i].Type, row)
		}
		return nil, row
	}
	for row = row[k:]; n != 0; { // an array or map, as this package writes them: one block
		for range n {
			if s.Kind == schema.Map {
				_, row = take(&schema.Schema{Kind: schema.String}, row)
			}
			_, row = take(s.Items, row)
		}
		n, k = binary.Varint(row)
		row = row[k:]
	}
	return nil, row
}

// SortBy sorts rows by fields, each by its path; ":desc" after it turns the order. Rows
// that are alike stay in order.
func SortBy(s *schema.Schema, rows [][]byte, fields ...string) {
	slices.SortStableFunc(rows, func(a, b []byte) int {
		for _, f := range fields {
			path, desc := strings.CutSuffix(f, ":desc")
			if c := Compare(s, path, a, b); c != 0 {
				if desc {
					return -c
				}
				return c
			}
		}
		return 0
	})
}
