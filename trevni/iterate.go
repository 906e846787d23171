package trevni

import (
	"io"
	"iter"
)

// iterateBatch is the values that the iterators read at once.
const iterateBatch = 256

// Values returns an iterator over the remaining values of a column. T is the Go type of the
// column's values, as in its batch read ([]byte for strings and bytes, valid until the next
// value), or string for a column of strings; another T is [ErrMisuse]. An error comes last,
// with a zero value; the end of the column is not an error.
//
// It reads ahead: after a loop that ends early the reader is at an unknown later value, and
// needs [ColumnReader.SeekRow] before it is used again.
func Values[T any](c *ColumnReader) iter.Seq2[T, error] {
	read, err := reads[T](c)
	if err != nil {
		return failed[T](err)
	}
	return each(read)
}

// Sequences returns an iterator over the remaining sequences of values of an array column:
// one for each row, or, with a parent, for each of the parent's elements. Each is valid
// until the next. T, errors, and loops that end early are as with [Values].
func Sequences[T any](c *ColumnReader) iter.Seq2[[]T, error] {
	read, err := reads[T](c)
	if err != nil {
		return failed[[]T](err)
	}
	return func(yield func([]T, error) bool) {
		var values []T
		for n, err := range each(lengthByLength(c)) {
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

// reads returns the column's batch read, if it reads values of type T.
func reads[T any](c *ColumnReader) (func([]T) (int, error), error) {
	var reads [2]any
	switch c.c.Type {
	case Boolean:
		reads[0] = c.ReadBooleans
	case Int:
		reads[0] = c.ReadInts
	case Long:
		reads[0] = c.ReadLongs
	case Fixed32:
		reads[0] = c.ReadFixed32s
	case Fixed64:
		reads[0] = c.ReadFixed64s
	case Float:
		reads[0] = c.ReadFloats
	case Double:
		reads[0] = c.ReadDoubles
	case String:
		reads = [2]any{c.ReadBytes, c.readStrings}
	case Bytes:
		reads[0] = c.ReadBytes
	}
	for _, read := range reads {
		if read, ok := read.(func([]T) (int, error)); ok {
			return read, nil
		}
	}
	var v []T
	return nil, c.misuse("its type is %s, which is not read into %T", c.c.Type, v)
}

// readStrings does what ReadBytes does, with copies.
func (c *ColumnReader) readStrings(dst []string) (int, error) {
	var batch [iterateBatch][]byte
	n, err := c.ReadBytes(batch[:min(len(dst), iterateBatch)])
	for i, v := range batch[:n] {
		dst[i] = string(v)
	}
	return n, err
}

// failed is an iterator of an error alone.
func failed[T any](err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		yield(none, err)
	}
}

// each returns an iterator over what is left for a batch read.
func each[T any](read func([]T) (int, error)) iter.Seq2[T, error] {
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
