package shuffle

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"sort"
	"sync/atomic"

	"avro2trevni/internal/tuple"
)

// runFile is a sorted run of tuples in a file: a source. Only its footer's numbers
// and its fences are in memory.
type runFile struct {
	slot  slot // of the disk; its file is f
	f     File
	path  string
	size  int64
	id    uint64 // unique in the process, for the cache
	cache *cache
	footer
	box    span
	fences []fence

	refs int // the shuffle's list and merges; guarded by Shuffle.mu
}

// fence is the key of the first entry of an index block.
type fence struct {
	col uint32
	row tuple.Row
}

// footer is the end of a run file, which describes the rest.
type footer struct {
	n      int64 // entries
	values int64 // bytes
	notes  int64 // bytes
	stride int64 // index blocks from fence to fence
	fenced int64 // number of fences
	sum    uint32
}

// index is the offset of the index blocks.
func (f *footer) index() int64 { return roundUp(f.values + f.notes) }

// blocks is the number of index blocks.
func (f *footer) blocks() int64 { return ceil(f.n, perBlock) }

func roundUp(n int64) int64  { return ceil(n, blockSize) * blockSize }
func ceil(n, by int64) int64 { return (n + by - 1) / by }

var runIDs atomic.Uint64

// openRun reads the end of a run file of size bytes, and checks that its parts add up to
// the whole file. The caller keeps f open and closes it.
func openRun(f File, path string, size int64, c *cache) (*runFile, error) {
	r := &runFile{slot: slot{file: f, path: path}, f: f, path: path, size: size, id: runIDs.Add(1), cache: c}
	if err := r.readFooter(); err != nil {
		return nil, err
	}
	return r, r.readFences()
}

func (r *runFile) readFooter() error {
	at := r.size - footerSize
	if at < 0 {
		return corrupt(r.path, 0, "too short for a footer")
	}
	var b [footerSize]byte
	if err := r.read(b[:], at); err != nil {
		return err
	}
	le := binary.LittleEndian
	if string(b[64:]) != magic {
		return corrupt(r.path, at+64, "no magic at the end")
	}
	if le.Uint32(b[60:]) != crc32.Checksum(b[:60], castagnoli) {
		return corrupt(r.path, at, "checksum of the footer differs")
	}
	r.box = span{
		minRow: tuple.Row(le.Uint64(b[24:])), end: tuple.Row(le.Uint64(b[32:])),
		minCol: le.Uint32(b[40:]), maxCol: le.Uint32(b[44:]),
	}
	n, values, notes := le.Uint64(b[:]), le.Uint64(b[8:]), le.Uint64(b[16:])
	stride, fenced := le.Uint32(b[48:]), le.Uint32(b[52:])
	limit := uint64(r.size)
	if n == 0 || n > limit || values > limit || notes > limit || stride == 0 {
		return corrupt(r.path, at, "impossible footer")
	}
	r.footer = footer{
		n: int64(n), values: int64(values), notes: int64(notes),
		stride: int64(stride), fenced: int64(fenced), sum: le.Uint32(b[56:]),
	}
	if r.fenced != ceil(r.blocks(), r.stride) ||
		r.index()+r.blocks()*blockSize+r.fenced*fenceSize != at {
		return corrupt(r.path, at, "the parts do not add up to the file's size")
	}
	return nil
}

func (r *runFile) readFences() error {
	at := r.index() + r.blocks()*blockSize
	b := make([]byte, r.fenced*fenceSize)
	if err := r.read(b, at); err != nil {
		return err
	}
	if crc32.Checksum(b, castagnoli) != r.sum {
		return corrupt(r.path, at, "checksum of the fences differs")
	}
	r.fences = make([]fence, r.fenced)
	for i := range r.fences {
		p := b[i*fenceSize:]
		r.fences[i] = fence{binary.LittleEndian.Uint32(p), tuple.Row(binary.LittleEndian.Uint64(p[4:]))}
	}
	return nil
}

