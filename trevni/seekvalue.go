package trevni

import (
	"bytes"
	"cmp"
	"io"
	"sort"

	"avro2trevni/trevni/block"
)

// SeekValue goes to the first row whose value is not less than v, and returns its number,
// or that of the row after the last if there is none. The column must have first values
// ([Column].FirstValues) and be sorted in ascending order; otherwise the row is arbitrary.
// At most two blocks are read.
//
// v has the type of the column's batch read, or is a string in a column of strings: bool,
// int32, int64, uint32, uint64, float32, float64 or []byte. False is less than true; all
// others are ordered as [block.CheckSorted] has it. Columns of type null, and any other
// type of v, are [ErrMisuse].
func (c *ColumnReader) SeekValue(v any) (row uint64, err error) {
	if !c.c.FirstValues {
		return 0, c.misuse("it has no first values")
	}
	switch v := v.(type) {
	case bool:
		return seekValue(c, Boolean, v, decodeFirstBoolean, c.ReadBooleans, compareBooleans)
	case int32:
		return seekValue(c, Int, v, decodeInts, c.ReadInts, cmp.Compare)
	case int64:
		return seekValue(c, Long, v, decodeLongs, c.ReadLongs, cmp.Compare)
	case uint32:
		return seekValue(c, Fixed32, v, copyWide, c.ReadFixed32s, cmp.Compare)
	case uint64:
		return seekValue(c, Fixed64, v, copyWide, c.ReadFixed64s, cmp.Compare)
	case float32:
		return seekValue(c, Float, v, copyWide, c.ReadFloats, block.CompareFloats)
	case float64:
		return seekValue(c, Double, v, copyWide, c.ReadDoubles, block.CompareFloats)
	case string:
		return seekValue(c, String, []byte(v), decodeBytes, c.ReadBytes, bytes.Compare)
	case []byte:
		return seekValue(c, c.c.text(), v, decodeBytes, c.ReadBytes, bytes.Compare)
	}
	return 0, c.misuse("no value of it is a %T", v)
}

// seekValue does what SeekValue does in a column of type t.
func seekValue[T any](c *ColumnReader, t Type, v T, decode func([]T, []byte) (n, size int),
	read func([]T) (int, error), compare func(a, b T) int) (uint64, error) {
	if c.c.Type != t {
		return 0, c.misuse("its type is %s, not %s", c.c.Type, t)
	}
	x := c.index
	b := sort.Search(len(x.blocks), func(b int) bool {
		var first [1]T
		n, _ := decode(first[:], x.blocks[b].FirstValue)
		return n == 1 && compare(first[0], v) >= 0
	})
	row := uint64(0)
	if b > 0 {
		start := x.first[b-1]
		end := start + uint64(x.blocks[b-1].Rows)
		if err := c.SeekRows(start, end); err != nil {
			return 0, err
		}
		n, err := below(v, read, compare)
		if err != nil {
			return 0, err
		}
		row = start + n
	}
	return row, c.SeekRow(row)
}

// below returns how many values come before one that is not less than v.
func below[T any](v T, read func([]T) (int, error), compare func(a, b T) int) (row uint64, err error) {
	var batch [iterateBatch]T
	for {
		n, err := read(batch[:])
		if err == io.EOF {
			return row, nil
		}
		if err != nil {
			return 0, err
		}
		for _, got := range batch[:n] {
			if compare(got, v) >= 0 {
				return row, nil
			}
			row++
		}
	}
}

// decodeFirstBoolean decodes a boolean that stands in a descriptor, in a byte.
func decodeFirstBoolean(dst []bool, b []byte) (n, size int) {
	if len(b) == 0 || len(dst) == 0 {
		return 0, 0
	}
	dst[0] = b[0]&1 == 1
	return 1, 1
}

func compareBooleans(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
