package reducer

import (
	"errors"
	"fmt"

	"avro2trevni/internal/tuple"
)

// Errors of a group, for errors.Is.
var (
	// ErrRows: the runs of a column do not make up the rows of the range, each once.
	ErrRows = errors.New("reducer: rows missing or twice")
	// ErrRun: a run's bytes do not match its tuple or its column's type.
	ErrRun = errors.New("reducer: malformed run")
	// ErrStage: a staged block did not come back as it was put.
	ErrStage = errors.New("reducer: staged block damaged")
	// ErrOptions: the options contradict each other or are not supported.
	ErrOptions = errors.New("reducer: options")
	// ErrOrder: the value of a row is less than that of the row before it, in a column whose
	// values must not descend. A format tells it, with the row.
	ErrOrder = errors.New("reducer: column is not sorted")
	// ErrLong: a value is too long for a column whose values are looked at.
	ErrLong = errors.New("reducer: value is too long for a column with first values")
	// ErrClosed: the group was closed, or a call on it failed before.
	ErrClosed = errors.New("reducer: group closed or failed")
)

// Error is an error with its place in a group.
type Error struct {
	Column string    // the column's name
	Row    tuple.Row // the first row of the run, or the row that was expected
	Err    error
}

// Error gives column, row and cause.
func (e *Error) Error() string {
	return fmt.Sprintf("reducer: column %q at row %v: %v", e.Column, e.Row, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// rowsError returns an ErrRows with a reason.
func rowsError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrRows, fmt.Sprintf(format, args...))
}

// runError returns an ErrRun with a reason.
func runError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrRun, fmt.Sprintf(format, args...))
}
