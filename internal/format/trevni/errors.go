package trevni

import (
	"fmt"

	"avro2trevni/reducer"
)

// rowsError returns a [reducer.ErrRows] with a reason.
func rowsError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", reducer.ErrRows, fmt.Sprintf(format, args...))
}

// runError returns a [reducer.ErrRun] with a reason.
func runError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", reducer.ErrRun, fmt.Sprintf(format, args...))
}
