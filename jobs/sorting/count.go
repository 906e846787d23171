package sorting

import (
	"container/heap"
	"math"
	"slices"
	"strings"
	"sync"

	"avro2trevni/internal/exit"
	"avro2trevni/jobs/turns"
)

// partCount is what is known of a partition when all inputs are read.
type partCount struct {
	name  string
	bytes int64 // of its rows
}

// partNumbers numbers the partitions that cutters find, and finds the split in which there
// are too many: the first split whose rows, together with those of all earlier splits,
// belong to more partitions than allowed. This depends only on the rows, not on the order
// of the cutters.
//
// It keeps one partition more than allowed, those of the first splits: no others are needed
// to find that split.
type partNumbers struct {
	mu    sync.RWMutex
	most  int
	index map[string]int
	all   []numberedPart // by number
	late  []int          // a heap of the numbers: that whose first split is the last comes first
}

// numberedPart is a partition that has a number.
type numberedPart struct {
	name  string
	first int // the first split in which it was found
	place int // in the heap
}

// number returns the number of a partition that has a row in a split, -1 if it needs none any more,
// and the split in which they are too many, as far as is known; [math.MaxInt] if they are not.
func (p *partNumbers) number(name []byte, split int) (i, last int) {
	p.mu.RLock()
	i, ok := p.index[string(name)]
	ok = ok && p.all[i].first <= split
	p.mu.RUnlock()
	if ok {
		return i, math.MaxInt
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	i, ok = p.index[string(name)]
	switch {
	case ok:
		p.all[i].first = min(p.all[i].first, split)
		heap.Fix(p, p.all[i].place)
	case len(p.all) <= p.most:
		i = p.add(string(name), split)
	case split < p.all[p.late[0]].first:
		i = p.late[0]
		p.replace(i, string(name), split)
	default:
		i = -1
	}
	if len(p.all) > p.most {
		return i, p.all[p.late[0]].first
	}
	return i, math.MaxInt
}

// add gives a partition the next number.
func (p *partNumbers) add(name string, split int) int {
	if p.index == nil {
		p.index = map[string]int{}
	}
	i := len(p.all)
	p.index[name] = i
	p.all = append(p.all, numberedPart{name, split, i})
	heap.Push(p, i)
	return i
}

// replace gives the number of a partition to one that comes in an earlier split.
func (p *partNumbers) replace(i int, name string, split int) {
	delete(p.index, p.all[i].name)
	p.index[name] = i
	p.all[i].name, p.all[i].first = name, split
	heap.Fix(p, p.all[i].place)
}

// Len implements [heap.Interface], as the following do.
func (p *partNumbers) Len() int { return len(p.late) }

func (p *partNumbers) Less(i, j int) bool { return p.all[p.late[i]].first > p.all[p.late[j]].first }

func (p *partNumbers) Swap(i, j int) {
	p.late[i], p.late[j] = p.late[j], p.late[i]
	p.all[p.late[i]].place, p.all[p.late[j]].place = i, j
}

func (p *partNumbers) Push(x any) { p.late = append(p.late, x.(int)) }

func (p *partNumbers) Pop() any { panic("jobs: partitions are not taken away") }

// partCounter counts the bytes of partitions, those of one cutter.
type partCounter struct {
	names *partNumbers
	turn  *turns.Turn
	bytes []int64 // by a partition's number
	split int     // of the row before
	last  []byte  // the name of its partition
	at    int     // the number of that
}

// Memory that partitions take, in bytes for each that there may be.
const (
	partMemory  = 256 // once: its name, and what numbers it
	countMemory = 16  // for each cutter
)

// add counts a row of a split. Once the partitions are too many, no split after that is wanted; that
// one and those before it are cut to their end, for what they fail with of their own goes first.
func (c *partCounter) add(name []byte, split, bytes int) {
	if len(c.last) == 0 || c.split != split || string(c.last) != string(name) {
		var end int
		if c.at, end = c.names.number(name, split); end < math.MaxInt {
			c.turn.End(end, tooManyParts(c.names.most))
		}
		c.split, c.last = split, append(c.last[:0], name...)
		if n := c.at + 1 - len(c.bytes); n > 0 {
			c.bytes = append(c.bytes, make([]int64, n)...)
		}
	}
	if c.at >= 0 {
		c.bytes[c.at] += int64(bytes)
	}
}

func tooManyParts(most int) error {
	return exit.Refused("more than %d partitions: is it the right field? --max-partitions raises the bound", most)
}

// joinParts returns the partitions of several cutters, in the order of their names.
func joinParts(cutters []*rowCutter) []partCount {
	numbered := cutters[0].parts.names.all
	all := make([]partCount, len(numbered))
	for i, part := range numbered {
		all[i].name = part.name
		for _, c := range cutters {
			if i < len(c.parts.bytes) {
				all[i].bytes += c.parts.bytes[i]
			}
		}
	}
	slices.SortFunc(all, func(a, b partCount) int { return strings.Compare(a.name, b.name) })
	return all
}
