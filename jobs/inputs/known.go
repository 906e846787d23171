package inputs

import (
	"errors"
	"fmt"

	"avro2trevni/internal/ocf"
	"avro2trevni/mapper"
)

// Known is what is known of an input that was read from its start to its end.
type Known struct {
	Firsts []int64   // of each of its segments, where its first block is tried; the file's size if none is
	Gaps   []ocf.Gap // in order; none: the file is whole
	Blocks int64     // that are whole
	Rows   int64     // of those
	Err    error     // what was wrong in the first gap, with file and place
}

// lost is what is known of an input whose header cannot be used.
func (in *Input) lost(err error) *Known {
	return &Known{Gaps: []ocf.Gap{{Offset: 0, End: in.Size, Blocks: 1, Rows: -1}}, Err: err}
}

// Damage says that an input is damaged, or looks so.
type Damage struct {
	Input int // its index in the plan
	// Doubt: the segment began at bytes that only look like the end of a block, or the
	// file's segments don't meet. Its data may hold its own sync marker. Only reading it
	// from its start tells.
	Doubt bool
	Err   error // names file and place
}

// Error returns the message of what was found.
func (e *Damage) Error() string { return e.Err.Error() }

// Unwrap returns what was found.
func (e *Damage) Unwrap() error { return e.Err }

// RowError is the failure of a row whose value cannot be used, though it was read well: it has
// no key. It is no damage, unless the row is of a block that is damaged.
type RowError struct{ Err error }

// Error returns the message of what is wrong with the row.
func (e *RowError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong with the row.
func (e *RowError) Unwrap() error { return e.Err }

// Damaged reports whether an error is one of an input's data: not of reading them, nor
// of the job.
func Damaged(err error) bool {
	var row *mapper.Error
	return errors.As(err, &row) || errors.Is(err, ocf.ErrCorrupt) || errors.Is(err, ocf.ErrLimit)
}

// Named adds the file to an error of the input's data that does not name it, and the remedy
// where there is one.
func (in *Input) Named(err error) error {
	var row *mapper.Error
	if errors.As(err, &row) {
		err = fmt.Errorf("%s: %w", in.Path, err)
	}
	if errors.Is(err, ocf.ErrLimit) {
		err = fmt.Errorf("%w; --max-block-bytes raises the limit", err)
	}
	return err
}

// WithLoss adds to what is wrong with a block what leaving it out would lose.
func WithLoss(err error, gap ocf.Gap) error {
	return fmt.Errorf("%w; --on-corrupt skip-block would leave out %s", err, gap)
}
