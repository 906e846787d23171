package trvfile

import (
	"fmt"
	"slices"

	"avro2trevni/cmd/trevni/show"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// tree is the columns of a file and how many elements of their parents they go with.
//
// Blocks begin at rows of the table, but a column with a parent has a value, or a
// length, for each element of the parent. So while an array column is walked, the
// elements before those rows are noted at which blocks below it begin or end.
//
//	rows      0        3       5         blocks of a column below begin here
//	lengths   2  0  1  3  1    ...
//	elements  0        3       7         before each
type tree struct {
	f     *file
	h     *trevni.Header
	nodes []node
}

// node is one column.
type node struct {
	col    *trevni.Column
	parent int // -1: none
	blocks []trevni.Block
	// offsets are those of the blocks in the file, and of the column's end.
	offsets []int64
	err     error    // of the descriptors
	rows    []uint64 // array columns: where the elements are to be noted, rising
	// elements has those before each of rows, as far as the column was walked. They
	// are not to be had past a block that is broken.
	elements []uint64
	broken   bool
}

// newTree returns the tree of a file's columns, none of them loaded.
func newTree(f *file) *tree {
	t := &tree{f: f, h: f.Reader.Header(), nodes: make([]node, len(f.columns))}
	numbers := make(map[string]int, len(t.nodes))
	for i := range t.nodes {
		n := &t.nodes[i]
		n.col, n.parent = &t.h.Columns[i], -1
		if n.col.Parent != "" {
			n.parent = numbers[n.col.Parent] // the header's check saw that it stands before
		}
		numbers[n.col.Name] = i
	}
	return t
}

// mostBorders bounds the number of places at which elements are counted, for all columns
// together: by depth and number of blocks, a file of a few megabytes could require more
// than any memory.
const mostBorders = 1 << 26

// load makes columns, in rising order, ready to be walked: it reads their descriptors, and
// asks those of them that are others' parents for the elements where blocks below begin and
// end. What is wrong with descriptors is left in the nodes.
func (t *tree) load(columns []int) error {
	for _, i := range columns {
		n := &t.nodes[i]
		*n = node{col: n.col, parent: n.parent}
		if n.blocks, n.err = t.f.Blocks(i); n.err == nil {
			n.offsets, n.err = t.f.BlockOffsets(i)
		}
		n.broken = n.err != nil
	}
	borders := 0
	for _, i := range slices.Backward(columns) { // children first: theirs are their parents' too
		n := &t.nodes[i]
		slices.Sort(n.rows)
		n.rows = slices.Clip(slices.Compact(n.rows))
		if _, above := slices.BinarySearch(columns, n.parent); !above {
			continue
		}
		if borders += len(n.rows) + len(n.blocks); borders > mostBorders {
			return fmt.Errorf("%s: columns too deep, of too many blocks: more than %s of them begin below arrays, counted in each",
				t.f.name, show.Comma(mostBorders))
		}
		p := &t.nodes[n.parent]
		p.rows = append(p.rows, n.rows...)
		row := uint64(0)
		for b := range n.blocks {
			p.rows = append(p.rows, row)
			row += uint64(n.blocks[b].Rows)
		}
		if n.err == nil {
			p.rows = append(p.rows, row)
		}
	}
	return nil
}

// units returns how many values, or lengths, column i has before a row: the row's
// number, or its parent's elements. They are known if the parent was walked.
func (t *tree) units(i int, row uint64) (n uint64, known bool) {
	if t.nodes[i].parent < 0 {
		return row, true
	}
	p := &t.nodes[t.nodes[i].parent]
	k, ok := slices.BinarySearch(p.rows, row)
	if !ok || k >= len(p.elements) {
		return 0, false
	}
	return p.elements[k], true
}

// walker goes over the blocks of a column in order.
type walker struct {
	t       *tree
	i       int
	n       *node
	block   int    // the current one
	row     uint64 // its first
	raw     []byte // its bytes
	units   uint64 // values or lengths that it must have
	known   bool   // units is; if not, the parent is broken
	before  uint64 // elements before the block
	lengths block.LengthReader
}

func (t *tree) walk(i int) *walker {
	w := &walker{t: t, i: i, n: &t.nodes[i], block: -1}
	w.note(0, 0)
	return w
}

// next goes to the next block, whose bytes are not read yet, and reports whether
// there is one.
func (w *walker) next() bool {
	if w.block >= 0 {
		w.row += uint64(w.n.blocks[w.block].Rows)
	}
	w.block++
	if w.block >= len(w.n.blocks) {
		return false
	}
	from, ok := w.t.units(w.i, w.row)
	to, ok2 := w.t.units(w.i, w.end())
	w.units, w.known = to-from, ok && ok2
	return true
}

// end returns the row after the block.
func (w *walker) end() uint64 { return w.row + uint64(w.n.blocks[w.block].Rows) }

// read reads the block and sees that its checksum is right.
func (w *walker) read() (err error) {
	w.raw, err = w.t.f.ReadBlock(w.i, w.block, w.raw[:0])
	return err
}

// count walks the lengths of an array column's block, notes the elements, and calls
// do, if it is not nil, with each run. An error leaves the node broken.
func (w *walker) count(do func(*block.LengthReader) error) error {
	err := w.counted(do)
	w.n.broken = w.n.broken || err != nil
	return err
}

func (w *walker) counted(do func(*block.LengthReader) error) error {
	units, elements := uint64(0), w.before
	w.lengths.Reset(w.raw, w.n.col.Type)
	for w.lengths.Next() {
		if do != nil {
			if err := do(&w.lengths); err != nil {
				return err
			}
		}
		w.note(units, elements)
		w.within(units, elements)
		units += uint64(w.lengths.Count)
		elements += uint64(w.lengths.Count) * uint64(w.lengths.Length)
	}
	if err := w.lengths.Err(); err != nil {
		return err
	}
	if w.known && units != w.units {
		return fmt.Errorf("%s lengths, %s", show.Comma(units), w.wanted())
	}
	w.before = elements
	w.note(units, elements)
	return nil
}

// wanted says how many values or lengths the block should have, and why.
func (w *walker) wanted() string {
	if w.n.parent < 0 {
		return fmt.Sprintf("%s rows", show.Comma(w.units))
	}
	return fmt.Sprintf("%s elements of parent %q", show.Comma(w.units), w.n.col.Parent)
}

// due returns how many lengths of the block come before the next row at which the
// elements are to be noted.
func (w *walker) due() (units uint64, ok bool) {
	k := len(w.n.elements)
	if w.n.broken || k >= len(w.n.rows) {
		return 0, false
	}
	row := w.n.rows[k]
	if w.block < 0 {
		return 0, row == 0
	}
	from, ok := w.t.units(w.i, w.row)
	at, ok2 := w.t.units(w.i, row)
	return at - from, ok && ok2 && row <= w.end()
}

// note records the elements if they are wanted after that many lengths.
func (w *walker) note(units, elements uint64) {
	for at, ok := w.due(); ok && at == units; at, ok = w.due() {
		w.n.elements = append(w.n.elements, elements)
	}
}

// within notes the elements at rows that begin inside the current run.
func (w *walker) within(units, elements uint64) {
	end := units + uint64(w.lengths.Count)
	for at, ok := w.due(); ok && at > units && at < end; at, ok = w.due() {
		w.n.elements = append(w.n.elements, elements+(at-units)*uint64(w.lengths.Length))
	}
}
