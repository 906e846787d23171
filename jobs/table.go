package jobs

import (
	"cmp"
	"math"
	"slices"

	"avro2trevni/internal/colname"
	"avro2trevni/internal/exit"
	format "avro2trevni/internal/format/trevni"
	"avro2trevni/internal/units"
	"avro2trevni/mapper"
	"avro2trevni/reducer"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// table is what the output's files hold, and how: columns, codings, metadata, sizes. It is
// what a job knows of the files' format: what the stages do about columns and blocks they
// are told by it, and what reads a finished file back asks it. It is made before the stages
// run, and read only from then on.
type table struct {
	columns   []trevni.Column // the program's, with what is to be indexed
	coding    block.Coding    // of the file
	codings   []block.Coding  // of each column; nil if all are the file's
	meta      trevni.Metadata
	blockSize int
	limit     int64 // most bytes of a file; 0: no limit
	header    int64 // bytes of a file without rows
	block     int64 // bytes that a block takes in a layout
	sums      bool  // the mappers make digests of the columns, to compare files with
}

// tableOptions are the options that shape a table.
type tableOptions struct {
	codecs, checksums choice
	blockSize         int
	limit             int64 // most bytes of a file; 0: no limit
	sums              bool  // whether files are to be compared with what the mappers made
}

// newTable returns the table of columns and metadata. What cannot be coded as asked is refused,
// and a file that has no room for rows.
func newTable(columns []trevni.Column, meta trevni.Metadata, o tableOptions) (*table, error) {
	t := &table{columns: columns, meta: meta, blockSize: o.blockSize, limit: o.limit, sums: o.sums}
	if err := t.code(o.codecs, o.checksums); err != nil {
		return nil, err
	}
	return t, t.fit()
}

// code decides how the columns are coded, and names in them what is not the file's.
func (t *table) code(codecs, sums choice) error {
	t.coding = codingOf(codecs.all, sums.all)
	if len(codecs.own)+len(sums.own) == 0 {
		return nil
	}
	byCodec, err1 := codecs.words("codec", t.columns)
	bySum, err2 := sums.words("checksum", t.columns)
	if err := cmp.Or(err1, err2); err != nil {
		return err
	}
	t.columns = slices.Clone(t.columns)
	t.codings = make([]block.Coding, len(t.columns))
	for i := range t.columns {
		c := codingOf(byCodec[i], bySum[i])
		t.codings[i] = c
		if name := c.Codec.WireName(); name != t.coding.Codec.WireName() {
			t.columns[i].Codec = name
		}
		if c.Checksum != t.coding.Checksum {
			t.columns[i].Checksum = c.Checksum.String()
		}
	}
	return nil
}

// codingOf returns the coding of two words that were checked.
func codingOf(codec, sum string) (c block.Coding) {
	c.Codec, _ = block.ParseCodec(codec)
	c.Checksum, _ = block.ParseChecksum(sum)
	return c
}

// fit checks that a file has room for rows.
func (t *table) fit() error {
	ro, err := t.reducing()
	if err != nil {
		return err
	}
	if t.header, err = ro.HeaderSize(); err != nil {
		return err
	}
	t.block = ro.Format.Shape().BlockMemory()
	if t.limit > 0 && t.limit <= t.header {
		return exit.Refused("--file-size %d has no room for rows: the header of a file takes %d", t.limit, t.header)
	}
	return nil
}

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

// mapping returns what the mappers are told.
func (t *table) mapping() mapper.Options {
	mo := mapper.Options{BlockSize: t.blockSize, Overhead: format.Overhead}
	if t.limit > 0 {
		room := max(1, (t.limit-t.header)/leastMarks)
		mo.MarkBytes = int(min(max(t.limit/marksPerFile, min(minMark, room)), maxMark))
		mo.StepBytes = int(min(room, math.MaxInt32))
	}
	return mo
}

// encoder returns what makes blocks of a mapper's runs.
func (t *table) encoder() mapper.Encoder {
	codings := t.codings
	if codings == nil {
		codings = slices.Repeat([]block.Coding{t.coding}, len(t.columns))
	}
	return format.NewEncoder(t.columns, codings, t.sums)
}

// reducing returns what the reducers are told of all files alike.
func (t *table) reducing() (reducer.Options, error) {
	f, err := format.NewFiles(format.FileOptions{
		Columns: t.columns, Meta: t.meta, BlockSize: t.blockSize, Codec: t.coding.Codec, Checksum: t.coding.Checksum, Codings: t.codings,
	})
	return reducer.Options{Format: f}, err
}

// names returns the columns' names.
func (t *table) names() (names []string) {
	for i := range t.columns {
		names = append(names, t.columns[i].Name)
	}
	return names
}

// indexed reports whether a column has first values.
func (t *table) indexed() bool {
	return slices.ContainsFunc(t.columns, func(c trevni.Column) bool { return c.FirstValues })
}

// unindexed returns the table without the first values of a column.
func (t *table) unindexed(column int) *table {
	c := *t
	c.columns = slices.Clone(t.columns)
	c.columns[column].FirstValues = false
	return &c
}

// ascends reports whether a column's value is not less than one before it.
func (t *table) ascends(column int, value, before []byte) (bool, error) {
	bad, _, err := block.CheckSorted(value, t.columns[column].Type, 1, before)
	return bad == 1, err
}

// deflates is how many codings compress with deflate, whose tables are large.
func (t *table) deflates() (n int64) {
	seen := map[block.Coding]bool{}
	for _, c := range append(slices.Clone(t.codings), t.coding) {
		if c.Codec.Name == "deflate" && !seen[c] {
			seen[c] = true
			n++
		}
	}
	return n
}

// firstsMemory is what the first values of a block's columns hold at the most, and
// again as they are written.
func (t *table) firstsMemory() (bytes int64) {
	for i := range t.columns {
		if c := &t.columns[i]; c.FirstValues {
			most := 10
			if c.Type == trevni.String || c.Type == trevni.Bytes {
				most = format.MaxFirst
			}
			bytes += int64(most) + 8
		}
	}
	return bytes
}

// index returns a copy of the columns in which those named have first values, and
// their own names, in the columns' order. What cannot have them is refused.
func index(columns []trevni.Column, names []string) ([]trevni.Column, []string, error) {
	if len(names) == 0 {
		return columns, nil, nil
	}
	columns = slices.Clone(columns)
	for _, name := range names {
		i, err := colname.Find(columns, name)
		if err != nil {
			return nil, nil, exit.Refused("index: %w", err)
		}
		c := &columns[i]
		if why := unindexable(c); why != "" {
			return nil, nil, exit.Refused("index: column %q, %s: %s", c.Name, c.Type, why)
		}
		c.FirstValues = true
	}
	var own []string
	for i := range columns {
		if columns[i].FirstValues {
			own = append(own, columns[i].Name)
		}
	}
	return columns, own, nil
}

// unindexable tells why a column cannot have first values, "" if it can.
func unindexable(c *trevni.Column) string {
	switch {
	case c.Array || c.Parent != "":
		return "the format has no first values for arrays, maps, unions, and what is in them: a row may have none or several"
	case c.Type == trevni.Boolean:
		return "Avro's Java implementation misreads booleans with first values"
	case c.Type == trevni.Null:
		return "nulls have no order"
	}
	return ""
}
