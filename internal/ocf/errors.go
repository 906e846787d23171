package ocf

import (
	"errors"
	"fmt"
	"io"
)

// Sentinels. An [Error] matches one of the first three by errors.Is; if none, reading
// the file or reserving memory failed, and its cause says how.
var (
	ErrCorrupt = errors.New("ocf: corrupt Avro data file")                   // bytes that no writer writes, or an end too early
	ErrLimit   = errors.New("ocf: limit exceeded")                           // more than [Limits] allow
	ErrCodec   = errors.New("ocf: unknown codec")                            // a codec that is not one of those known
	errUse     = errors.New("ocf: no block: Next was not called, or failed") // a caller's mistake
)

// Error is an error with its place. Cut files also match io.ErrUnexpectedEOF.
type Error struct {
	Path   string // the file
	Block  int64  // offset of the block it lies in, -1 for the header
	Offset int64  // offset of the bytes at fault, of the block if they are compressed
	Kind   error  // ErrCorrupt, ErrLimit, ErrCodec or nil
	Err    error  // the cause
}

// Error names file, block, offset and cause.
func (e *Error) Error() string {
	switch {
	case e.Block < 0:
		return fmt.Sprintf("ocf: %s: header, at %d: %v", e.Path, e.Offset, e.Err)
	case e.Offset == e.Block:
		return fmt.Sprintf("ocf: %s: block at %d: %v", e.Path, e.Block, e.Err)
	}
	return fmt.Sprintf("ocf: %s: block at %d, at %d: %v", e.Path, e.Block, e.Offset, e.Err)
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Kind == nil {
		return []error{e.Err}
	}
	return []error{e.Kind, e.Err}
}

// fault is a cause with its kind, on its way to an Error.
type fault struct{ kind, err error }

func (f *fault) Error() string   { return f.err.Error() }
func (f *fault) Unwrap() []error { return []error{f.kind, f.err} }

func corruptf(format string, args ...any) error {
	return &fault{ErrCorrupt, fmt.Errorf(format, args...)}
}

func limitf(format string, args ...any) error {
	return &fault{ErrLimit, fmt.Errorf(format, args...)}
}

// cutf is corruptf for something that ends too early.
func cutf(format string, args ...any) error {
	return &fault{ErrCorrupt, fmt.Errorf("%w: %w", fmt.Errorf(format, args...), io.ErrUnexpectedEOF)}
}

// place makes an Error of err; a fault gives its kind.
func place(path string, block, offset int64, err error) error {
	e := &Error{Path: path, Block: block, Offset: offset, Err: err}
	if f, ok := err.(*fault); ok {
		e.Kind, e.Err = f.kind, f.err
	}
	return e
}
