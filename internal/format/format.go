package format

import (
	"io"
	"log/slog"
	"strings"

	"avro2trevni/internal/colsum"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/schema"
	"avro2trevni/mapper"
	"avro2trevni/reducer"
)

// Defaults of words.
const (
	DefaultCodec    = "snappy"
	DefaultChecksum = "crc32"
)

// Words are the options of a job whose meaning is a format's.
type Words struct {
	Codec    string // a word, or several: see [Choice]; "" for DefaultCodec
	Checksum string // a word, or several: see [Choice]; "" for DefaultChecksum
	Index    []string
	// Sorted is the column that the rows are sorted by first, by its name in the layout of
	// package columns: it ascends, and each row has one value. "" if they are not sorted.
	Sorted    string
	BlockSize int   // bytes of a run before compression
	FileSize  int64 // most bytes of a file; 0: no limit
	Digests   bool  // encoders make digests of columns, to compare finished files with
}

// Format is a format of files. It does not change, and any number of goroutines may use it.
type Format interface {
	// Ext is how names of files end, with the dot.
	Ext() string
	// Reserved returns what keys of metadata begin with that are the format's own.
	Reserved() []string
	// Check returns what is wrong with words, as far as that can be known without columns: a
	// wrong usage.
	Check(w *Words) error
	// LayOut lays rows out in columns. Its errors are those that package mapper has for it.
	LayOut(rows *schema.Selection) (*mapper.Layout, error)
	// Unreadable returns the known reader that does not open such files with the given schema,
	// the place in the schema that it refuses, and why; all are "" if every known reader opens
	// them.
	Unreadable(t *schema.Text) (reader, at, why string)
	// NewTable returns what rows of a layout become under words. It refuses what cannot be
	// done, as with files that have no room for rows. Schema is the text of the schema that
	// files have, meta what else they have of metadata.
	NewTable(l *mapper.Layout, w *Words, schema string, meta []ocf.Meta) (Table, error)
	// Open opens a finished file of that size, in bytes, which must stay open while it is used.
	// The path is for errors.
	Open(f io.ReaderAt, path string, size int64) (File, error)
	// Corrupt reports whether an error, of Open or a [File], is that a file is not whole.
	Corrupt(err error) bool
}

// Table is what a job asks about its files when their columns, and the words, are known. It
// does not change, and any number of goroutines may use it.
type Table interface {
	// Columns returns the columns of the layout, for messages.
	Columns() []Column
	// Notes returns what some readers of the files may not expect, a sentence each. The rows are
	// converted all the same.
	Notes() []string
	// Schema returns the schema of the files in the format's own notation, "" if it has none but
	// Avro's.
	Schema() string
	// Index returns the names of the columns of Words.Index, in the columns' order.
	Index() []string
	// Summaries returns the files that describe all files of an output together, in the order in
	// which they are written. There are none by default.
	Summaries() []Summary
	// Mapping returns the options of mappers.
	Mapping() mapper.Options
	// NewEncoder returns the encoder of a mapper.
	NewEncoder() mapper.Encoder
	// Files returns how runs become files.
	Files() reducer.Format
	// Memory returns what the parts of a table hold.
	Memory() Memory
	// Watches reports whether [Table.Sorted] must be called with how long values of Words.Sorted are.
	Watches() bool
	// Sorted returns the table when the bytes of the longest value of Words.Sorted are known.
	Sorted(longest int, log *slog.Logger) Table
	// Ascends reports whether a column's first value after some rows is not less than the last
	// one before: both are as [reducer.Group] gives them.
	Ascends(column int, first, before []byte) (bool, error)
}

// Summary is a file that describes all files of an output together.
type Summary struct {
	Name string // in the output
	// Write writes the file; parts are those that it describes, in order. It opens one at a time,
	// each several times if need be. A file that does not fit the table is refused.
	Write func(w io.Writer, parts []Part) error
}

// Part is a finished file of an output.
type Part struct {
	Path  string // below the output
	Bytes int64
	Open  func() (OpenPart, error)
}

// OpenPart is an open file.
type OpenPart interface {
	io.ReaderAt
	io.Closer
}

// Column is a column, for messages.
type Column struct {
	Name, Type string
	More       string // how it is written, and what it is part of; may be empty
}

// Memory is what the parts of a table hold, in bytes.
type Memory struct {
	Encoder, Joiner int64
	Sums            int64 // of a [File] whose digests are made
	// Layout is the most memory that a file of that many bytes takes while it is laid out and
	// written.
	Layout func(file int64) int64
}

// File is a finished file. Its errors name it. One goroutine at a time.
type File interface {
	// Schema returns the text of the schema of the rows.
	Schema() string
	// Meta returns all metadata.
	Meta() []ocf.Meta
	// Rows and Columns return how many there are.
	Rows() int64
	Columns() int
	// Held returns the bytes that reading the rows holds.
	Held() (int64, error)
	// Pieces returns where parts of the file begin that can be read alone: bytes from the file's
	// start, ascending, the first 0.
	Pieces() []int64
	// Read returns the rows of the pieces that begin in the bytes [from, to), in Avro's encoding.
	Read(from, to int64) (Rows, error)
	// Sums returns the digests of the columns, as an [mapper.Encoder] makes them. It checks
	// what it reads, and calls count with the number of bytes.
	Sums(count func(bytes int64)) ([]colsum.Column, error)
	// GoesOn reports whether no value of a column that must ascend is less than the last one
	// before the file, and puts the file's last values in the place of those.
	GoesOn(last map[int][]byte) (bool, error)
}

// Rows are the rows of a file, in blocks.
type Rows interface {
	mapper.Blocks
	// First returns the number of the present block's first row in the file.
	First() int64
}

// Reserved reports whether a key of metadata is a format's own.
func Reserved(f Format, key string) bool {
	for _, begin := range f.Reserved() {
		if strings.HasPrefix(key, begin) {
			return true
		}
	}
	return false
}
