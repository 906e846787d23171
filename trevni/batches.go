package trevni

import "avro2trevni/trevni/block"

// ReadInts reads values of an int column into dst.
func (c *ColumnReader) ReadInts(dst []int32) (n int, err error) {
	return batchOf(c, dst, Int, true, decodeInts)
}

// ReadLongs reads values of a long column into dst.
func (c *ColumnReader) ReadLongs(dst []int64) (n int, err error) {
	return batchOf(c, dst, Long, true, decodeLongs)
}

// ReadFixed32s reads values of a fixed32 column into dst.
func (c *ColumnReader) ReadFixed32s(dst []uint32) (n int, err error) {
	return batchOf(c, dst, Fixed32, true, copyWide[uint32])
}

// ReadFixed64s reads values of a fixed64 column into dst.
func (c *ColumnReader) ReadFixed64s(dst []uint64) (n int, err error) {
	return batchOf(c, dst, Fixed64, true, copyWide[uint64])
}

// ReadFloats reads values of a float column into dst.
func (c *ColumnReader) ReadFloats(dst []float32) (n int, err error) {
	return batchOf(c, dst, Float, true, copyWide[float32])
}

// ReadDoubles reads values of a double column into dst.
func (c *ColumnReader) ReadDoubles(dst []float64) (n int, err error) {
	return batchOf(c, dst, Double, true, copyWide[float64])
}

// ReadBytes reads values of a string or a bytes column into dst, up to the end of a
// block. They are valid until the next call on c, and must not be changed. That
// strings are UTF-8 is not checked.
func (c *ColumnReader) ReadBytes(dst [][]byte) (n int, err error) {
	return batchOf(c, dst, c.c.text(), false, decodeBytes)
}

// ReadNulls reads up to n values of a null column, which have no bytes.
func (c *ColumnReader) ReadNulls(n int) (int, error) {
	if err := c.start(Null, byValue); err != nil || n <= 0 {
		return 0, err
	}
	have := 0
	for have < n {
		if err := c.begin(true); err != nil {
			return batchEnd(have, err)
		}
		got := min(n-have, c.span)
		have += got
		c.span -= got
	}
	return have, nil
}

// ReadBooleans reads values of a boolean column into dst.
func (c *ColumnReader) ReadBooleans(dst []bool) (n int, err error) {
	if err := c.start(Boolean, byValue); err != nil || len(dst) == 0 {
		return 0, err
	}
	for n < len(dst) {
		if err := c.begin(true); err != nil {
			return batchEnd(n, err)
		}
		want := min(len(dst)-n, c.span)
		got := c.booleans(dst[n : n+want])
		n += got
		c.span -= got
		if got < want {
			return batchEnd(n, c.explain())
		}
	}
	return n, nil
}

// booleans fills dst from the span, as far as there are bytes, and returns how many.
func (c *ColumnReader) booleans(dst []bool) int {
	if c.c.Array && c.length == 1 { // a byte each
		n := min(len(dst), len(c.raw)-c.at)
		for i, b := range c.raw[c.at : c.at+n] {
			dst[i] = b&1 == 1
		}
		c.at += n
		return n
	}
	n := 0
	for n < len(dst) {
		if c.bit == 0 {
			if len(dst)-n >= 8 && c.at < len(c.raw) {
				copy(dst[n:n+8], eight[c.raw[c.at]][:])
				n, c.at = n+8, c.at+1
				continue
			}
			if c.at == len(c.raw) {
				return n
			}
			c.at++
		}
		dst[n] = c.raw[c.at-1]>>c.bit&1 == 1
		c.bit = (c.bit + 1) % 8
		n++
	}
	return n
}

// eight holds the booleans of each byte.
var eight = func() (t [256][8]bool) {
	for b := range t {
		for i := range 8 {
			t[b][i] = b>>i&1 == 1
		}
	}
	return t
}()

// ReadLengths reads the lengths of the next sequences of an array column into dst,
// up to the end of a block. The values of those lengths are to be read then; what of
// them is not read, the next call passes over, and they are all that can be read: one
// more is [ErrMisuse].
func (c *ColumnReader) ReadLengths(dst []int32) (n int, err error) {
	if err := c.start(c.c.Type, byLength); err != nil {
		return 0, err
	}
	if !c.c.Array {
		return 0, c.misuse("it has no lengths")
	}
	if c.mode != byLength {
		return 0, c.misuse("its values were read without lengths")
	}
	if len(dst) == 0 {
		return 0, nil
	}
	if err := c.drop(); err != nil {
		return 0, err
	}
	for c.over() {
		if err := c.enter(); err != nil {
			return 0, err
		}
	}
	if n, err = c.peek(dst); err != nil {
		return 0, err
	}
	c.lengthsGiven = int64(n)
	return n, nil
}

// drop passes over the values of the lengths that were given.
func (c *ColumnReader) drop() error {
	for c.span > 0 || c.lengthsGiven > 0 {
		if c.span > 0 {
			if err := c.skip(); err != nil {
				return err
			}
			c.span = 0
		} else if err := c.sequences(); err != nil {
			return err
		}
	}
	return nil
}

// skip passes over the span.
func (c *ColumnReader) skip() error {
	if c.c.Type == Boolean && !(c.c.Array && c.length == 1) {
		return c.skipBits(c.span)
	}
	n, err := block.SkipRun(c.raw[c.at:], c.c.Type, 1, c.span)
	if err != nil {
		return c.corrupt(err)
	}
	c.at += n
	return nil
}

// skipBits passes over n booleans that are bits.
func (c *ColumnReader) skipBits(n int) error {
	bit := uint64(n) + uint64(c.bit)
	if c.bit > 0 {
		c.at--
	}
	size, err := block.SkipValues(c.raw[c.at:], Boolean, int(bit))
	if err != nil {
		return c.corrupt(err)
	}
	c.at, c.bit = c.at+size, uint(bit%8)
	return nil
}

// peek reads lengths of the block into dst, and goes nowhere.
func (c *ColumnReader) peek(dst []int32) (int, error) {
	at, n, left := c.at, 0, int64(len(dst))
	if c.blockLeft != unknown {
		left = min(left, c.blockLeft)
	}
	length, run := c.length, int64(c.lengths)
	for int64(n) < left {
		if run == 0 {
			l, count, size, err := block.ReadLength(c.raw[at:])
			if err != nil && n == 0 {
				return 0, c.corrupt(err)
			}
			if err != nil {
				break
			}
			length, run, at = l, int64(count), at+size
		}
		k := min(run, left-int64(n))
		fill(dst[n:n+int(k)], int32(length))
		n += int(k)
		run -= k
		size, err := block.SkipRun(c.raw[at:], c.c.Type, length, int(k))
		if err != nil { // met again when the value is read
			break
		}
		at += size
	}
	return n, nil
}

func fill(dst []int32, v int32) {
	for i := range dst {
		dst[i] = v
	}
}
