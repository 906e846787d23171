package parquet

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"unicode/utf8"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/format"
	"avro2trevni/internal/format/parquet/readback"
	"avro2trevni/internal/format/parquet/records"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/schema"
	"avro2trevni/internal/units"
	"avro2trevni/internal/version"
	"avro2trevni/mapper"
	"avro2trevni/parquet"
	"avro2trevni/parquet/reader"
	"avro2trevni/reducer"
)

// Format is Parquet, as a job has it.
type Format struct {
	Options
	PageVersion int      // of data pages, 1 or 2; 0 is 1
	Modern      bool     // other encodings than plain and dictionary, where they are smaller
	Bloom       []string // columns that get bloom filters: see [Layout.find]
	Summary     bool     // the files have summaries
	FooterEvery int      // row groups to a footer; 0: one at the end
}

var _ format.Format = Format{}

// Keys of the metadata that files have beside [AvroKey]: the text of the rows' schema, and, as
// parquet-avro writes it, the model of the rows.
const (
	schemaKey = records.OwnKey
	modelKey  = "writer.model.name"
	model     = "avro"
)

// Ext implements [format.Format].
func (Format) Ext() string { return ".parquet" }

// Reserved implements [format.Format].
func (Format) Reserved() []string { return []string{"parquet.", "avro.", modelKey} }

// LayOut implements [format.Format].
func (f Format) LayOut(rows *schema.Selection) (*mapper.Layout, error) {
	l, err := Map(rows, f.Options)
	if err != nil {
		return nil, err
	}
	return l.For(rows), nil
}

// Unreadable implements [format.Format].
func (Format) Unreadable(*schema.Text) (reader, at, why string) { return "", "", "" }

// Check implements [format.Format].
func (f Format) Check(w *format.Words) error {
	if _, err := parseCodecs(w.Codec); err != nil {
		return err
	}
	switch {
	case w.Checksum != "" && w.Checksum != format.DefaultChecksum && w.Checksum != "crc-32":
		return exit.Usage("checksum %q: a Parquet file has a CRC-32 of each page, and no other checksums", w.Checksum)
	case len(w.Index) > 0:
		return exit.Usage("index: works only with Trevni files; a Parquet file has an index of every column")
	}
	return nil
}

// Corrupt implements [format.Format].
func (Format) Corrupt(err error) bool { return errors.Is(err, parquet.ErrCorrupt) }

// NewTable implements [format.Format].
func (f Format) NewTable(to *mapper.Layout, w *format.Words, text string, meta []ocf.Meta) (format.Table, error) {
	l, err := Map(to.Rows, f.Options)
	if err != nil {
		return nil, err
	}
	codecs, err := l.codecs(w.Codec)
	if err != nil {
		return nil, err
	}
	bloom, err := l.filters(f.Bloom)
	if err != nil {
		return nil, err
	}
	t := &table{layout: l, pageSize: w.BlockSize, limit: w.FileSize, digests: w.Digests, encoder: parquet.EncoderOptions{
		Codecs: codecs, PageVersion: f.PageVersion, Modern: f.Modern, Filters: bloom,
		DictionaryBytes: min(units.MiB, max(1, allDictionaries/len(l.Schema.Leaves))),
		AllDictionaries: dictionaryRoom(w.FileSize),
	}}
	o := parquet.WriterOptions{Codecs: codecs, CreatedBy: createdBy(), KeyValues: l.keyValues(text, meta), FooterEvery: f.FooterEvery}
	if column := l.sorted(w.Sorted); column >= 0 {
		o.Sorting = []parquet.SortingColumn{{Column: column}}
	}
	if t.files, err = NewFiles(l, o, bloom); err != nil {
		return nil, err
	}
	if f.Summary {
		o.KeyValues = l.keyValues(text, nil) // what files of other runs have, too
		t.summary = &o
	}
	ro := reducer.Options{Format: t.files}
	header, err := ro.HeaderSize()
	if err != nil {
		return nil, err
	}
	if t.limit > 0 && t.limit <= header {
		return nil, exit.Refused("--file-size %d has no room for rows: the footer of a file takes %d", t.limit, header)
	}
	if _, err := parquet.NewEncoder(l.Schema, t.encoder); err != nil {
		return nil, err
	}
	return t, nil
}

// createdBy names the program in the form without which parquet-java does not trust statistics.
func createdBy() string { return "convert version " + version.Program() + " (build 0)" }

// keyValues returns a file's metadata. Its values are text: one that is not is written in
// base64, and its key says so.
func (l *Layout) keyValues(text string, meta []ocf.Meta) []parquet.KeyValue {
	all := []parquet.KeyValue{{Key: AvroKey, Value: l.Avro()}, {Key: schemaKey, Value: text}, {Key: modelKey, Value: model}}
	for _, m := range meta {
		kv := parquet.KeyValue{Key: m.Key, Value: string(m.Value)}
		if !utf8.Valid(m.Value) {
			kv = parquet.KeyValue{Key: m.Key + ".base64", Value: base64.StdEncoding.EncodeToString(m.Value)}
		}
		all = append(all, kv)
	}
	return all
}

