package trevni

import (
	"errors"
	"fmt"
	"strings"

	"avro2trevni/trevni/block"
)

var (
	// ErrCorrupt reports contents that are not valid: no Trevni writer wrote them, or they
	// changed since. Every error about a file's bytes matches it with [errors.Is].
	ErrCorrupt = block.ErrCorrupt
	// ErrLimit reports a file that exceeds a limit of [ReaderOptions], or of the depth of
	// its columns. A higher limit, where there is an option for it, lets it be read.
	ErrLimit = errors.New("trevni: past a limit")
	// ErrMisuse is returned for calls that do not fit a column, such as a value of another
	// type, or one given before its row or its length.
	ErrMisuse = block.ErrMisuse
	// ErrUnsupported reports a codec, a checksum or a version of the format that this
	// package does not have, or has only for reading.
	ErrUnsupported = block.ErrUnsupported
)

// Error is an error of reading a file, and where it was met. Its cause is in the
// chain: [ErrCorrupt], [ErrLimit], [ErrUnsupported], or what the [io.ReaderAt] gave.
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

// fault is a cause of one of the sentinels' kinds, with its own words.
type fault struct {
	kind error
	err  error
}

func (f *fault) Error() string        { return f.err.Error() }
func (f *fault) Is(target error) bool { return target == f.kind }
func (f *fault) Unwrap() error        { return f.err }

// corruptf returns an error that is ErrCorrupt, worded as by fmt.Errorf.
func corruptf(format string, args ...any) error {
	return &fault{ErrCorrupt, fmt.Errorf(format, args...)}
}

// misusef returns an error that is ErrMisuse: of a caller, not of a file.
func misusef(format string, args ...any) error {
	return &fault{ErrMisuse, fmt.Errorf("trevni: "+format, args...)}
}

// limitf returns an error that is ErrLimit.
func limitf(format string, args ...any) error {
	return &fault{ErrLimit, fmt.Errorf(format, args...)}
}

// unsupportedf returns an error that is ErrUnsupported.
func unsupportedf(format string, args ...any) error {
	return &fault{ErrUnsupported, fmt.Errorf(format, args...)}
}
