package block

import "avro2trevni/trevni/internal/fault"

var (
	// ErrCorrupt reports contents that are not valid: no Trevni writer wrote them, or they
	// changed since. Every error about a file's bytes matches it with [errors.Is].
	ErrCorrupt = fault.ErrCorrupt
	// ErrMisuse is returned for calls that do not fit a column, such as a value of another
	// type, or one given before its row or its length.
	ErrMisuse = fault.ErrMisuse
	// ErrUnsupported reports a codec, a checksum or a version of the format that is not
	// known, or is known only for reading.
	ErrUnsupported = fault.ErrUnsupported
)
