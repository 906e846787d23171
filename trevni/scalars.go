package trevni

import (
	"encoding/binary"
	"math"

	"avro2trevni/trevni/block"
)

// NextNull takes a value of a null column, which has no bytes.
func (c *ColumnReader) NextNull() error { return c.take(Null) }

// NextBoolean takes a value of a boolean column.
func (c *ColumnReader) NextBoolean() (bool, error) {
	if err := c.take(Boolean); err != nil {
		return false, err
	}
	if c.bit == 0 {
		if _, err := c.fixed(1); err != nil {
			return false, err
		}
	}
	v := c.raw[c.at-1]>>c.bit&1 == 1
	c.bit = (c.bit + 1) % 8
	return v, nil
}

// NextInt takes a value of an int column.
func (c *ColumnReader) NextInt() (int32, error) {
	v, err := c.varint(Int)
	if err == nil && v != int64(int32(v)) {
		return 0, c.corrupt(wideInt(v))
	}
	return int32(v), err
}

// NextLong takes a value of a long column.
func (c *ColumnReader) NextLong() (int64, error) { return c.varint(Long) }

func (c *ColumnReader) varint(t Type) (int64, error) {
	if err := c.take(t); err != nil {
		return 0, err
	}
	v, n := block.ReadLong(c.raw[c.at:])
	if n <= 0 {
		_, err := block.SkipValues(c.raw[c.at:], t, 1)
		return 0, c.corrupt(err)
	}
	c.at += n
	return v, nil
}

// NextFixed32 takes a value of a fixed32 column.
func (c *ColumnReader) NextFixed32() (uint32, error) { return c.four(Fixed32) }

// NextFixed64 takes a value of a fixed64 column.
func (c *ColumnReader) NextFixed64() (uint64, error) { return c.eight(Fixed64) }

// NextFloat takes a value of a float column.
func (c *ColumnReader) NextFloat() (float32, error) {
	v, err := c.four(Float)
	return math.Float32frombits(v), err
}

// NextDouble takes a value of a double column.
func (c *ColumnReader) NextDouble() (float64, error) {
	v, err := c.eight(Double)
	return math.Float64frombits(v), err
}

func (c *ColumnReader) four(t Type) (uint32, error) {
	if err := c.take(t); err != nil {
		return 0, err
	}
	b, err := c.fixed(4)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(b), nil
}

func (c *ColumnReader) eight(t Type) (uint64, error) {
	if err := c.take(t); err != nil {
		return 0, err
	}
	b, err := c.fixed(8)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b), nil
}

// NextString takes a value of a string column. That it is UTF-8 is not checked.
func (c *ColumnReader) NextString() (string, error) {
	v, err := c.view(String)
	return string(v), err
}

// NextBytes takes a value of a string or a bytes column. The bytes are valid until the
// next call of NextRow, and must not be changed.
func (c *ColumnReader) NextBytes() ([]byte, error) { return c.view(c.c.text()) }

// view returns the next string or bytes in place.
func (c *ColumnReader) view(t Type) ([]byte, error) {
	if err := c.take(t); err != nil {
		return nil, err
	}
	v, n, err := block.ReadBytes(c.raw[c.at:])
	if err != nil {
		return nil, c.corrupt(err)
	}
	c.at += n
	return v, nil
}
