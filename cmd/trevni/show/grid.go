package show

import (
	"bufio"
	"io"
	"strings"
	"unicode/utf8"
)

// Grid is a table of text with aligned columns.
type Grid struct {
	indent string
	left   []bool // columns aligned left; others, numbers, right
	rows   [][]string
}

// NewGrid returns a table with a heading. Columns of names are marked by a leading
// "<" in their title, which is not shown.
func NewGrid(indent string, titles ...string) *Grid {
	g := &Grid{indent: indent, left: make([]bool, len(titles))}
	for i := range titles {
		titles[i], g.left[i] = strings.CutPrefix(titles[i], "<")
	}
	g.Add(titles...)
	return g
}

// Add adds a row.
func (g *Grid) Add(cells ...string) { g.rows = append(g.rows, cells) }

// Write prints the table.
func (g *Grid) Write(w io.Writer) error {
	widths := make([]int, len(g.left))
	for _, row := range g.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	out := bufio.NewWriter(w)
	for _, row := range g.rows {
		_, _ = out.WriteString(strings.TrimRight(g.line(row, widths), " ") + "\n")
	}
	return out.Flush() // which returns the first error of a write
}

func (g *Grid) line(row []string, widths []int) string {
	var b strings.Builder
	b.WriteString(g.indent)
	for i, cell := range row {
		if i > 0 {
			b.WriteString("  ")
		}
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if g.left[i] {
			b.WriteString(cell + pad)
		} else {
			b.WriteString(pad + cell)
		}
	}
	return b.String()
}

// Len returns the number of rows, the heading not counted.
func (g *Grid) Len() int { return len(g.rows) - 1 }
