// Package colname finds a Trevni column by what people call it: its own name, or the
// path of the Avro field that it was shredded from.
//
//	column                   path
//	user#name                user.name
//	latitude/double          latitude
//	items[]                  items
//	items[]#price/ns.Money   items.price
//	attrs>key                attrs.key
//
// A path may fit several columns, for a union has one a branch, and an array of records
// one for its lengths; then it names none of them.
package colname

import (
	"errors"
	"fmt"
	"strings"
)

// Errors of [Find].
var (
	ErrUnknown   = errors.New("no such column")
	ErrAmbiguous = errors.New("several columns are of this field")
)

// Find returns the index of a name among those of columns, else of the only one of a field's
// path. If there is none the error is [ErrUnknown]; if there are several
// [ErrAmbiguous], and names them.
func Find(columns []string, name string) (int, error) {
	var fit []int
	for i := range columns {
		if columns[i] == name {
			return i, nil
		}
		if Path(columns[i]) == name {
			fit = append(fit, i)
		}
	}
	switch {
	case len(fit) == 0:
		return -1, fmt.Errorf("%q: %w", name, ErrUnknown)
	case len(fit) > 1:
		return -1, fmt.Errorf("%q: %w: %s", name, ErrAmbiguous, quoted(columns, fit))
	}
	return fit[0], nil
}

// maxShown is how many candidates an error names.
const maxShown = 10

func quoted(columns []string, fit []int) string {
	var names []string
	for _, i := range fit[:min(len(fit), maxShown)] {
		names = append(names, fmt.Sprintf("%q", columns[i]))
	}
	if more := len(fit) - maxShown; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// Path returns the path of the field that a column is of, with dots between names:
// its own name without the branches of unions and the brackets of arrays.
func Path(column string) string {
	var b strings.Builder
	for branch := false; column != ""; column = column[1:] {
		switch c := column[0]; {
		case c == '/':
			branch = true
		case c == '[', c == ']':
			branch = false
		case c == '#', c == '>':
			branch = false
			if len(column) > 1 {
				b.WriteByte('.')
			}
		case !branch:
			b.WriteByte(c)
		}
	}
	return strings.ReplaceAll(b.String(), "..", ".")
}
