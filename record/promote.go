package record

import (
	"encoding/binary"
	"math"

	"avro2trevni/internal/schema"
	"avro2trevni/trevni/block"
)

// promote appends a number as a float or a double: the nearest one, ties to even, as
// Java's casts give it.
func (r *Reader) promote(o *op, c *cursor) error {
	if schema.Kind(o.value) == schema.Float {
		if c.end-c.pos < 4 {
			return errCut
		}
		v := math.Float32frombits(binary.LittleEndian.Uint32(c.buf[c.pos:]))
		c.pos += 4
		r.double(float64(v))
		return nil
	}
	v, n := block.ReadLong(c.rest())
	switch {
	case n <= 0:
		return errLong(n)
	case schema.Kind(o.value) == schema.Int && !isInt(v, n):
		return errInt
	}
	c.pos += n
	if o.code == opToDouble {
		r.double(float64(v))
		return nil
	}
	binary.LittleEndian.PutUint32(r.out[r.n:], math.Float32bits(float32(v)))
	r.n += 4
	return nil
}

// double appends v, for which careful has seen to room.
func (r *Reader) double(v float64) {
	binary.LittleEndian.PutUint64(r.out[r.n:], math.Float64bits(v))
	r.n += 8
}
