package rowkey

import (
	"context"

	"avro2trevni/internal/ocf"
	"avro2trevni/mapper"
)

// Cutter cuts rows out of an Avro file's blocks, unchanged, each with its sort key. It is
// for one goroutine at a time.
type Cutter struct {
	// Longest is the bytes of the longest value so far of the column that the key watches.
	Longest int

	rows *mapper.Rows
	key  *Key
	row  func(key, row []byte) error
	buf  []byte // the key
}

// NewCutter returns a cutter of rows of p, or of programs with the same columns. It
// gives row each row and its key, which are valid until row returns; an error of row ends
// the cutting.
func NewCutter(p *mapper.Program, key *Key, o mapper.Options, row func(key, row []byte) error) *Cutter {
	c := &Cutter{key: key, row: row}
	c.rows = mapper.NewRows(p, key.used, o, c.visit)
	return c
}

// Use makes p the program of the segments to come.
func (c *Cutter) Use(p *mapper.Program) { c.rows.Use(p) }

// SetRoom is that of [mapper.Mapper].
func (c *Cutter) SetRoom(room ocf.Memory) { c.rows.SetRoom(room) }

// Segment cuts the rows out of the blocks of a segment, and returns how many there were.
// Where a mapper refuses a row the error is the mapper's; a row whose key cannot be made is
// a [mapper.Error] too.
func (c *Cutter) Segment(ctx context.Context, blocks mapper.Blocks) (rows int64, err error) {
	return c.rows.Segment(ctx, blocks)
}

// visit takes a row of the walk.
func (c *Cutter) visit(row []byte) (err error) {
	if c.buf, err = c.key.append(c.buf[:0], c.rows); err != nil {
		return mapper.BadRow(err)
	}
	if i := c.key.Watch; i >= 0 {
		c.Longest = max(c.Longest, len(c.key.columns[i].n.value(c.rows)))
	}
	return c.row(c.buf, row)
}
