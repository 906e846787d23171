package trevni

import (
	"fmt"
	"strings"

	"avro2trevni/trevni/internal/fault"
)

var (
	// ErrCorrupt reports contents that are not valid: no Trevni writer wrote them, or they
	// changed since. Every error about a file's bytes matches it with [errors.Is].
	ErrCorrupt = fault.ErrCorrupt
	// ErrLimit reports a file that exceeds a limit of [ReaderOptions], or of the depth of
	// its columns. A higher limit, where there is an option for it, lets it be read.
	ErrLimit = fault.ErrLimit
	// ErrMisuse is returned for calls that do not fit a column, such as a value of another
	// type, or one given before its row or its length.
	ErrMisuse = fault.ErrMisuse
	// ErrUnsupported reports a codec, a checksum or a version of the format that this
	// package does not have, or has only for reading.
	ErrUnsupported = fault.ErrUnsupported
)

// Error is an error of reading a file, with its place. Its cause is in the chain:
// [ErrCorrupt], [ErrLimit], [ErrUnsupported], or an error of the [io.ReaderAt].
type Error struct {
	Path   string // the file's name, from ReaderOptions; "" if none was given
	Column string // the column's name; "" in the header
	Block  int    // the block's number in its column; negative in the header and descriptors
	Offset int64  // offset in the file
	Err    error
}

// Error returns place and cause in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("trevni: ")
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	if e.Column != "" {
		fmt.Fprintf(&b, "column %q ", e.Column)
	}
	if e.Block >= 0 {
		fmt.Fprintf(&b, "block %d ", e.Block)
	}
	fmt.Fprintf(&b, "at %d: %v", e.Offset, e.Err)
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
