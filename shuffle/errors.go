package shuffle

import (
	"errors"
	"fmt"
	"io"
)

// Sentinels, for errors.Is.
var (
	// ErrCorrupt means that a run file does not hold what was written to it.
	ErrCorrupt = errors.New("shuffle: corrupt run file")
	// ErrOverlap means that two tuples of a column hold the same row.
	ErrOverlap = errors.New("shuffle: tuples overlap")
	// ErrTuple is returned by Add for a tuple that is not well formed.
	ErrTuple = errors.New("shuffle: malformed tuple")
	// ErrMemory means that Options.Memory is too small; the message says what is needed.
	ErrMemory = errors.New("shuffle: memory too small")
	// ErrReleased means that rows were asked for that Release had given up.
	ErrReleased = errors.New("shuffle: rows already released")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("shuffle: closed")
)

// Error is a failure to read a place in a run file.
type Error struct {
	Path   string // the run file
	Offset int64  // bytes from its start
	Err    error  // wraps ErrCorrupt, or is the file system's
}

// Error returns the message with path and offset.
func (e *Error) Error() string {
	return fmt.Sprintf("shuffle: run file %s at %d: %v", e.Path, e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// readError is the error for a failed or short read at off.
func readError(path string, off int64, err error) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%w: short read: %w", ErrCorrupt, io.ErrUnexpectedEOF)
	}
	return &Error{Path: path, Offset: off, Err: err}
}

// corrupt is the error for bytes at off that cannot be right.
func corrupt(path string, off int64, what string) error {
	return &Error{Path: path, Offset: off, Err: fmt.Errorf("%w: %s", ErrCorrupt, what)}
}

// ValueError is an [ErrMemory] for one value that the memory has no room for; [MemoryFor]
// tells what would do.
type ValueError struct {
	Need int64 // bytes that the value takes among the chunks
	err  error
}

func (e *ValueError) Error() string { return e.err.Error() }

// Unwrap returns what wraps [ErrMemory].
func (e *ValueError) Unwrap() error { return e.err }
