package streaming

import (
	"encoding/binary"
	"math"

	"avro2trevni/internal/tuple"
)

// Index is what a map task tells of a split before its data.
type Index struct {
	Rows    int64
	Bytes   int64   // what its runs will take in a file, descriptors included
	Note    []byte  // the job's own
	Columns [][]Run // of each column, in order of rows
}

// Run is one run of a split's column: it begins where the one before it ended.
type Run struct {
	Rows, Values, Raw, Size uint32
	Early                   bool   // its value is in the early region
	Note                    []byte // the tuple's
}

// Add adds the next run of a column, all but its value. The note is copied.
func (x *Index) Add(t *tuple.Tuple, early bool) {
	note := append([]byte(nil), t.Note...)
	x.Columns[t.Column] = append(x.Columns[t.Column], Run{t.Rows, t.Values, t.Raw, t.Size, early, note})
}

// noted is set in the last number of a run that has a note.
const noted = 1 << 32

// Append appends the index as it travels, all numbers being varints:
//
//	| rows | bytes | columns | note's length | note | column 0 | column 1 | ...
//	column: | runs | rows, values, raw, last | ... |
//	last:   2*size + early; 2^32 more if the note's length and the note follow
func (x *Index) Append(b []byte) []byte {
	for _, n := range []int{int(x.Rows), int(x.Bytes), len(x.Columns), len(x.Note)} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	b = append(b, x.Note...)
	for _, runs := range x.Columns {
		b = binary.AppendUvarint(b, uint64(len(runs)))
		for _, r := range runs {
			b = binary.AppendUvarint(b, uint64(r.Rows))
			b = binary.AppendUvarint(b, uint64(r.Values))
			b = binary.AppendUvarint(b, uint64(r.Raw))
			last := 2 * uint64(r.Size)
			if r.Early {
				last++
			}
			if len(r.Note) == 0 {
				b = binary.AppendUvarint(b, last)
				continue
			}
			b = binary.AppendUvarint(b, last|noted)
			b = binary.AppendUvarint(b, uint64(len(r.Note)))
			b = append(b, r.Note...)
		}
	}
	return b
}

// decoder reads varints and keeps its first failure.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) uint(most uint64) uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 || v > most {
		d.b, d.bad = nil, true
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) uint32() uint32 { return uint32(d.uint(math.MaxUint32)) }

// count reads how many of something follow, each of at least size bytes.
func (d *decoder) count(size int) int {
	n := d.uint(math.MaxInt32)
	if n > uint64(len(d.b)/size) {
		d.b, d.bad = nil, true
		return 0
	}
	return int(n)
}

// bytes reads a length and as many bytes.
func (d *decoder) bytes() (b []byte) {
	n := d.count(1)
	b, d.b = d.b[:n], d.b[n:]
	return b
}

// walkIndex reads an index with that many columns, and shows each run to visit. Notes are of b.
func walkIndex(b []byte, columns int, visit func(column int, r Run)) (x Index, err error) {
	d := decoder{b: b}
	x.Rows, x.Bytes = int64(d.uint(tuple.MaxRow)), int64(d.uint(math.MaxInt64))
	have := d.uint(math.MaxUint32)
	note := d.count(1)
	if d.bad || have != uint64(columns) {
		return x, recordsError("an index of %d columns, expected %d", have, columns)
	}
	x.Note, d.b = d.b[:note], d.b[note:]
	for c := range columns {
		rows := uint64(0)
		for range d.count(4) {
			r := Run{Rows: d.uint32(), Values: d.uint32(), Raw: d.uint32()}
			last := d.uint(math.MaxInt32*2 + 1 + noted)
			r.Size, r.Early = uint32(last&(noted-1)/2), last&1 == 1
			if last&noted != 0 {
				r.Note = d.bytes()
			}
			rows += uint64(r.Rows)
			visit(c, r)
		}
		if rows != uint64(x.Rows) && !d.bad {
			return x, recordsError("an index of %d rows with a column %d of %d", x.Rows, c, rows)
		}
	}
	if d.bad || len(d.b) > 0 {
		return x, recordsError("a malformed index")
	}
	return x, nil
}
