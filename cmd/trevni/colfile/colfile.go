package colfile

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"avro2trevni/cmd/trevni/tally"
	"avro2trevni/internal/ocf"
)

// Format is a format of files.
type Format struct {
	Name string // as messages have it: "Trevni"
	Ext  string // how names of its files end, with the dot: of a folder, these are read
	// Magic is what the first four bytes of a file begin with.
	Magic string
	// Open opens a file of so many bytes. Src stays the caller's, and must stay open while the
	// file is used. All errors, of the file's methods too, name Options.Path.
	Open func(src io.ReaderAt, size int64, o Options) (File, error)
	// Corrupt reports whether an error, of Open or a [File], says that a file is not what
	// the format requires. Other errors are of reading, or of what is not supported.
	Corrupt func(err error) bool
}

// Options are the options of opening a file.
type Options struct {
	Path          string // for messages
	ZeroChecksums bool   // accept Trevni's checksums of zero with codec null
}

// File is an open file. One goroutine at a time.
type File interface {
	// Header returns what is known of the file as a whole. It is not to be changed.
	Header() *Header
	// Columns returns the columns, in the file's order. They are not to be changed.
	Columns() []Column
	// Size returns what a column takes in the file; its blocks too, if they are wanted. It
	// reads descriptions only, no values.
	Size(column int, blocks bool) (*Size, error)
	// Rows returns the rows, before the first one. Schema is the text of the Avro schema that
	// they are to have: the file's, or what is left of it in a projection. It reads only the
	// columns that are needed. If the file has no schema the error is [ErrNoSchema].
	Rows(schema string) (Rows, error)
	// Scan adds the values of a column to a tally of the column's type. It reads this column
	// and, where only they tell the number of values, those above it.
	Scan(ctx context.Context, column int, t *tally.Tally) error
	// Verify reads the whole file, and returns what is wrong with it. The error is of reading,
	// when nothing can be said.
	Verify(ctx context.Context) (*Findings, error)
}

// Header is what is known of a file as a whole.
type Header struct {
	Rows            uint64
	Codec, Checksum string
	Schema          string // the text of the Avro schema of the rows; "" if the file has none
	Meta            []ocf.Meta
	User            []ocf.Meta // those of Meta that are not the format's own: see [Users]
}

// Users returns the metadata whose keys begin with none of those that a format reserves, and not
// with Avro's. Of a key that is there twice the last value counts.
func Users(meta []ocf.Meta, reserved ...string) (own []ocf.Meta) {
	for _, kv := range meta {
		is := func(begin string) bool { return strings.HasPrefix(kv.Key, begin) }
		if is("avro.") || slices.ContainsFunc(reserved, is) {
			continue
		}
		if i := slices.IndexFunc(own, func(m ocf.Meta) bool { return m.Key == kv.Key }); i >= 0 {
			own[i] = kv
			continue
		}
		own = append(own, kv)
	}
	return own
}

// Column is a column of a file.
type Column struct {
	Name   string
	Type   string // the format's own name for it
	Array  bool   // Trevni: a sequence of values for each row, or element of the parent
	Branch bool   // such a sequence has at most one value, as that of a field that may be null
	Parent string // Trevni: the array column whose elements this one goes with; "" for none
	Sorted bool   // the file has an index of its values: Trevni's first values
	Meta   []ocf.Meta
	Tally  tally.Type // how [File.Scan] counts
}

// Kind returns the type as tables show it.
func (c *Column) Kind() string {
	switch {
	case c.Branch:
		return c.Type + "?"
	case c.Array:
		return c.Type + " array"
	}
	return c.Type
}

// Size is what a column takes in a file.
type Size struct {
	Codec, Checksum string
	Blocks          int   // how many
	Raw             int64 // bytes of the blocks before compression
	Bytes           int64 // in the file, with descriptions and checksums
	List            []Block
}

// Block is the description of a block of a column.
type Block struct {
	Row    uint64 // its first
	Rows   uint32
	Raw    uint32 // bytes before compression
	Bytes  uint32 // in the file, without a checksum
	Offset int64
	First  any // the first value as encoding/json takes it; nil if it is not known
}

// Findings are what [File.Verify] found.
type Findings struct {
	Problems  []error // each names the file and the place
	Blocks    int     // how many there are
	Unchecked int     // of these, how many have no checksum
}

// Rows are rows of a file.
type Rows interface {
	// Row returns the number of the row that comes next, from 0.
	Row() int64
	// SeekRow makes row the next one; the number of rows is the end.
	SeekRow(row int64) error
	// ReadRows appends the next rows to dst, one after another in Avro's binary encoding, and
	// returns dst and their number: at least one without an error, and at most max, which must
	// be 1 or more. After the last row the error is io.EOF.
	ReadRows(dst []byte, max int) (out []byte, rows int, err error)
}

// Errors of files of any format.
var (
	ErrNoSchema = errors.New("the file has no schema, so its columns cannot be assembled to rows")
	// ErrWrong says that a file is not as it should be. [Formats.Corrupt] reports it, too.
	ErrWrong = errors.New("the file is wrong")
)

// Wrong returns an error of the same text that is also [ErrWrong].
func Wrong(err error) error { return wrong{err} }

type wrong struct{ error }

func (wrong) Is(target error) bool { return target == ErrWrong }
func (w wrong) Unwrap() error      { return w.error }

// TextOrBase64 returns bytes as encoding/json takes them: a string, or an object with "base64"
// if they are not UTF-8.
func TextOrBase64(b []byte) any {
	if utf8.Valid(b) {
		return string(b)
	}
	return map[string]any{"base64": base64.StdEncoding.EncodeToString(b)}
}

// Counter is a [File] that counts without values.
type Counter interface {
	File
	// Count returns how many values there are on the way from rows to a field, and of it: names
	// with dots between, which pass through arrays, maps and unions. An unknown path is
	// [schema.ErrNoField]. It reads as little as the format needs. Pages says that what a file
	// says of its levels is not to be used, but the levels.
	Count(ctx context.Context, path string, pages bool) ([]Count, error)
}

// Count is how many values are at a place. A null, and what a null or an empty array could have
// held, is no value.
type Count struct {
	Path     string // names with dots between; [] are the elements of an array or map
	Values   uint64
	Optional bool // it can be null
	Null     uint64
	List     bool // it is an array or map
	Empty    uint64
}

// Span is rows [From, To).
type Span struct{ From, To int64 }

// Empty reports whether there are none.
func (s Span) Empty() bool { return s.From >= s.To }

// Bounds are what is required of a field that has at most one value in each row: a null, and a
// value below Low or above High, will not do. A bound is a bool, int64, float64 or []byte, or nil if there is none. The
// values of an enum are the numbers of its symbols; those of strings are compared as bytes; NaN
// is greater than all numbers, and the zeros are equal.
type Bounds struct {
	Path      string // of the field, with dots between names
	Low, High any
}

// Narrower is a [File] that has an index, or statistics, of the values of columns.
type Narrower interface {
	File
	// Narrow returns the rows of a span among which all those are that keep to the bounds, in
	// order and apart from one another: the span itself, if nothing is known.
	Narrow(b Bounds, in Span) ([]Span, error)
}
