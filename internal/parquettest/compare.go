package parquettest

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
)

// A value of the canonical form is nil, a bool, a json.Number, a string, a []any, or fields.
type fields []member

type member struct {
	name string
	v    any
}

// allowance is what a reader makes otherwise, and is known for.
type allowance struct {
	renames  bool // fields without a name, and of names that differ by case alone, are renamed
	unscaled bool // decimals stored as integers come as these
	mapped   bool // a map's entries come in any order, of equal keys the last alone
}

// errMore is a difference of counts.
var errMore = errors.New("rows")

// compareFiles compares a file of canonical rows with several, one after the other, and returns
// the first difference as an error.
func compareFiles(want string, got []string, a allowance) error {
	w, err := os.Open(want)
	if err != nil {
		return err
	}
	defer w.Close()
	var parts []io.Reader
	for _, path := range got {
		g, err := os.Open(path)
		if err != nil {
			return err
		}
		defer g.Close()
		parts = append(parts, g)
	}
	return compareRows(w, io.MultiReader(parts...), a)
}

func compareRows(want, got io.Reader, a allowance) error {
	w, g := bufio.NewReader(want), bufio.NewReader(got)
	for row := 0; ; row++ {
		x, errX := w.ReadBytes('\n')
		y, errY := g.ReadBytes('\n')
		switch {
		case errX == io.EOF && errY == io.EOF:
			return nil
		case errX == io.EOF:
			return fmt.Errorf("more %w than %d", errMore, row)
		case errY == io.EOF:
			return fmt.Errorf("only %d %w", row, errMore)
		case errX != nil || errY != nil:
			return errors.Join(errX, errY)
		case bytes.Equal(x, y):
			continue
		}
		v, err := parse(x)
		if err != nil {
			return fmt.Errorf("wanted row %d: %w", row, err)
		}
		u, err := parse(y)
		if err != nil {
			return fmt.Errorf("row %d: %w", row, err)
		}
		if path, ok := a.equal(v, u); !ok {
			return fmt.Errorf("row %d: %s", row, path)
		}
	}
}

// equal compares two values, and describes where they differ.
func (a allowance) equal(want, got any) (what string, ok bool) {
	switch w := want.(type) {
	case fields:
		if g, ok := got.(fields); ok {
			return a.fields(w, g)
		}
	case []any:
		if g, ok := got.([]any); ok {
			return a.list(w, g)
		}
	case string:
		if digits, is := strings.CutPrefix(w, "n:"); is && a.unscaled {
			if g, ok := got.(json.Number); ok && unscaled(digits) == string(g) {
				return "", true
			}
		}
		if g, ok := got.(string); ok && w == g {
			return "", true
		}
	default:
		if want == got {
			return "", true
		}
	}
	return fmt.Sprintf(": %s, want %s", brief(got), brief(want)), false
}

// unscaled returns a decimal's digits without the point, as an integer's.
func unscaled(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign = "-"
	}
	digits = strings.TrimLeft(strings.Replace(digits[len(sign):], ".", "", 1), "0")
	if digits == "" {
		return "0"
	}
	return sign + digits
}

func (a allowance) fields(want, got fields) (string, bool) {
	if len(want) != len(got) {
		return fmt.Sprintf(": %d fields, want %d: %s, want %s", len(got), len(want), brief(got), brief(want)), false
	}
	for i, w := range want {
		if got[i].name != w.name && !(a.renames && odd(want, i)) {
			return fmt.Sprintf(": a field %q, want %q", got[i].name, w.name), false
		}
		if what, ok := a.equal(w.v, got[i].v); !ok {
			return "." + w.name + what, false
		}
	}
	return "", true
}

// odd reports whether field i has a name that some readers do not leave as it is.
func odd(of fields, i int) bool {
	return of[i].name == "" || slices.ContainsFunc(of[:i], func(m member) bool { return strings.EqualFold(m.name, of[i].name) })
}

func (a allowance) list(want, got []any) (string, bool) {
	if a.mapped && isMap(want) && isMap(got) {
		want, got = byKey(want), byKey(got)
	}
	for i := range min(len(want), len(got)) {
		if what, ok := a.equal(want[i], got[i]); !ok {
			return fmt.Sprintf("[%d]%s", i, what), false
		}
	}
	if len(want) != len(got) {
		return fmt.Sprintf(": %d elements, want %d", len(got), len(want)), false
	}
	return "", true
}

// isMap reports whether a list may be a map.
func isMap(list []any) bool {
	for _, v := range list {
		f, ok := v.(fields)
		if !ok || len(f) != 2 || f[0].name != "key" || f[1].name != "value" {
			return false
		}
		if _, ok := f[0].v.(string); !ok {
			return false
		}
	}
	return true
}

// byKey returns a map's entries sorted, of equal keys the last.
func byKey(list []any) (out []any) {
	last := map[string]any{}
	for _, v := range list {
		last[v.(fields)[0].v.(string)] = v
	}
	for _, v := range last {
		out = append(out, v)
	}
	slices.SortFunc(out, func(x, y any) int {
		return strings.Compare(x.(fields)[0].v.(string), y.(fields)[0].v.(string))
	})
	return out
}

// brief shows a value, shortened; floats as numbers too.
func brief(v any) string {
	if s, ok := v.(string); ok && strings.HasPrefix(s, "d:") {
		if b, err := hex.DecodeString(s[2:]); err == nil && len(b) == 8 {
			var bits uint64
			for _, c := range b {
				bits = bits<<8 | uint64(c)
			}
			return fmt.Sprintf("%s (%v)", s, math.Float64frombits(bits))
		}
	}
	text := fmt.Sprintf("%v", v)
	if s, ok := v.(string); ok {
		text = fmt.Sprintf("%q", s)
	}
	if v == nil {
		text = "null"
	}
	if len(text) > 80 {
		text = text[:80] + "..."
	}
	return text
}

// parse parses a line, with fields in their order.
func parse(line []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	return parseValue(d)
}

func parseValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := parseValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	case json.Delim('{'):
		f := fields{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := parseValue(d)
			if err != nil {
				return nil, err
			}
			f = append(f, member{name.(string), v})
		}
		_, err := d.Token()
		return f, err
	}
	return token, nil
}
