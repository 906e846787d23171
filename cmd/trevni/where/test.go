package where

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"avro2trevni/internal/cmdline"
	"avro2trevni/internal/schema"
)

// newTest returns the test of a clause on values of a simple type, and the bounds that it
// sets.
func newTest(c Clause, s *schema.Schema) (t test, low, high any, err error) {
	switch s.Kind {
	case schema.Boolean:
		if c.Value != "true" && c.Value != "false" {
			return t, nil, nil, c.not("true or false")
		}
		v := int64(0)
		if c.Value == "true" {
			v = 1
		}
		t.long = compare(c.Op, v, cmp.Compare)
		low, high = limits(c.Op, v == 1)
	case schema.Int, schema.Long:
		op, v, err := c.whole()
		if err != nil {
			return t, nil, nil, err
		}
		t.long = compare(op, v, cmp.Compare)
		low, high = limits(op, v)
	case schema.Float, schema.Double:
		bits := 64
		if s.Kind == schema.Float {
			bits = 32
		}
		v, err := strconv.ParseFloat(c.Value, bits)
		if err != nil {
			return t, nil, nil, c.number(err)
		}
		t.float = compare(c.Op, v, compareFloats)
		low, high = limits(c.Op, v)
	case schema.Enum:
		i := slices.Index(s.Symbols, c.Value)
		if i < 0 {
			return t, nil, nil, c.noSymbol(s)
		}
		t.long = compare(c.Op, int64(i), cmp.Compare)
		low, high = limits(c.Op, int64(i))
	case schema.String, schema.Bytes, schema.Fixed:
		v, err := c.bytes(s)
		if err != nil {
			return t, nil, nil, err
		}
		t.text = compare(c.Op, v, bytes.Compare)
		low, high = limits(c.Op, v)
	default:
		return t, nil, nil, errors.New(`has only nulls, which "is null" finds`)
	}
	return t, low, high, nil
}

// compare returns the comparison of values with v.
func compare[T any](op Op, v T, order func(a, b T) int) func(T) bool {
	switch op {
	case Equal:
		return func(x T) bool { return order(x, v) == 0 }
	case NotEqual:
		return func(x T) bool { return order(x, v) != 0 }
	case Less:
		return func(x T) bool { return order(x, v) < 0 }
	case AtMost:
		return func(x T) bool { return order(x, v) <= 0 }
	case Greater:
		return func(x T) bool { return order(x, v) > 0 }
	}
	return func(x T) bool { return order(x, v) >= 0 }
}

// limits returns the bounds of values that may do, v itself included.
func limits(op Op, v any) (low, high any) {
	switch op {
	case Equal:
		return v, v
	case Less, AtMost:
		return nil, v
	case Greater, AtLeast:
		return v, nil
	}
	return nil, nil
}

// compareFloats orders numbers: NaN equals NaN and is greater than all others.
func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	return -cmp.Compare(a, b) // at least one is NaN, which package cmp puts first
}

// not says what the value should have been.
func (c Clause) not(what string) error { return fmt.Errorf("value %q is not %s", c.Value, what) }

// number explains what strconv found wrong.
func (c Clause) number(err error) error {
	if errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("value %q is out of range", c.Value)
	}
	return c.not("a number")
}

// whole returns the clause's comparison with a whole number that finds the same whole
// numbers: x > 1.5 is x >= 2.
func (c Clause) whole() (Op, int64, error) {
	v, err := strconv.ParseInt(c.Value, 10, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		if err != nil {
			err = c.number(err)
		}
		return c.Op, v, err
	}
	f, err := strconv.ParseFloat(c.Value, 64)
	switch {
	case err != nil:
		return c.Op, 0, c.number(err)
	case math.IsNaN(f) || f != math.Trunc(f) && (c.Op == Equal || c.Op == NotEqual):
		return c.Op, 0, c.not("a whole number")
	case math.Abs(f) >= 1<<63:
		return c.Op, 0, fmt.Errorf("value %q is out of range", c.Value)
	case f == math.Trunc(f):
		return c.Op, int64(f), nil
	case c.Op == Less || c.Op == AtMost:
		return AtMost, int64(math.Floor(f)), nil
	}
	return AtLeast, int64(math.Ceil(f)), nil
}

func (c Clause) noSymbol(s *schema.Schema) error {
	if near := cmdline.Closest(c.Value, s.Symbols); near != "" {
		return fmt.Errorf("value %q is not a symbol of enum %s: did you mean %q?", c.Value, s.Name, near)
	}
	return c.not("a symbol of enum " + s.Name)
}

// bytes returns the value of a string as it is; bytes are written as cat prints them, between
// the quotes.
func (c Clause) bytes(s *schema.Schema) ([]byte, error) {
	if s.Kind == schema.String {
		return []byte(c.Value), nil
	}
	var text string
	if err := json.Unmarshal([]byte(`"`+c.Value+`"`), &text); err != nil {
		return nil, c.not("the inside of a JSON string")
	}
	b := []byte{}
	for _, r := range text {
		if r > math.MaxUint8 {
			return nil, c.not("of characters U+0000 to U+00FF, each a byte")
		}
		b = append(b, byte(r))
	}
	if s.Kind == schema.Fixed && int64(len(b)) != s.Size && (c.Op == Equal || c.Op == NotEqual) {
		return nil, fmt.Errorf("value %q has %d bytes, fixed %s has %d", c.Value, len(b), s.Name, s.Size)
	}
	return b, nil
}
