package record

import (
	"errors"
	"fmt"
	"io"

	"avro2trevni/internal/schema"
	"avro2trevni/trevni"
)

// Errors of this package. What is wrong with a file's bytes is [trevni.ErrCorrupt].
var (
	ErrNoSchema  = errors.New("record: file has no schema, so that its columns cannot be put together to records")
	ErrMismatch  = errors.New("record: wanted schema does not fit the file's")
	ErrColumns   = errors.New("record: file's columns are not those of its schema")
	ErrRecursive = errors.New("record: a recursive schema has no columns")
	ErrNoDefault = schema.ErrNoDefault // a field is not in the file and has no default
	ErrDefault   = schema.ErrDefault   // a default does not fit its type
	ErrNoMatch   = errors.New("record: value is not one that the wanted schema has")
	ErrNoField   = schema.ErrNoField // a path leads nowhere
	ErrRange     = errors.New("record: no such row")
	ErrLimit     = errors.New("record: row is larger than the limit")
	ErrDatum     = errors.New("record: bytes are no row of the schema") // given to a Writer
	ErrTooWide   = errors.New("record: schema has too many columns")    // of a Writer
)

// Error is an error of a file's contents, with its place.
type Error struct {
	Column string // the column's name
	Block  int    // the number of the block in the column
	Row    int64  // the row in work, from 0
	Err    error  // [trevni.ErrCorrupt], [ErrNoMatch] or [ErrLimit] is in its chain
}

// Error returns place and cause in one line.
func (e *Error) Error() string {
	return fmt.Sprintf("record: column %q block %d row %d: %v", e.Column, e.Block, e.Row, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// keySchema is the file metadata that holds the schema.
const keySchema = "avro.schema"

// corruptf makes an error that is [trevni.ErrCorrupt].
func corruptf(format string, args ...any) error {
	return fmt.Errorf("%w: %w", trevni.ErrCorrupt, fmt.Errorf(format, args...))
}

// errCut says that a block ends inside a row.
var errCut = corruptf("block ends inside a row: %w", io.ErrUnexpectedEOF)

// errLong is the error for a varint that ReadLong could not read, n being what it
// returned.
func errLong(n int) error {
	if n == 0 {
		return errCut
	}
	return corruptf("number of more than 64 bits")
}
