package stages

import (
	"context"
	"errors"

	"avro2trevni/internal/tuple"
	"avro2trevni/mapper"
)

// ValueError is a value of an input that the files' format cannot store. It names input, row and
// column.
type ValueError struct{ error }

// Unwrap returns the cause.
func (e *ValueError) Unwrap() error { return e.error }

// FindValue returns where in the inputs a value is that cannot be stored, when rows that are
// sorted failed for one: it reads the inputs again, up to the first such value in their order. An
// error of another kind is returned as it is.
func (w *Work) FindValue(ctx context.Context, failed error) error {
	if v := (*mapper.ValueError)(nil); !errors.As(failed, &v) {
		return failed
	}
	reader := NewMapping(w).Reader(ctx)
	defer reader.Close()
	m := mapper.New(w.Program, w.Table.Mapping(), w.Table.NewEncoder(), new(nowhere))
	m.SetRoom(reader.RowRoom())
	for split := range w.Plan.Splits {
		if _, err := reader.MapSplit(ctx, split, m); err != nil {
			return err
		}
	}
	return failed
}

// nowhere takes tuples and forgets them.
type nowhere struct{ buf []byte }

// Buffer implements [mapper.Sink].
func (s *nowhere) Buffer(n int) ([]byte, error) {
	if cap(s.buf) < n {
		s.buf = make([]byte, 0, n)
	}
	return s.buf[:0], nil
}

// Add implements [mapper.Sink].
func (*nowhere) Add(tuple.Tuple) error { return nil }
