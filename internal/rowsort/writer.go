package rowsort

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"avro2trevni/internal/tuple"
	"avro2trevni/shuffle"
)

// Writer takes rows. It is for one goroutine. A writer that failed stays failed.
type Writer struct {
	s       *Sorter
	w       *shuffle.Writer
	most    int64 // bytes of slabs and entries
	slabs   [][]byte
	used    int   // slabs that hold something
	usual   int   // bytes of a slab, if no row needs more
	held    int64 // bytes of the slabs in use
	entries []ref
	common  []byte // what all keys begin with
	run     runWriter
	rows    int64
	bytes   int64
	err     error
}

// ref is where a row is in the slabs: its key, and then itself or, if it is large, its
// size and first piece.
type ref struct {
	prefix uint64 // of the key, after what all have in common
	slab   uint32
	at     uint32
	key    uint32 // bytes
	row    uint32 // bytes, large for a reference
	kind   uint32
}

// large is ref.row of a large row.
const large = 1<<32 - 1

// NewWriter returns a writer.
func (s *Sorter) NewWriter() *Writer {
	w := &Writer{s: s, w: s.store.NewWriter(), most: s.o.Memory / int64(max(1, s.o.Writers))}
	w.usual = int(min(slabBytes, max(4<<10, w.most/slabs)))
	w.run.w = w.w
	return w
}

// Add adds a row of a kind. Key and row are copied. The error is [ErrLongKey], which
// leaves the writer usable, or the shuffle's.
func (w *Writer) Add(key []byte, kind uint32, row []byte) error {
	if w.err != nil {
		return w.err
	}
	if len(key) > MaxKey {
		return ErrLongKey
	}
	w.err = w.add(key, kind, row)
	return w.err
}

func (w *Writer) add(key []byte, kind uint32, row []byte) error {
	e := ref{key: uint32(len(key)), row: uint32(len(row)), kind: kind}
	w.rows++
	w.bytes += int64(len(row))
	if len(row) > MaxSmall {
		first, err := w.pieces(row)
		if err != nil {
			return err
		}
		e.row = large
		row = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(len(row))), uint64(first))
	}
	if err := w.room(len(key) + len(row)); err != nil {
		return err
	}
	slab := &w.slabs[w.used-1]
	e.slab, e.at = uint32(w.used-1), uint32(len(*slab))
	*slab = append(append(*slab, key...), row...)
	if len(w.entries) == 0 {
		w.common = append(w.common[:0], key...)
	}
	w.common = w.common[:shared(w.common, key)]
	w.entries = append(w.entries, e)
	return nil
}

// room makes room for n bytes in the last slab in use, which may need a flush.
func (w *Writer) room(n int) error {
	fits := w.used > 0 && len(w.slabs[w.used-1])+n <= cap(w.slabs[w.used-1])
	held := w.held
	if !fits {
		held += int64(max(n, w.usual))
	}
	if held+int64(len(w.entries)+1)*entryCost > w.most && len(w.entries) > 0 {
		if err := w.flush(); err != nil {
			return err
		}
		fits = false
	}
	if fits {
		return nil
	}
	if w.used == len(w.slabs) {
		w.slabs = append(w.slabs, nil)
	}
	if slab := &w.slabs[w.used]; cap(*slab) < n {
		*slab = make([]byte, 0, max(n, w.usual))
	}
	w.held += int64(cap(w.slabs[w.used]))
	w.used++
	return nil
}

// pieces gives a large row to the shuffle, and returns the number of its first piece.
func (w *Writer) pieces(row []byte) (first int64, err error) {
	n := (len(row) + pieceBytes - 1) / pieceBytes
	end := w.s.pieces.Add(int64(n))
	first = end - int64(n)
	for i := range n {
		piece := row[i*pieceBytes : min(len(row), (i+1)*pieceBytes)]
		t := tuple.Tuple{
			Column: largeColumn, Row: tuple.RowOf(largeSplit, first+int64(i)), Rows: 1, Values: 1,
			Raw: uint32(len(piece)), Size: uint32(len(piece)), Value: piece,
		}
		if err := w.w.Add(t); err != nil {
			return 0, err
		}
	}
	return first, nil
}

func (w *Writer) keyOf(e *ref) []byte { return w.slabs[e.slab][e.at : e.at+e.key] }

func (w *Writer) valueOf(e *ref) value {
	v := value{kind: e.kind, large: e.row == large}
	b := w.slabs[e.slab][e.at+e.key:]
	if v.large {
		v.size, v.piece = int64(binary.BigEndian.Uint64(b)), int64(binary.BigEndian.Uint64(b[8:]))
	} else {
		v.row = b[:e.row]
	}
	return v
}

// flush sorts what the slabs hold and gives it to the shuffle as a run.
func (w *Writer) flush() (err error) {
	if len(w.entries) == 0 {
		return nil
	}
	w.sort()
	if w.run.run, err = w.s.newRun(0); err != nil {
		return err
	}
	w.run.first = 0
	for i := range w.entries {
		e := &w.entries[i]
		if err := w.run.add(w.keyOf(e), w.valueOf(e)); err != nil {
			return err
		}
	}
	if err := w.run.end(); err != nil {
		return err
	}
	w.s.add(w.run.run)
	for i := range w.slabs[:w.used] {
		if w.slabs[i] = w.slabs[i][:0]; cap(w.slabs[i]) > w.usual {
			w.slabs[i] = nil
		}
	}
	w.used, w.held, w.entries = 0, 0, w.entries[:0]
	return nil
}

// sort sorts the entries by their keys: first by 8 bytes of each, which are in the entry.
func (w *Writer) sort() {
	skip := len(w.common)
	for i := range w.entries {
		e := &w.entries[i]
		e.prefix = prefix(w.keyOf(e)[skip:])
	}
	skip += 8
	slices.SortFunc(w.entries, func(a, b ref) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return bytes.Compare(tail(w.keyOf(&a), skip), tail(w.keyOf(&b), skip))
	})
}

// tail returns what of a key is after n bytes, for keys that are alike so far.
func tail(key []byte, n int) []byte { return key[min(n, len(key)):] }

// prefix returns the first 8 bytes of a key as a number that compares like them.
func prefix(key []byte) uint64 {
	if len(key) >= 8 {
		return binary.BigEndian.Uint64(key)
	}
	var b [8]byte
	copy(b[:], key)
	return binary.BigEndian.Uint64(b[:])
}

// Close hands over what was added, and gives the writer's memory up.
func (w *Writer) Close() error {
	if w.err == nil {
		w.err = w.flush()
	}
	w.s.count(w.rows, w.bytes)
	w.rows, w.bytes = 0, 0
	w.slabs, w.entries, w.run = nil, nil, runWriter{}
	err := w.w.Close()
	if w.err != nil {
		return w.err
	}
	return err
}
