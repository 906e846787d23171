package rowtext

import (
	"io"

	"avro2trevni/cmd/trevni/show"
	"avro2trevni/internal/schema"
)

// Table writes rows as a table of aligned cells, see [Cells], for people: long values are cut,
// and lines too, to a width.
type Table struct {
	W     io.Writer
	Width int // of a line, in characters; 0: as long as it gets
	cells *Cells
	grid  *show.Grid
	err   error
}

// pageRows is how many rows have columns of one width. More would have to be kept.
const pageRows = 1000

// widestCell is the largest number of characters of a cell.
const widestCell = 60

// NewTable returns a writer of rows of a schema.
func NewTable(w io.Writer, s *schema.Schema, people bool, width int) *Table {
	t := &Table{W: w, Width: width, cells: NewCells(s, people)}
	var titles []string
	for i, name := range t.cells.Names() {
		if !t.cells.Numeric(i) {
			name = "<" + name
		}
		titles = append(titles, name)
	}
	t.grid = show.NewGrid("", titles...)
	t.grid.Width = width
	return t
}

// Row adds the row at the start of src, and returns what follows the row.
func (t *Table) Row(s *schema.Schema, src []byte) ([]byte, error) {
	row, rest, err := t.cells.Row(s, src)
	if err != nil {
		return rest, err
	}
	texts := make([]string, len(row))
	for i, cell := range row {
		if texts[i] = "null"; !cell.Null {
			texts[i] = show.Cut(show.Line(cell.Text), widestCell)
		}
	}
	t.grid.Add(texts...)
	if t.grid.Len() >= pageRows {
		err = t.Flush()
	}
	return rest, err
}

// Flush writes what was gathered.
func (t *Table) Flush() error {
	if t.err == nil {
		t.err = t.grid.Write(t.W)
	}
	return t.err
}
