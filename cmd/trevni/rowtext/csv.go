package rowtext

import (
	"bytes"
	"io"

	"avro2trevni/internal/schema"
)

// CSV writes rows as RFC 4180 has them, but with a line feed alone after each, as most
// programs of Unix do: first the names of the cells, see [Cells]. A cell is in quotes if it
// has a comma, a quote or a line's end, or is an empty string; a null is nothing, not even
// quotes.
type CSV struct {
	W     io.Writer
	cells *Cells
	buf   []byte
	err   error
}

// NewCSV returns a writer of rows of a schema, and writes the names.
func NewCSV(w io.Writer, s *schema.Schema, people bool) *CSV {
	c := &CSV{W: w, cells: NewCells(s, people)}
	for i, name := range c.cells.Names() {
		c.add(i, Cell{Text: []byte(name)})
	}
	c.end()
	return c
}

// Row writes the row at the start of src, and returns what follows the row.
func (c *CSV) Row(s *schema.Schema, src []byte) ([]byte, error) {
	row, rest, err := c.cells.Row(s, src)
	if err != nil {
		return rest, err
	}
	for i, cell := range row {
		c.add(i, cell)
	}
	c.end()
	return rest, c.err
}

func (c *CSV) add(i int, cell Cell) {
	if i > 0 {
		c.buf = append(c.buf, ',')
	}
	switch {
	case cell.Null:
	case len(cell.Text) == 0 || bytes.ContainsAny(cell.Text, "\",\r\n"):
		c.buf = append(c.buf, '"')
		c.buf = append(c.buf, bytes.ReplaceAll(cell.Text, []byte(`"`), []byte(`""`))...)
		c.buf = append(c.buf, '"')
	default:
		c.buf = append(c.buf, cell.Text...)
	}
}

func (c *CSV) end() {
	c.buf = append(c.buf, '\n')
	if len(c.buf) >= flushAt {
		_ = c.Flush() // kept in err
	}
}

// Flush writes what was gathered.
func (c *CSV) Flush() error {
	if c.err == nil && len(c.buf) > 0 {
		_, c.err = c.W.Write(c.buf)
	}
	c.buf = c.buf[:0]
	return c.err
}
