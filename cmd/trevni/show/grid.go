package show

import (
	"bufio"
	"io"
	"strings"
	"unicode/utf8"
)

// Grid is a table of text with aligned columns.
type Grid struct {
	Width  int // of a line, in characters: what is longer is cut; 0: no limit
	indent string
	titles []string
	left   []bool // columns aligned left; others, numbers, right
	widths []int  // of the columns so far
	rows   [][]string
	headed bool // the titles are written
}

// NewGrid returns a table with a heading. Columns of names are marked by a leading
// "<" in their title, which is not shown.
func NewGrid(indent string, titles ...string) *Grid {
	g := &Grid{indent: indent, titles: make([]string, len(titles)), left: make([]bool, len(titles)), widths: make([]int, len(titles))}
	for i, title := range titles {
		g.titles[i], g.left[i] = strings.CutPrefix(title, "<")
	}
	return g
}

// Add adds a row.
func (g *Grid) Add(cells ...string) { g.rows = append(g.rows, cells) }

// Len returns the number of rows that are not written.
func (g *Grid) Len() int { return len(g.rows) }

// Write prints the rows that were added since it was called last; the heading too, the first
// time. The columns are as wide as what was printed so far.
func (g *Grid) Write(w io.Writer) error {
	rows := g.rows
	if !g.headed {
		rows = append([][]string{g.titles}, rows...)
	}
	for _, row := range rows {
		for i, cell := range row {
			g.widths[i] = max(g.widths[i], utf8.RuneCountInString(cell))
		}
	}
	g.shrink()
	out := bufio.NewWriter(w)
	for _, row := range rows {
		line := g.line(row)
		if g.Width > 0 {
			line = Cut(line, g.Width)
		}
		_, _ = out.WriteString(line + "\n")
	}
	g.rows, g.headed = g.rows[:0], true
	return out.Flush() // which returns the first error of a write
}

// narrowest is how far [Grid.shrink] makes a column narrower.
const narrowest = 12

// shrink makes the widest columns of names narrower until lines have the grid's width, as far
// as that goes.
func (g *Grid) shrink() {
	total := utf8.RuneCountInString(g.indent) + 2*(len(g.widths)-1)
	for _, n := range g.widths {
		total += n
	}
	for ; g.Width > 0 && total > g.Width; total-- {
		widest := -1
		for i, n := range g.widths {
			if g.left[i] && n > narrowest && (widest < 0 || n > g.widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		g.widths[widest]--
	}
}

// line returns a row without spaces at its end.
func (g *Grid) line(row []string) string {
	var b strings.Builder
	b.WriteString(g.indent)
	for i, cell := range row {
		if i > 0 {
			b.WriteString("  ")
		}
		cell = Cut(cell, g.widths[i])
		pad := strings.Repeat(" ", g.widths[i]-utf8.RuneCountInString(cell))
		if g.left[i] {
			b.WriteString(cell + pad)
		} else {
			b.WriteString(pad + cell)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// Cut cuts a text that has more than most characters, and marks that.
func Cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
