package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"avro2trevni/cmd/trevni/show"
)

// ranges are bytes of a file, [from, to), in order and apart from each other. Any number of
// goroutines may use it.
type ranges struct {
	mu  sync.Mutex
	all [][2]int64
}

// add adds bytes.
func (r *ranges) add(from, to int64) {
	if from >= to {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, [2]int64{from, to})
	slices.SortFunc(r.all, func(a, b [2]int64) int { return int(a[0] - b[0]) })
	merged := r.all[:1]
	for _, next := range r.all[1:] {
		if last := &merged[len(merged)-1]; next[0] <= last[1] {
			last[1] = max(last[1], next[1])
		} else {
			merged = append(merged, next)
		}
	}
	r.all = merged
}

// bytes returns how many there are.
func (r *ranges) bytes() (n int64) {
	for _, one := range r.all {
		n += one[1] - one[0]
	}
	return n
}

// mostRanges is how many are printed.
const mostRanges = 8

// String lists the first and the last byte of each.
func (r *ranges) String() string {
	var texts []string
	for i, one := range r.all {
		if i == mostRanges {
			texts = append(texts, "and "+show.Plural(len(r.all)-i, "range more", "ranges more"))
			break
		}
		texts = append(texts, fmt.Sprintf("%d to %d", one[0], one[1]-1))
	}
	return strings.Join(texts, ", ")
}
