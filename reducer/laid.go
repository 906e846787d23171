package reducer

import (
	"iter"
	"math"

	"avro2trevni/internal/tuple"
)

// Laid is what was laid out of a group: what a format makes a file of.
type Laid struct{ g *Group }

// Block is a block of a file.
type Block struct {
	Row  tuple.Row // its first row
	Rows uint32
	Raw  uint32 // bytes before compression
	Size uint32 // bytes in the file
	Note []byte // what its [Joiner] noted
}

// Rows returns the number of the file's rows.
func (l *Laid) Rows() int64 { return l.g.rng.Rows }

// Blocks returns the number of a column's blocks.
func (l *Laid) Blocks(column int) int { return len(l.g.cols[column].blocks) }

// Bytes returns the bytes of a column's blocks in the file, and those of their notes.
func (l *Laid) Bytes(column int) (blocks, notes int64) {
	c := &l.g.cols[column]
	return c.bytes, int64(len(c.notes.bytes))
}

// Block returns block k of a column.
func (l *Laid) Block(column, k int) Block {
	c := &l.g.cols[column]
	b := &c.blocks[k]
	return Block{Row: b.row, Rows: b.rows, Raw: b.raw, Size: b.size, Note: c.notes.of(k)}
}

// Order gives column and number of all blocks in the order of the file.
func (l *Laid) Order() iter.Seq2[int, int] {
	if l.g.shape.BySplit {
		return l.bySplit
	}
	return func(yield func(column, k int) bool) {
		for c := range l.g.cols {
			for k := range l.g.cols[c].blocks {
				if !yield(c, k) {
					return
				}
			}
		}
	}
}

// bySplit gives the blocks of split after split.
func (l *Laid) bySplit(yield func(column, k int) bool) {
	next := make([]int, len(l.g.cols)) // of each column, the first block that was not given
	for {
		split := l.split(next)
		if split == math.MaxInt {
			return
		}
		for c := range next {
			blocks := l.g.cols[c].blocks
			for ; next[c] < len(blocks) && blocks[next[c]].row.Split() == split; next[c]++ {
				if !yield(c, next[c]) {
					return
				}
			}
		}
	}
}

// split returns the first split of the next blocks of all columns.
func (l *Laid) split(next []int) int {
	least := math.MaxInt
	for c := range next {
		if blocks := l.g.cols[c].blocks; next[c] < len(blocks) {
			least = min(least, blocks[next[c]].row.Split())
		}
	}
	return least
}
