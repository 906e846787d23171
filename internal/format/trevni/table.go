package trevni

import (
	"log/slog"
	"math"
	"slices"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/format"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/units"
	"avro2trevni/mapper"
	"avro2trevni/reducer"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// fileTable is the columns of files, and how they are coded. It is a [format.Table].
type fileTable struct {
	columns   []trevni.Column
	meta      trevni.Metadata
	coding    block.Coding   // of the file
	codings   []block.Coding // of each column
	index     []string       // columns that have first values because --index names them
	sorted    int            // the column that has them because rows are sorted by it, -1: none
	blockSize int
	limit     int64 // most bytes of a file; 0: no limit
	header    int64 // bytes of a file without rows
	digests   bool
	files     *Files
}

// NewTable implements [format.Format].
func (Format) NewTable(l *mapper.Layout, w *format.Words, schema string, meta []ocf.Meta) (format.Table, error) {
	t := &fileTable{columns: Columns(l), blockSize: w.BlockSize, limit: w.FileSize, digests: w.Digests}
	t.meta = trevni.Metadata{{Key: SchemaKey, Value: []byte(schema)}}
	for _, m := range meta {
		t.meta = append(t.meta, trevni.Property(m))
	}
	var err error
	if t.index, err = t.indexBy(w.Index); err != nil {
		return nil, err
	}
	t.sorted = slices.IndexFunc(t.columns, func(c trevni.Column) bool {
		return w.Sorted != "" && c.Name == w.Sorted && !c.FirstValues && unindexable(&c) == ""
	})
	if t.sorted >= 0 {
		t.columns[t.sorted].FirstValues = true
	}
	if err := t.code(w); err != nil {
		return nil, err
	}
	return t, t.fit()
}

// fit decides how runs become files, and checks that these have room for rows.
func (t *fileTable) fit() (err error) {
	t.files, err = NewFiles(FileOptions{
		Columns: t.columns, Meta: t.meta, BlockSize: t.blockSize, Codec: t.coding.Codec, Checksum: t.coding.Checksum, Codings: t.codings,
	})
	if err != nil {
		return err
	}
	ro := reducer.Options{Format: t.files}
	if t.header, err = ro.HeaderSize(); err != nil {
		return err
	}
	if t.limit > 0 && t.limit <= t.header {
		return exit.Refused("--file-size %d has no room for rows: the header of a file takes %d", t.limit, t.header)
	}
	return nil
}

// names returns the columns' names.
func (t *fileTable) names() (names []string) {
	for i := range t.columns {
		names = append(names, t.columns[i].Name)
	}
	return names
}

// Columns implements [format.Table].
func (t *fileTable) Columns() (all []format.Column) {
	for _, c := range t.columns {
		more := ""
		if c.Array {
			more = "array"
		}
		if c.Parent != "" {
			more += " of " + c.Parent
		}
		if c.Codec != "" {
			more += " codec " + c.Codec
		}
		if c.Checksum != "" {
			more += " checksum " + c.Checksum
		}
		if c.FirstValues {
			more = "first values"
		}
		all = append(all, format.Column{Name: c.Name, Type: c.Type.String(), More: more})
	}
	return all
}

// Notes implements [format.Table].
func (*fileTable) Notes() []string { return nil }

// Summaries implements [format.Table].
func (*fileTable) Summaries() []format.Summary { return nil }

// Schema implements [format.Table].
func (*fileTable) Schema() string { return "" }

// Index implements [format.Table].
func (t *fileTable) Index() []string { return t.index }

// marksPerFile is how many marks are set in a file's worth of rows: how finely a
// file's end can be chosen.
const marksPerFile = 512

// Bounds of the bytes between two marks. Where a file has little room for rows there are
// leastMarks in it: rows never take that many times as much in a file as in an input, but
// where columns have more overhead than values.
const (
	minMark    = 64 * units.KiB
	maxMark    = units.MiB
	leastMarks = 16
)

// Mapping implements [format.Table].
func (t *fileTable) Mapping() mapper.Options {
	o := mapper.Options{BlockSize: t.blockSize, Overhead: Overhead}
	if t.limit > 0 {
		room := max(1, (t.limit-t.header)/leastMarks)
		o.MarkBytes = int(min(max(t.limit/marksPerFile, min(minMark, room)), maxMark))
		o.StepBytes = int(min(room, math.MaxInt32))
	}
	return o
}

// NewEncoder implements [format.Table].
func (t *fileTable) NewEncoder() mapper.Encoder { return NewEncoder(t.columns, t.codings, t.digests) }

// Files implements [format.Table].
func (t *fileTable) Files() reducer.Format { return t.files }

// flateMemory is what the tables of a deflate encoder take.
const flateMemory = 2 * units.MiB

// joinerBlocks is how many blocks a joiner holds, raw and encoded, and a writer of large ones.
const joinerBlocks = 6

// Memory implements [format.Table].
func (t *fileTable) Memory() format.Memory {
	coders := flateMemory * t.deflates()
	m := format.Memory{Encoder: coders, Joiner: coders + joinerBlocks*int64(t.blockSize), Sums: units.MiB, Layout: t.layoutMemory}
	if t.digests {
		m.Encoder += SumMemory(len(t.columns))
	}
	return m
}

// deflates is how many codings compress with deflate, whose tables are large.
func (t *fileTable) deflates() (n int64) {
	seen := map[block.Coding]bool{}
	for _, c := range append(slices.Clone(t.codings), t.coding) {
		if c.Codec.Name == "deflate" && !seen[c] {
			seen[c] = true
			n++
		}
	}
	return n
}

// layoutMemory is what the blocks of a file of that size, in bytes, take, with their first values.
func (t *fileTable) layoutMemory(file int64) int64 {
	blocks := 2 * file / int64(t.blockSize)
	return t.files.Shape().BlockMemory()*(blocks+2*int64(len(t.columns))) + t.firstsMemory()*(blocks+2)
}

// firstsMemory is what the first values of a block's columns hold at the most, and
// again as they are written.
func (t *fileTable) firstsMemory() (bytes int64) {
	for i := range t.columns {
		if c := &t.columns[i]; c.FirstValues {
			most := 10
			if c.Type == trevni.String || c.Type == trevni.Bytes {
				most = MaxFirst
			}
			bytes += int64(most) + 8
		}
	}
	return bytes
}

// Watches implements [format.Table].
func (t *fileTable) Watches() bool { return t.sorted >= 0 }

// Sorted implements [format.Table]: first values that were not requested are dropped if one
// may be too long.
func (t *fileTable) Sorted(longest int, log *slog.Logger) format.Table {
	if t.sorted < 0 || longest <= MaxFirst {
		return t
	}
	log.Info("the column gets no first values: one of them is too long", "column", t.columns[t.sorted].Name, "most", MaxFirst)
	c := *t
	c.columns, c.sorted = slices.Clone(t.columns), -1
	c.columns[t.sorted].FirstValues = false
	if err := c.fit(); err != nil {
		panic(err) // of fewer demands than before
	}
	return &c
}

// Ascends implements [format.Table].
func (t *fileTable) Ascends(column int, first, before []byte) (bool, error) {
	bad, _, err := block.CheckSorted(first, t.columns[column].Type, 1, before)
	return bad == 1, err
}
