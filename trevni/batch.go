package trevni

import (
	"errors"
	"math"

	"avro2trevni/trevni/block"
)

// What follows walks a column's blocks for the batch reads. Values that stand one
// after the other are a span: in an array column those of one length, or of a whole
// run of ones; elsewhere all of a block.
//
//	2 v v   0   1 v   -3     -6 v v v v
//	  |-|         |             |-----|     spans

// unknown is ColumnReader.blockLeft where only the block's end tells: in columns with a
// parent, which alone knows the number.
const unknown = -1

// errPause says that the next value is in another block.
var errPause = errors.New("trevni: block ends")

// start checks a batch read of type t against the column, and sets its way.
func (c *ColumnReader) start(t Type, m mode) error {
	switch {
	case c.err != nil:
		return c.err
	case c.c.Type != t:
		return c.misuse("its type is %s, not %s", c.c.Type, t)
	case c.mode == unset:
		c.mode = m
	}
	return nil
}

// begin makes span positive. It goes on to another block only if cross is true, and
// else returns errPause.
func (c *ColumnReader) begin(cross bool) error {
	for c.span == 0 {
		switch {
		case c.err != nil:
			return c.err
		case c.mode == byLength && c.lengthsGiven == 0:
			return c.misuse("no value is left of the lengths given")
		case c.over():
			if !cross {
				return errPause
			}
			if err := c.enter(); err != nil {
				return err
			}
		case c.c.Array:
			if err := c.sequences(); err != nil {
				return err
			}
		default:
			c.spread()
		}
	}
	return nil
}

// over reports whether nothing is left in the block after the span.
func (c *ColumnReader) over() bool {
	if c.blockLeft == unknown {
		return c.at == len(c.raw) && c.lengths == 0
	}
	return c.blockLeft == 0
}

// enter goes to the next block.
func (c *ColumnReader) enter() error {
	if err := c.nextBlock(); err != nil {
		return err
	}
	first := c.index.first[c.block-1]
	return c.measure(first, first+uint64(c.rows))
}

// sequences begins the next sequence of values, or as many as are of one run.
func (c *ColumnReader) sequences() error {
	if c.lengths == 0 {
		length, count, n, err := block.ReadLength(c.raw[c.at:])
		if err != nil {
			return c.corrupt(err)
		}
		c.length, c.lengths, c.at = length, count, c.at+n
	}
	n := int64(c.lengths)
	if c.mode == byLength {
		n = min(n, c.lengthsGiven)
		c.lengthsGiven -= n
	}
	if c.blockLeft != unknown {
		n = min(n, c.blockLeft)
		c.blockLeft -= n
	}
	c.lengths -= int(n)
	c.span, c.bit = int(n)*c.length, 0
	return nil
}

// spread makes a span of what is left of a block without lengths. Where the number
// is unknown it is the most that there can be, and ends with the block.
func (c *ColumnReader) spread() {
	if c.blockLeft != unknown {
		c.span = int(min(c.blockLeft, math.MaxInt32))
		c.blockLeft -= int64(c.span)
		return
	}
	w, _ := c.c.Type.Width()
	w = max(w, 1)
	c.span = (len(c.raw) - c.at + w - 1) / w
}

// batchOf fills dst with values of type t. decode decodes from the start of the
// bytes as many as dst takes, or those before the first bad or missing one, and
// returns their number and bytes.
func batchOf[T any](c *ColumnReader, dst []T, t Type, cross bool, decode func([]T, []byte) (n, size int)) (int, error) {
	if err := c.start(t, byValue); err != nil || len(dst) == 0 {
		return 0, err
	}
	n := 0
	for n < len(dst) {
		if err := c.begin(cross || n == 0); err != nil {
			return batchEnd(n, err)
		}
		want := min(len(dst)-n, c.span)
		got, size := decode(dst[n:n+want], c.raw[c.at:])
		n += got
		c.span -= got
		c.at += size
		if got < want {
			if err := c.stopped(); err != nil {
				return batchEnd(n, err)
			}
		}
	}
	return n, nil
}

// batchEnd returns what a batch read returns that has n values and can't go on.
func batchEnd(n int, err error) (int, error) {
	if n > 0 {
		return n, nil
	}
	return 0, err
}

// stopped tells why no value could be decoded: that is an error, which is kept, but
// where only the block's end tells how many there are.
func (c *ColumnReader) stopped() error {
	if c.blockLeft == unknown && !c.c.Array && c.at == len(c.raw) {
		c.span = 0
		return nil
	}
	return c.explain()
}

// explain decodes the next value, which is bad, for its error.
func (c *ColumnReader) explain() error {
	if c.c.Type == Int || c.c.Type == Long {
		v, n := block.ReadLong(c.raw[c.at:])
		if n > 0 {
			c.at += n
			return c.corrupt(wideInt(v))
		}
	}
	_, err := block.SkipValues(c.raw[c.at:], c.c.Type, 1)
	return c.corrupt(err)
}
