package where

import (
	"errors"
	"regexp"
	"strings"
)

// Op is how a value is compared.
type Op uint8

// The comparisons.
const (
	Equal Op = iota
	NotEqual
	Less
	AtMost
	Greater
	AtLeast
	IsNull
	NotNull
)

// Clause is one condition.
type Clause struct {
	Column string // the path of a field
	Op     Op
	Value  string // to compare with; "" for the last two
}

// operators are the words of comparisons, the longer ones first.
var operators = []struct {
	word string
	op   Op
}{
	{"==", Equal}, {"!=", NotEqual}, {"<>", NotEqual}, {"<=", AtMost}, {">=", AtLeast}, {"=", Equal}, {"<", Less}, {">", Greater},
}

// errForm is the error of a text that is no clause.
var errForm = errors.New(`not a condition like "state = AK", "latitude >= 60" or "name is null"`)

var nullForm = regexp.MustCompile(`(?i)^([^=!<>]*\S)\s+is\s+(not\s+)?null\s*$`)

// Parse parses COLUMN = VALUE, with = != < <= > or >=, or COLUMN is null, COLUMN is not null.
// Spaces around the operator do not count. A value may stand in quotes of either kind, inside
// of which a quote is doubled; without quotes, null means null.
func Parse(text string) (Clause, error) {
	if m := nullForm.FindStringSubmatch(text); m != nil {
		c := Clause{Column: strings.TrimSpace(m[1]), Op: IsNull}
		if m[2] != "" {
			c.Op = NotNull
		}
		return c, nil
	}
	at := strings.IndexAny(text, "=!<>")
	if at < 0 {
		return Clause{}, errForm
	}
	c := Clause{Column: strings.TrimSpace(text[:at])}
	for _, o := range operators {
		if rest, ok := strings.CutPrefix(text[at:], o.word); ok && c.Column != "" {
			c.Op = o.op
			return c.with(strings.TrimSpace(rest))
		}
	}
	return Clause{}, errForm
}

// with returns the clause with a value as it was typed.
func (c Clause) with(value string) (Clause, error) {
	for _, quote := range []string{`'`, `"`} {
		inner, ok := strings.CutPrefix(value, quote)
		if !ok {
			continue
		}
		inner, closed := strings.CutSuffix(inner, quote)
		single := strings.ReplaceAll(inner, quote+quote, "")
		if !closed || strings.Contains(single, quote) {
			return Clause{}, errors.New("the quotes around the value are not closed")
		}
		c.Value = strings.ReplaceAll(inner, quote+quote, quote)
		return c, nil
	}
	if strings.EqualFold(value, "null") {
		switch c.Op {
		case Equal:
			return Clause{Column: c.Column, Op: IsNull}, nil
		case NotEqual:
			return Clause{Column: c.Column, Op: NotNull}, nil
		}
		return Clause{}, errors.New(`null is neither less nor greater than a value: use "is null"`)
	}
	c.Value = value
	return c, nil
}
