package ocf

import (
	"fmt"
	"io"
)

// Gap is a range of a file in which there is no whole block.
//
//	...[ block ][ count size dat#a.... sync ][ block ]...
//	            ^Offset                      ^End
type Gap struct {
	Offset int64 // where a block should begin
	End    int64 // where the next may, or the file's end
	Blocks int64 // blocks given up, as far as markers tell; 1 of each call of Skip
	Rows   int64 // as the blocks' headers claim; -1 where no header can be believed
}

// Bytes returns the range's length.
func (g Gap) Bytes() int64 { return g.End - g.Offset }

// AppendGap adds a gap after those before it. It prolongs the last one if that ends
// where g begins, and the rows are known of both or of neither.
func AppendGap(gaps []Gap, g Gap) []Gap {
	if n := len(gaps) - 1; n >= 0 && gaps[n].End == g.Offset && (gaps[n].Rows < 0) == (g.Rows < 0) {
		gaps[n].End = g.End
		gaps[n].Blocks += g.Blocks
		if g.Rows > 0 {
			gaps[n].Rows += g.Rows
		}
		return gaps
	}
	return append(gaps, g)
}

// Skip skips the block that Next found last or failed at, and returns the skipped range;
// Next continues after it. The range ends at the next sync marker after the block's start,
// with one exception: if the header's size leads to a block with valid framing, preceded by
// most of a marker, the range ends there, because then that marker was damaged, and a
// complete marker before it is data.
//
// Where a block is tried next follows from the file's bytes after the first block tried
// alone. It may be bytes that only look like a block: the caller takes one only if it
// decodes whole and its rows take just its bytes.
//
// The range's rows are what the header claims where it leads to the range's end, or to
// after the end of a file that was cut.
func (r *Reader) Skip() (Gap, error) {
	at := r.at
	if at < 0 {
		return Gap{}, errUse
	}
	r.release()
	r.state, r.err = idle, nil
	gap := Gap{Offset: at, Blocks: 1, Rows: -1}
	err := r.bound(&gap)
	if err != nil {
		return Gap{}, r.fail(at, at, err)
	}
	r.pos = gap.End
	return gap, nil
}

// bound finds where a gap ends, and its rows.
func (r *Reader) bound(gap *Gap) error {
	marker, err := r.marker(gap.Offset, r.in.size)
	if err != nil {
		return err
	}
	gap.End = r.in.size
	if marker >= 0 {
		gap.End = marker + SyncSize
	}
	rows, end, ok, err := r.frame(gap.Offset)
	if err != nil || !ok {
		return err
	}
	if end != gap.End && end < r.in.size {
		if ok, err = r.resembled(end); err != nil || !ok {
			return err
		}
		gap.End = end
	}
	if end == gap.End || marker < 0 {
		gap.Rows = rows
	}
	return nil
}

// frame parses the header of the block at the given offset, wherever that says the
// block ends. ok is false if it makes no sense.
func (r *Reader) frame(at int64) (rows, end int64, ok bool, err error) {
	var b [maxBlockHeader]byte
	head := b[:min(maxBlockHeader, r.in.size-at)]
	if err := readFull(r.in.src, head, at); err != nil {
		return 0, 0, false, err
	}
	const anywhere = 1<<63 - 1
	rows, size, n, err := parseBlock(head, anywhere, r.lim.BlockRows)
	if err != nil || size > anywhere-at-int64(n)-SyncSize {
		return 0, 0, false, nil
	}
	return rows, at + int64(n) + size + SyncSize, true, nil
}

// resembled reports whether a block with valid framing begins at the given offset, and at
// least half of the bytes before it are those of a marker: then that marker was damaged,
// and not the header that led here.
func (r *Reader) resembled(at int64) (bool, error) {
	var b [SyncSize]byte
	if err := r.in.read(b[:], at-SyncSize); err != nil {
		return false, err
	}
	same := 0
	for i := range b {
		if b[i] == r.h.Sync[i] {
			same++
		}
	}
	if same < SyncSize/2 {
		return false, nil
	}
	return r.plausible(at)
}

// OpenAt is [Reader.Open] where it is known that the segment's first block is at first,
// and which gaps the file has, in order: Next passes over them. first is end or after it
// if no block begins in the segment.
func (r *Reader) OpenAt(src io.ReaderAt, name string, size int64, h *Header, first, end int64, gaps []Gap) error {
	if err := r.start(src, name, size, h, end); err != nil {
		return err
	}
	r.pos, r.gaps = first, gaps
	r.pass()
	first, r.pos = r.pos, r.end
	r.found(first)
	return nil
}

// pass goes over the gaps that begin at the next block's place or before it.
func (r *Reader) pass() {
	for len(r.gaps) > 0 && r.gaps[0].Offset <= r.pos {
		r.pos = max(r.pos, r.gaps[0].End)
		r.gaps = r.gaps[1:]
	}
}

// String describes what is lost, for messages.
func (g Gap) String() string {
	rows := fmt.Sprintf("%d rows", g.Rows)
	switch {
	case g.Rows < 0:
		rows = "an unknown number of rows"
	case g.Rows == 1:
		rows = "1 row"
	}
	return fmt.Sprintf("%d bytes from %d on, %s", g.Bytes(), g.Offset, rows)
}
