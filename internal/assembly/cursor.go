package assembly

import "io"

// cursor is where the walk is in a column.
type cursor struct {
	pos, n   int // the next entry of the batch, and how many there are; both 0 without levels
	at, end  int // the next value, and the end: bytes in data, of byte arrays numbers of values
	rep, def []byte
	data     []byte
	offsets  []uint32
	width    int
	levels   bool // the greatest definition level is not 0
	repeats  bool // the greatest repetition level is not 0
	done     bool // there is no batch after this one

	maxDef byte
	leaf   *Leaf
	column Column
	batch  Batch
}

func newCursor(leaf *Leaf, column Column) cursor {
	return cursor{
		width: leaf.Width, levels: leaf.MaxDef > 0, repeats: leaf.MaxRep > 0,
		maxDef: byte(leaf.MaxDef), leaf: leaf, column: column,
	}
}

// empty reports whether the batch is used up.
func (c *cursor) empty() bool {
	if c.levels {
		return c.pos >= c.n
	}
	return c.at >= c.end
}

// load takes the next batch when the present one is used up; done says that there is none.
func (c *cursor) load() error {
	if c.at != c.end {
		return levelsf("%d bytes or values more than levels that have one", c.end-c.at)
	}
	if c.done {
		return nil
	}
	b := &c.batch
	if err := c.column.Next(b); err == io.EOF {
		c.done = true
		return nil
	} else if err != nil {
		return err
	}
	if err := c.fits(b); err != nil {
		return err
	}
	c.pos, c.at = 0, 0
	c.n = b.N
	if !c.levels {
		c.n = 0
	}
	c.rep, c.def, c.data, c.offsets = b.Rep, b.Def, b.Values.Data, b.Values.Offsets
	c.end = b.Values.N * max(c.width, 1)
	return nil
}

// fits returns what is wrong with the sizes of a batch.
func (c *cursor) fits(b *Batch) error {
	v := &b.Values
	switch {
	case b.N < 1 || v.N < 0 || v.N > b.N:
		return levelsf("a batch of %d entries and %d values", b.N, v.N)
	case v.Width != c.width:
		return levelsf("values of %d bytes, not %d", v.Width, c.width)
	case c.levels && len(b.Def) != b.N, c.repeats && len(b.Rep) != b.N:
		return levelsf("%d definition levels and %d repetition levels of %d entries", len(b.Def), len(b.Rep), b.N)
	case !c.levels && v.N != b.N:
		return levelsf("%d values of %d entries without levels", v.N, b.N)
	case v.Width > 0 && v.N > len(v.Data)/v.Width:
		return levelsf("%d values in %d bytes", v.N, len(v.Data))
	case v.Width == 0 && len(v.Offsets) != v.N+1 && v.N > 0:
		return levelsf("%d offsets of %d values", len(v.Offsets), v.N)
	}
	return nil
}

// text returns byte array i of the batch.
func (c *cursor) text(i int) ([]byte, error) {
	from, to := c.offsets[i], c.offsets[i+1]
	if from > to || uint64(to) > uint64(len(c.data)) {
		return nil, levelsf("a value at %d to %d of %d bytes", from, to, len(c.data))
	}
	return c.data[from:to], nil
}

// next returns the next value, which is taken.
func (c *cursor) next() ([]byte, error) {
	if c.width > 0 {
		c.at += c.width
		return c.data[c.at-c.width : c.at], nil
	}
	c.at++
	return c.text(c.at - 1)
}

// more reports whether there is an entry at the front, and loads it if it must.
func (c *cursor) more() (bool, error) {
	if c.empty() {
		if err := c.load(); err != nil {
			return false, err
		}
	}
	return !c.empty(), nil
}

// ahead returns the repetition level of the next entry: 0, a new row, where there is none.
func (c *cursor) ahead() (byte, error) {
	more, err := c.more()
	if !more || !c.repeats {
		return 0, err
	}
	return c.rep[c.pos], nil
}
