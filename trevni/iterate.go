package trevni

import (
	"io"
	"iter"
)

// Values and lengths that are read at once by the iterators.
const iterateBatch = 256

// All returns an iterator over what is left for a batch read of a [ColumnReader],
// given as a method value: All(c.ReadLongs). An error comes last, with a zero value;
// the end is none. It reads ahead: a loop that is left early leaves the reader
// somewhere behind, and SeekRow is needed before it is used again.
func All[T any](read func([]T) (int, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		batch := make([]T, iterateBatch)
		for {
			n, err := read(batch)
			for _, v := range batch[:n] {
				if !yield(v, nil) {
					return
				}
			}
			if err != nil {
				if err != io.EOF {
					var none T
					yield(none, err)
				}
				return
			}
		}
	}
}

// Sequences returns an iterator over the sequences of values that are left in an
// array column, read by one of its methods: Sequences(c, c.ReadBytes). Each is valid
// until the next. Errors, and loops that are left early, are as with [All].
func Sequences[T any](c *ColumnReader, read func([]T) (int, error)) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		var values []T
		for n, err := range All(lengthByLength(c)) {
			if err == nil {
				values, err = gatherAll(values[:0], int(n), read)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(values, nil) {
				return
			}
		}
	}
}

// lengthByLength reads lengths one at a time: the values of one are read before the
// next.
func lengthByLength(c *ColumnReader) func([]int32) (int, error) {
	return func(dst []int32) (int, error) { return c.ReadLengths(dst[:1]) }
}

// gatherAll appends n values to dst, with room made only as they come.
func gatherAll[T any](dst []T, n int, read func([]T) (int, error)) ([]T, error) {
	var batch [iterateBatch]T
	for n > 0 {
		k, err := read(batch[:min(n, iterateBatch)])
		if err != nil {
			return nil, err
		}
		dst = append(dst, batch[:k]...)
		n -= k
	}
	return dst, nil
}