// sorted returns the leaf that rows are sorted by, by its name in the layout of package columns,
// where each row has one value: names of fields, linked by '#'. It returns -1 if there is none,
// if Parquet orders its values otherwise than Avro, or if names that have a '#' themselves make
// two leaves out of one name.
func (l *Layout) sorted(name string) int {
	found := -1
	for i, leaf := range l.Schema.Leaves {
		integer := leaf.Type == parquet.Int32 || leaf.Type == parquet.Int64
		switch {
		case name == "" || strings.Join(leaf.Path, "#") != name:
		case found >= 0, leaf.MaxDef > 0, !integer, leaf.Logical.Kind == parquet.DecimalType:
			return -1
		default:
			found = i
		}
	}
	return found
}

// table is a [format.Table].
type table struct {
	layout   *Layout
	encoder  parquet.EncoderOptions
	pageSize int
	limit    int64 // most bytes of a file; 0: no limit
	digests  bool  // encoders make digests
	files    *Files
	summary  *parquet.WriterOptions // of the files that describe all files, nil if there are none
}

// Columns implements [format.Table].
func (t *table) Columns() (all []format.Column) {
	for _, leaf := range t.layout.Schema.Leaves {
		c := format.Column{Name: leaf.String(), Type: strings.TrimSpace(leaf.Type.String() + " " + leaf.Logical.String())}
		if leaf.MaxDef > 0 {
			c.More = fmt.Sprintf("levels %d, %d", leaf.MaxDef, leaf.MaxRep)
		}
		if slices.Contains(t.encoder.Filters, leaf.Index) {
			c.More = strings.TrimPrefix(c.More+", bloom filter", ", ")
		}
		all = append(all, c)
	}
	return all
}

// Notes implements [format.Table].
func (t *table) Notes() []string { return t.layout.Notes }

// Schema implements [format.Table].
func (t *table) Schema() string { return t.layout.Schema.String() }

// Index implements [format.Table].
func (*table) Index() []string { return nil }

// allDictionaries is the most bytes that the dictionaries of all columns of an encoder have.
const allDictionaries = 8 * units.MiB

// dictionaryRoom returns the most bytes that the dictionaries of a row group have together, before
// compression, where files have a limit; 0: no bound. Where a file ends within a row group both
// files have them, and a row group is begun in a file only if there is room for them and for the
// pages up to a station. A 32nd of a file leaves it 95% full; smaller files than 32 MiB may have
// an eighth, up to 1 MiB, as rows without a dictionary can take several times the bytes.
func dictionaryRoom(file int64) int {
	return int(min(max(file/32, min(file/8, units.MiB)), allDictionaries))
}

// filterMemory is what a bloom filter takes while its row group is made.
const filterMemory = units.MiB

// A file can be cut at stations, marks at which the pages of all columns end: after stationRows
// rows, or where a file would have less than stationsPerFile of them.
const (
	stationRows     = 20_000
	stationsPerFile = 64
	minStation      = 64 * units.KiB
)

// bufferBytes is what the open pages of all columns hold when all are cut.
const bufferBytes = 12 * units.MiB

// pageOverhead is about what indexes have for a page, and a footer for a page's share of a chunk.
const pageOverhead = 64

// Mapping implements [format.Table].
func (t *table) Mapping() mapper.Options {
	o := mapper.Options{BlockSize: t.pageSize, Overhead: pageOverhead, MarkRows: stationRows, CutAtMarks: true, BufferBytes: bufferBytes}
	if t.limit > 0 {
		o.MarkBytes = int(min(max(t.limit/stationsPerFile, minStation), units.GiB))
	}
	return o
}

// NewEncoder implements [format.Table].
func (t *table) NewEncoder() mapper.Encoder {
	e, err := NewEncoder(t.layout, t.encoder, t.digests)
	if err != nil {
		panic(err) // NewTable has made one
	}
	return e
}

// Files implements [format.Table].
func (t *table) Files() reducer.Format { return t.files }

// Memory implements [format.Table].
func (t *table) Memory() format.Memory {
	columns := int64(len(t.layout.Schema.Leaves))
	const perDictionary = 3 // its values, and the table that finds them
	page := int64(t.pageSize) + int64(t.pageSize)/4
	filters, whole := int64(0), int64(t.encoder.DictionaryBytes)
	if n := len(t.encoder.Filters); n > 0 {
		filters, whole = int64(n+3)*filterMemory, max(whole, filterMemory) // three: one that ends
	}
	return format.Memory{
		Encoder: perDictionary*columns*int64(t.encoder.DictionaryBytes) + filters + 5*page,
		Joiner:  2*whole + 2*page,
		Sums:    readback.Memory(page, int64(t.encoder.DictionaryBytes)),
		Layout:  t.layoutMemory,
	}
}

// pageNote is about what a page's note takes.
const pageNote = 64

// layoutMemory is what the pages of a file of that size, in bytes, take.
func (t *table) layoutMemory(file int64) int64 {
	const least = 32 * units.KiB // bytes of a page, about, where there are many
	pages := file/least + 4*int64(len(t.layout.Schema.Leaves))
	return (t.files.shape.BlockMemory() + pageNote) * pages
}

// Watches implements [format.Table].
func (*table) Watches() bool { return false }

// Sorted implements [format.Table].
func (t *table) Sorted(int, *slog.Logger) format.Table { return t }

// Ascends implements [format.Table].
func (*table) Ascends(int, []byte, []byte) (bool, error) { return true, nil }

// Open implements [format.Format].
func (Format) Open(f io.ReaderAt, path string, size int64) (format.File, error) {
	r, err := reader.Open(f, size, readOptions(path))
	if err != nil {
		return nil, err
	}
	t, err := records.Open(r, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &file{r, t, path, f, size}, nil
}
