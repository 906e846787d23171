package inputs

import (
	"math"

	"avro2trevni/internal/tuple"
	"avro2trevni/internal/units"
)

// Segment is a range of one input: the blocks that begin in [Start, End). Whether
// there are any is known only when it is read.
type Segment struct {
	Input      int   // index in [Plan].Inputs
	Part       int   // number among the segments of its input, from 0
	Start, End int64 // bytes from the file's start
}

// Split is what one mapper takes at a time: segments whose rows follow each other.
type Split []Segment

// Bytes returns the bytes of the split's segments.
func (s Split) Bytes() int64 {
	var n int64
	for _, seg := range s {
		n += seg.End - seg.Start
	}
	return n
}

// FileCost is what a small file weighs beyond its bytes when small files are
// grouped: opening it takes about as long as reading that much.
const FileCost = 16 * units.KiB

// MaxSplits is the most splits that rows can be numbered in.
const MaxSplits = tuple.MaxSplit + 1

// Cut cuts the inputs into splits of about SplitSize bytes, which is doubled until their number
// can be counted.
func (p *Plan) Cut() {
	sizes := make([]int64, len(p.Inputs))
	for i := range p.Inputs {
		sizes[i] = p.Inputs[i].Size
	}
	p.Splits, p.SplitSize = makeSplits(sizes, p.SplitSize, MaxSplits)
}

// Borders returns where the segments of each input begin.
func (p *Plan) Borders() [][]int64 {
	b := make([][]int64, len(p.Inputs))
	for _, split := range p.Splits {
		for _, seg := range split {
			b[seg.Input] = append(b[seg.Input], seg.Start)
		}
	}
	return b
}

// makeSplits cuts inputs into splits of about size bytes and returns them with the
// size it used: the one given, doubled until there are at most limit splits. What it
// does follows from these alone, so that row numbers, and with them the bytes of the
// outputs, never depend on workers or memory.
//
//	sizes:  20 MiB                     5 MiB  1 MiB  1 MiB  7 MiB
//	splits: [6.7 MiB][6.7 MiB][6.7 MiB][5 MiB, 1 MiB, 1 MiB][7 MiB]
func makeSplits(sizes []int64, size int64, limit int) ([]Split, int64) {
	for ; ; size += min(size, math.MaxInt64-size) {
		if splits, ok := trySplits(sizes, size, limit); ok {
			return splits, size
		}
	}
}

// trySplits makes splits of one size, and gives up past the limit.
func trySplits(sizes []int64, size int64, limit int) ([]Split, bool) {
	var splits []Split
	var group Split // small files, not yet a split
	var weight int64
	flush := func() {
		if len(group) > 0 {
			splits = append(splits, group)
		}
		group, weight = nil, 0
	}
	for i, n := range sizes {
		if n > size {
			flush()
			if n/size >= int64(limit-len(splits)) {
				return nil, false
			}
			splits = append(splits, even(i, n, size)...)
			continue
		}
		if len(group) > 0 && n > size-weight-FileCost {
			flush()
		}
		group = append(group, Segment{Input: i, Start: 0, End: n})
		weight += n + FileCost
	}
	flush()
	return splits, len(splits) <= limit
}

// even divides a file of n bytes evenly into the fewest parts of at most size bytes.
func even(input int, n, size int64) []Split {
	parts := (n-1)/size + 1
	splits := make([]Split, parts)
	for i := range parts {
		splits[i] = Split{{Input: input, Part: int(i), Start: Portion(i, n, parts), End: Portion(i+1, n, parts)}}
	}
	return splits
}

// Portion returns i*n/parts, which the product might overflow.
func Portion(i, n, parts int64) int64 {
	return n/parts*i + n%parts*i/parts
}