// read fills p from off.
func (r *runFile) read(p []byte, off int64) error {
	if n, err := r.f.ReadAt(p, off); n < len(p) {
		return readError(r.path, off+int64(n), err)
	}
	return nil
}

// loadPage fills p with a page for the cache, verifies it if it is an index block, and
// returns the number of its bytes.
func (r *runFile) loadPage(no int64, p []byte) (int, error) {
	at := no * blockSize
	p = p[:min(blockSize, r.size-at)]
	if err := r.read(p, at); err != nil {
		return 0, err
	}
	first := r.index() / blockSize
	if no < first {
		return len(p), nil
	}
	if binary.LittleEndian.Uint32(p[blockCRC:]) != crc32.Checksum(p[:blockCRC], castagnoli) {
		return 0, corrupt(r.path, at, "checksum of an index block differs")
	}
	if binary.LittleEndian.Uint32(p[blockNum:]) != uint32(no-first) {
		return 0, corrupt(r.path, at, "an index block is not in its place")
	}
	return len(p), nil
}

func (r *runFile) span() *span                  { return &r.box }
func (r *runFile) count() int64                 { return r.n }
func (r *runFile) bytes() (values, notes int64) { return r.footer.values, r.footer.notes }

func (r *runFile) entry(i int64, e *entry) error {
	no := r.index()/blockSize + i/perBlock
	at := int(i%perBlock) * entrySize
	if err := r.cache.decode(r, no, at, e); err != nil {
		return err
	}
	return r.checkEntry(e, no*blockSize+int64(at))
}

// checkEntry checks that the value and note of an entry lie inside their parts of the file.
func (r *runFile) checkEntry(e *entry, at int64) error {
	values, all := uint64(r.footer.values), uint64(r.footer.values+r.footer.notes)
	switch {
	case e.rows == 0 || e.end() < e.row:
		return corrupt(r.path, at, fmt.Sprintf("an entry of %d rows from %v", e.rows, e.row))
	case e.off > values || uint64(e.size) > values-e.off:
		return corrupt(r.path, at, "an entry's value is outside the values")
	case e.noteOff < values || e.noteOff > all || uint64(e.note) > all-e.noteOff:
		return corrupt(r.path, at, "an entry's note is outside the notes")
	}
	return nil
}

// misplaced is the error for entry i that sorts before the one before it.
func (r *runFile) misplaced(i int64) error {
	at := r.index() + i/perBlock*blockSize + i%perBlock*entrySize
	return corrupt(r.path, at, "an entry is out of order")
}

func (r *runFile) readValue(e *entry, off int, p []byte) error {
	return r.read(p, int64(e.off)+int64(off))
}

func (r *runFile) readNote(e *entry, off int, p []byte) error {
	at := int64(e.noteOff) + int64(off)
	for len(p) > 0 {
		n, err := r.cache.copy(r, at/blockSize, int(at%blockSize), p)
		if err != nil {
			return err
		}
		at += int64(n)
		p = p[n:]
	}
	return nil
}

func (r *runFile) verify(e *entry, sum uint32) error {
	if sum != e.sum {
		return corrupt(r.path, int64(e.off), fmt.Sprintf("checksum of the value of column %d row %v differs", e.col, e.row))
	}
	return nil
}

func (r *runFile) verifyNote(e *entry, sum uint32) error {
	if sum != e.noteSum {
		return corrupt(r.path, int64(e.noteOff), fmt.Sprintf("checksum of the note of column %d row %v differs", e.col, e.row))
	}
	return nil
}

// seek finds the blocks between two fences first: one page to read if the stride is 1.
func (r *runFile) seek(col uint32, row tuple.Row) (int64, error) {
	i := sort.Search(len(r.fences), func(i int) bool {
		return !tuple.Less(r.fences[i].col, r.fences[i].row, col, row)
	})
	if i == 0 {
		return 0, nil
	}
	entries := r.stride * perBlock
	return search(r, int64(i-1)*entries, min(int64(i)*entries, r.n), col, row)
}
