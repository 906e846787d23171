package reader

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"avro2trevni/parquet"
)

var (
	// ErrCorrupt reports contents that are not valid: no writer wrote them, or they changed
	// since. Every error about a file's bytes matches it with [errors.Is].
	ErrCorrupt = parquet.ErrCorrupt
	// ErrLimit reports a file that exceeds a limit of [Options].
	ErrLimit = errors.New("parquet: past a limit")
	// ErrUnsupported reports a valid file, or a column of it, that this package cannot read.
	ErrUnsupported = errors.New("parquet: unsupported")
)

// Error is an error of reading a file, with its place. Its cause is in the chain: [ErrCorrupt],
// [ErrLimit], [ErrUnsupported], or an error of the [io.ReaderAt].
type Error struct {
	Path     string // the file's name, from Options; "" if none was given
	Column   string // names from below the root to the leaf, with dots between; "" in the footer
	RowGroup int    // from 0; negative if unknown
	Page     int    // among the chunk's pages, from 0; negative outside of them
	Offset   int64  // in the file: of the page's header, or of the structure that is damaged
	Err      error
}

// Error returns place and cause in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("parquet: ")
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	if e.Column != "" {
		fmt.Fprintf(&b, "column %q ", e.Column)
	}
	if e.RowGroup >= 0 {
		fmt.Fprintf(&b, "row group %d ", e.RowGroup)
	}
	if e.Page >= 0 {
		fmt.Fprintf(&b, "page %d ", e.Page)
	}
	fmt.Fprintf(&b, "at %d: %v", e.Offset, e.Err)
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// fault is an error of a kind, which its text does not name.
type fault struct {
	kind error
	err  error
}

func (f *fault) Error() string        { return f.err.Error() }
func (f *fault) Is(target error) bool { return target == f.kind }
func (f *fault) Unwrap() error        { return f.err }

func corruptf(format string, args ...any) error {
	return &fault{ErrCorrupt, fmt.Errorf(format, args...)}
}

func limitf(format string, args ...any) error {
	return &fault{ErrLimit, fmt.Errorf(format, args...)}
}

func unsupportedf(format string, args ...any) error {
	return &fault{ErrUnsupported, fmt.Errorf(format, args...)}
}

// readError makes the end of a file that is shorter than its size ErrCorrupt, and leaves other
// errors as they are.
func readError(err error) error {
	if err == nil { // against the contract of io.ReaderAt, as some storage does
		return fmt.Errorf("short read: %w", io.ErrUnexpectedEOF)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return corruptf("file is shorter than its size: %w", io.ErrUnexpectedEOF)
	}
	return err
}
