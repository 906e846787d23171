// Package fault has the kinds of errors that trevni and trevni/block share: what callers ask for
// with errors.Is, and errors of a kind with words of their own.
package fault

import (
	"errors"
	"fmt"
)

// The kinds: see package trevni, which has them under the same names.
var (
	ErrCorrupt     = errors.New("trevni: corrupt")
	ErrLimit       = errors.New("trevni: past a limit")
	ErrMisuse      = errors.New("trevni: call does not fit the column")
	ErrUnsupported = errors.New("trevni: unsupported")
)

// fault is an error of a kind, which its text does not tell.
type fault struct {
	kind error
	err  error
}

func (f *fault) Error() string        { return f.err.Error() }
func (f *fault) Is(target error) bool { return target == f.kind }
func (f *fault) Unwrap() error        { return f.err }

// Corruptf returns an error that is ErrCorrupt, worded as by fmt.Errorf.
func Corruptf(format string, args ...any) error {
	return &fault{ErrCorrupt, fmt.Errorf(format, args...)}
}

// Limitf returns an error that is ErrLimit.
func Limitf(format string, args ...any) error {
	return &fault{ErrLimit, fmt.Errorf(format, args...)}
}

// Misusef returns an error that is ErrMisuse, of a caller and not of a file: it begins with
// the library's name, for it comes without a place.
func Misusef(format string, args ...any) error {
	return &fault{ErrMisuse, fmt.Errorf("trevni: "+format, args...)}
}

// Unsupportedf returns an error that is ErrUnsupported.
func Unsupportedf(format string, args ...any) error {
	return &fault{ErrUnsupported, fmt.Errorf(format, args...)}
}
