package block

import (
	"errors"
	"fmt"
)

var (
	// ErrCorrupt reports contents that are not valid: no Trevni writer wrote them, or they
	// changed since. Every error about a file's bytes matches it with [errors.Is].
	ErrCorrupt = errors.New("trevni: corrupt")
	// ErrMisuse is returned for calls that do not fit a column, such as a value of another
	// type, or one given before its row or its length.
	ErrMisuse = errors.New("trevni: call does not fit the column")
	// ErrUnsupported reports a codec, a checksum or a version of the format that is not
	// known, or is known only for reading.
	ErrUnsupported = errors.New("trevni: unsupported")
)

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

// unsupportedf returns an error that is ErrUnsupported.
func unsupportedf(format string, args ...any) error {
	return &fault{ErrUnsupported, fmt.Errorf(format, args...)}
}
