package assembly

import (
	"errors"
	"fmt"
)

// ErrLevels is the error for columns that make no rows: levels that cannot be where they are,
// columns with unequal numbers of rows or elements, more or fewer values than levels say.
var ErrLevels = errors.New("columns do not make rows")

// ErrValue is the error for a value that is none of its type: a string that is no symbol of an
// enum, a number that has no room in a fixed.
var ErrValue = errors.New("value is not of its type")

// ErrLimit is the error for a row that is larger than the limit.
var ErrLimit = errors.New("row is larger than the limit")

// ErrTree is the error of [Compile] for a tree that is not of the leaves.
var ErrTree = errors.New("assembly: the tree does not fit the leaves")

// Error is what is wrong with a row, and where. Errors of a [Column] are not in one: they know
// their place.
type Error struct {
	Column string
	Row    int64 // from 0
	Err    error
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("column %q: row %d: %v", e.Column, e.Row, e.Err) }

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }

func levelsf(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrLevels}, args...)...)
}

func valuef(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrValue}, args...)...)
}
