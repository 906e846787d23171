package reducer

// notes are those of a column's first blocks, in order; a column without has none.
type notes struct {
	bytes []byte // one after the other
	ends  []int  // where each ends in bytes
}

// noteMemory is what n notes take: themselves, where they end, and again as they are
// written.
func noteMemory(n, bytes int) int64 { return 8*int64(n) + 2*int64(bytes) }

// add adds the note of the next block, if there is room for it.
func (n *notes) add(note []byte, room *room) {
	if room.take(noteMemory(1, len(note))) {
		n.bytes = append(n.bytes, note...)
		n.ends = append(n.ends, len(n.bytes))
	}
}

// truncate keeps those of the first k blocks.
func (n *notes) truncate(k int, room *room) {
	k = min(k, len(n.ends))
	room.give(noteMemory(len(n.ends)-k, len(n.bytes)-n.end(k)))
	n.ends, n.bytes = n.ends[:k], n.bytes[:n.end(k)]
}

// end returns where the notes of the first k blocks end.
func (n *notes) end(k int) int {
	if k == 0 {
		return 0
	}
	return n.ends[k-1]
}

// of returns the note of block k, nil if there is none.
func (n *notes) of(k int) []byte {
	if k >= len(n.ends) {
		return nil
	}
	return n.bytes[n.end(k):n.ends[k]:n.ends[k]]
}
