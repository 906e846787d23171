package interop

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"avro2trevni/trevni"
)

// A table is a Trevni file's columns as text: their metadata, and each one's rows.
type table struct {
	rows    uint64
	schema  string
	columns []string   // name, type and place of each column
	cells   [][]string // of each column, each row: lengths in brackets, and values
}

// openTable opens a file with this project's reader, for the test's time.
func openTable(t *testing.T, path string) *trevni.Reader {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	r, err := trevni.NewReader(f, info.Size(), &trevni.ReaderOptions{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// readTable reads all of a file.
func readTable(t *testing.T, path string) table {
	t.Helper()
	r := openTable(t, path)
	h := r.Header()
	schema, _ := h.Meta.Get("avro.schema")
	out := table{rows: h.Rows, schema: string(schema), cells: make([][]string, len(h.Columns))}
	walkers := make([]*walker, len(h.Columns))
	for i, c := range h.Columns {
		out.columns = append(out.columns, fmt.Sprintf("%s %s array=%t values=%t parent=%q", c.Name, c.Type, c.Array, c.FirstValues, c.Parent))
		cr, err := r.Column(i)
		if err != nil {
			t.Fatalf("%s: column %q: %v", path, c.Name, err)
		}
		walkers[i] = &walker{Column: c, from: cr, parent: h.Index(c.Parent)}
	}
	for row := range h.Rows {
		for i, w := range walkers {
			cell, err := w.row(walkers)
			if err != nil {
				t.Fatalf("%s: column %q row %d: %v", path, w.Name, row, err)
			}
			out.cells[i] = append(out.cells[i], cell)
		}
	}
	return out
}

// A walker takes a column's rows one at a time, after its parent's.
type walker struct {
	trevni.Column
	from     *trevni.ColumnReader
	parent   int // index of the parent's walker, -1 for none
	elements int // that this row has, for the columns it is the parent of
}

// row returns the next row's text.
func (w *walker) row(all []*walker) (string, error) {
	lengths := 1
	if w.parent >= 0 {
		lengths = all[w.parent].elements
	}
	w.elements = 0
	var cell strings.Builder
	for range lengths {
		n := 1
		if w.Array {
			var length [1]int32
			if _, err := w.from.ReadLengths(length[:]); err != nil {
				return "", err
			}
			n = int(length[0])
			fmt.Fprintf(&cell, "[%d]", n)
		}
		w.elements += n
		for range n {
			v, err := next(w.from, w.Type)
			if err != nil {
				return "", err
			}
			cell.WriteString(v)
		}
	}
	return cell.String(), nil
}

// next reads a value, and returns it as text that tells every bit.
func next(c *trevni.ColumnReader, of trevni.Type) (string, error) {
	switch of {
	case trevni.Null:
		_, err := c.ReadNulls(1)
		return "", err
	case trevni.Boolean:
		return text(c.ReadBooleans)
	case trevni.Int:
		return text(c.ReadInts)
	case trevni.Long:
		return text(c.ReadLongs)
	case trevni.Fixed32:
		return text(c.ReadFixed32s)
	case trevni.Fixed64:
		return text(c.ReadFixed64s)
	case trevni.Float:
		var v [1]float32
		_, err := c.ReadFloats(v[:])
		return fmt.Sprintf(" %#v", math.Float32bits(v[0])), err
	case trevni.Double:
		var v [1]float64
		_, err := c.ReadDoubles(v[:])
		return fmt.Sprintf(" %#v", math.Float64bits(v[0])), err
	}
	return text(c.ReadBytes)
}

func text[V any](read func([]V) (int, error)) (string, error) {
	var v [1]V
	_, err := read(v[:])
	return fmt.Sprintf(" %#v", v[0]), err
}

// compareTables reports the first difference of two files' columns and rows.
func compareTables(t *testing.T, got, want table) {
	t.Helper()
	if got.rows != want.rows {
		t.Errorf("%d rows, want %d", got.rows, want.rows)
		return
	}
	if g, w := strings.Join(got.columns, "\n"), strings.Join(want.columns, "\n"); g != w {
		t.Errorf("columns are\n%s\nwant\n%s", g, w)
		return
	}
	for i, column := range want.columns {
		for row := range want.cells[i] {
			if g, w := got.cells[i][row], want.cells[i][row]; g != w {
				t.Errorf("column %s: row %d is %s, want %s", column, row, g, w)
				return
			}
		}
	}
}
