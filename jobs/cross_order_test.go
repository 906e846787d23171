package jobs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// sortPaths returns what rows can be sorted by: fields, and branches of unions by their names.
func sortPaths(t *modelType) (paths []string) {
	switch {
	case t.kind == "null" || t.kind == "array" || t.kind == "map":
	case t.simple():
		return []string{"", t.title()}
	case t.kind == "record":
		for _, f := range t.fields {
			for _, p := range sortPaths(f.typ) {
				paths = append(paths, strings.TrimSuffix(f.name+"."+p, "."))
			}
		}
	default:
		simple := !slices.ContainsFunc(t.branches, func(b *modelType) bool { return !b.simple() })
		if simple && slices.ContainsFunc(t.branches, func(b *modelType) bool { return b.kind != "null" }) {
			paths = append(paths, "")
		}
		for _, b := range t.branches {
			paths = append(paths, slices.DeleteFunc(sortPaths(b), func(p string) bool { return p == "" })...)
		}
	}
	return paths
}

// keyOf returns what a value is sorted by: the branches on the way, and what is at the path's end.
func keyOf(t *modelType, path string, v any) []any {
	switch t.kind {
	case "record":
		for i, f := range t.fields {
			if rest, ok := stepInto(path, f.name); ok {
				return keyOf(f.typ, rest, v.([]any)[i])
			}
		}
	case "union":
		b := v.(modelBranch)
		if of := t.branches[b.i]; slices.Contains(sortPaths(of), path) {
			return append([]any{int64(b.i)}, keyOf(of, path, b.value)...)
		}
		return []any{int64(b.i)}
	case "enum":
		return []any{int64(slices.Index(t.symbols, v.(string)))}
	}
	return []any{v}
}

// lastField returns the last field on a path, nil if there is none.
func lastField(t *modelType, path string) *modelField {
	for i := range t.fields {
		if rest, ok := stepInto(path, t.fields[i].name); ok {
			if f := lastField(t.fields[i].typ, rest); f != nil {
				return f
			}
			return &t.fields[i]
		}
	}
	for _, b := range t.branches {
		if f := lastField(b, path); f != nil {
			return f
		}
	}
	return nil
}

// compareKeys orders as Avro's specification does, and floats as Java's Double.compare.
func compareKeys(x, y []any) int {
	for i := range min(len(x), len(y)) {
		c := 0
		switch a := x[i].(type) {
		case bool:
			c = cmp.Compare(fmt.Sprint(a), fmt.Sprint(y[i]))
		case int64:
			c = cmp.Compare(a, y[i].(int64))
		case string:
			c = strings.Compare(a, y[i].(string))
		case float32:
			c = compareFloats(float64(a), float64(y[i].(float32)))
		case float64:
			c = compareFloats(a, y[i].(float64))
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(x), len(y))
}

func compareFloats(x, y float64) int {
	switch {
	case x == 0 && y == 0:
		return cmp.Compare(1/x, 1/y)
	case math.IsNaN(x) || math.IsNaN(y):
		return cmp.Compare(fmt.Sprint(math.IsNaN(x)), fmt.Sprint(math.IsNaN(y)))
	}
	return cmp.Compare(x, y)
}

// keyBytes is about how long a sort key is.
func keyBytes(key []any) (n int) {
	for _, k := range key {
		n += 10
		if s, ok := k.(string); ok {
			n += len(s) + strings.Count(s, "\x00")
		}
	}
	return n
}

// order sorts rows by fields.
func (t *modelType) order(rows []any, by []string) {
	type way struct {
		path string
		down bool
	}
	var ways []way
	for _, name := range by {
		path, how, _ := strings.Cut(name, ":")
		f := lastField(t, path)
		ways = append(ways, way{path, how == "desc" || how == "" && f != nil && f.order == "descending"})
	}
	slices.SortStableFunc(rows, func(a, b any) int {
		for _, w := range ways {
			if c := compareKeys(keyOf(t, w.path, a), keyOf(t, w.path, b)); c != 0 {
				if w.down {
					return -c
				}
				return c
			}
		}
		return 0
	})
}

// partitionType returns the simple type that a path leads to, nil if its values have no one name.
func partitionType(t *modelType, path string) *modelType {
	switch {
	case t.kind == "record":
		for _, f := range t.fields {
			if rest, ok := stepInto(path, f.name); ok {
				return partitionType(f.typ, rest)
			}
		}
		return nil
	case t.kind == "union" && (len(t.branches) > 2 || len(t.branches) == 2 && t.null() < 0):
		return nil
	case t.kind == "union":
		for _, b := range t.branches {
			if b.kind != "null" {
				return partitionType(b, path)
			}
		}
		return nil
	case t.kind == "float" || t.kind == "double" || !t.simple():
		return nil
	}
	return t
}

// folderOf returns the folder of a row.
func folderOf(t *modelType, path string, row any) string {
	return escapeName(path, false) + "=" + folderValue(t, path, row)
}

func folderValue(t *modelType, path string, row any) string {
	const none = "__HIVE_DEFAULT_PARTITION__"
	if pathNulls(t, path, row) {
		return none
	}
	key, leaf := keyOf(t, path, row), partitionType(t, path)
	switch v := key[len(key)-1].(type) {
	case bool:
		return strconv.FormatBool(v)
	case int64:
		day := time.Unix(v*86400, 0).UTC()
		if leaf.kind == "enum" {
			return escapeName(leaf.symbols[v], false)
		} else if leaf.logical == "date" && day.Year() >= 1 && day.Year() <= 9999 {
			return day.Format(time.DateOnly)
		}
		return strconv.FormatInt(v, 10)
	case string:
		if v == none {
			return "%5F" + none[1:]
		} else if v != "" {
			return escapeName(v, leaf.kind != "string")
		}
	}
	return none
}

// pathNulls reports whether a row has null on the way to a path's end, or there.
func pathNulls(t *modelType, path string, v any) bool {
	switch t.kind {
	case "record":
		for i, f := range t.fields {
			if rest, ok := stepInto(path, f.name); ok {
				return pathNulls(f.typ, rest, v.([]any)[i])
			}
		}
	case "union":
		b := v.(modelBranch)
		return pathNulls(t.branches[b.i], path, b.value)
	}
	return t.kind == "null"
}

// escapeName writes a text as Hive names folders.
func escapeName(text string, binary bool) string {
	var b strings.Builder
	for i, r := range text {
		_, n := utf8.DecodeRuneInString(text[i:])
		bad := r < ' ' || r == 0x7f || strings.ContainsRune(`"#%'*/:=?\{}[]^<>|`, r) || i == 0 && r == '.'
		if bad || r == utf8.RuneError && n == 1 || binary && (r == ' ' || r == '.' || r > '~') {
			for _, c := range []byte(text[i : i+n]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteString(text[i : i+n])
		}
	}
	return b.String()
}
