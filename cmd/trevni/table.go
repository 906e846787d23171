package main

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// grid is a table of text with aligned columns.
type grid struct {
	indent string
	left   []bool // columns aligned left; others, numbers, right
	rows   [][]string
}

// newGrid returns a table with a heading. Columns of names are marked by a leading
// "<" in their title, which is not shown.
func newGrid(indent string, titles ...string) *grid {
	g := &grid{indent: indent, left: make([]bool, len(titles))}
	for i := range titles {
		titles[i], g.left[i] = strings.CutPrefix(titles[i], "<")
	}
	g.add(titles...)
	return g
}

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

// write prints the table.
func (g *grid) write(w io.Writer) error {
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

func (g *grid) line(row []string, widths []int) string {
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

// widest is the largest number of characters of a least or greatest string in a table.
const widest = 24

// extreme returns a string for a table, quoted, and cut if it is long.
func extreme(b []byte) string {
	text := shorten(b)
	if r := []rune(text); len(r) > widest {
		text = string(r[:widest-3]) + "..."
	}
	return `"` + text + `"`
}

// floatText returns a number as short as it can be.
func floatText(v float64, bits int) string { return strconv.FormatFloat(v, 'g', -1, bits) }
