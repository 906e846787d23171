package main

import (
	"context"
	"encoding/json"
	"fmt"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/cmd/trevni/show"
	"avro2trevni/internal/ocf"
)

// summary is what meta shows of a table of one file or more. Its JSON is what --json
// prints; bytes are counted in the files, with descriptors and checksums.
type summary struct {
	Rows    uint64          `json:"rows"`
	Bytes   int64           `json:"bytes"`
	Schema  json.RawMessage `json:"schema,omitempty"` // of the first file's rows
	Files   []fileSummary   `json:"files"`
	Columns []columnSummary `json:"columns"`

	meta  []ocf.Meta // of the first file
	width int        // of a terminal; 0: any
}

// fileSummary is one file.
type fileSummary struct {
	Path     string         `json:"path"`
	Rows     uint64         `json:"rows"`
	Bytes    int64          `json:"bytes"`
	Codec    string         `json:"codec"`
	Checksum string         `json:"checksum"`
	Metadata map[string]any `json:"metadata"` // strings; an object with "base64" where a value is no UTF-8
}

// columnSummary is one column over all files.
type columnSummary struct {
	Name        string         `json:"name"`
	Type        string         `json:"type"`
	Array       bool           `json:"array"`
	Parent      string         `json:"parent,omitempty"`
	FirstValues bool           `json:"first_values"`
	Codec       string         `json:"codec"`    // "mixed" if files differ
	Checksum    string         `json:"checksum"` // as the codec
	Metadata    map[string]any `json:"metadata,omitempty"`
	Blocks      int            `json:"blocks"`
	Rows        uint64         `json:"rows"` // of the table
	Raw         int64          `json:"raw"`  // bytes before compression
	Bytes       int64          `json:"bytes"`
	Share       float64        `json:"share"` // of all files' bytes, 0 to 1
	BytesPerRow float64        `json:"bytes_per_row"`
	Descriptors []blockSummary `json:"descriptors,omitempty"`

	kind string
}

// blockSummary is a block's descriptor.
type blockSummary struct {
	File   int    `json:"file"`  // its number
	Block  int    `json:"block"` // within its column and file
	Row    uint64 `json:"row"`   // its first row, within its file
	Rows   uint32 `json:"rows"`
	Raw    uint32 `json:"raw"`
	Bytes  uint32 `json:"bytes"` // without the checksum
	Offset int64  `json:"offset"`
	First  any    `json:"first,omitempty"`
}

// first returns the first value for a table, empty if there is none.
func (b *blockSummary) first() string {
	switch v := b.First.(type) {
	case nil:
		return ""
	case string:
		return show.Short([]byte(v))
	case map[string]any:
		return fmt.Sprint("base64 ", v["base64"])
	default:
		return fmt.Sprint(v)
	}
}

// summarize reads headers and descriptors. Descriptors are kept if blocks is set.
func (c *command) summarize(ctx context.Context, names []string, blocks bool) (*summary, error) {
	s := &summary{}
	var first *file
	err := c.each(ctx, names, func(f *file) error {
		if first == nil {
			first = f
			s.begin(f)
		} else if err := sameColumns(first, f); err != nil {
			return err
		}
		return s.add(f, blocks)
	})
	if err != nil {
		return nil, err
	}
	for i := range s.Columns {
		col := &s.Columns[i]
		col.Share = share(col.Bytes, s.Bytes)
		if s.Rows > 0 {
			col.BytesPerRow = float64(col.Bytes) / float64(s.Rows)
		}
	}
	return s, nil
}

// begin sets out the columns.
func (s *summary) begin(f *file) {
	s.meta = f.Header().Meta
	if text := []byte(f.Header().Schema); json.Valid(text) {
		s.Schema = text
	}
	all := f.Columns()
	s.Columns = make([]columnSummary, len(all))
	for i := range all {
		c := &all[i]
		s.Columns[i] = columnSummary{
			Name: c.Name, Type: c.Type, Array: c.Array, Parent: c.Parent, FirstValues: c.Sorted,
			Metadata: metadata(c.Meta), kind: c.Kind(),
		}
	}
}

// add adds a file.
func (s *summary) add(f *file, descriptors bool) error {
	h := f.Header()
	for i := range f.Columns() {
		if err := s.addColumn(f, i, descriptors); err != nil {
			return err
		}
	}
	s.Rows += h.Rows
	s.Bytes += f.size
	s.Files = append(s.Files, fileSummary{
		Path: f.name, Rows: h.Rows, Bytes: f.size, Codec: h.Codec, Checksum: h.Checksum, Metadata: metadata(h.Meta),
	})
	return nil
}

func (s *summary) addColumn(f *file, i int, descriptors bool) error {
	c := &s.Columns[i]
	size, err := f.Size(i, descriptors)
	if err != nil {
		return err
	}
	c.Codec = same(c.Codec, size.Codec)
	c.Checksum = same(c.Checksum, size.Checksum)
	c.Blocks += size.Blocks
	c.Rows += f.Header().Rows
	c.Bytes += size.Bytes
	c.Raw += size.Raw
	for n, b := range size.List {
		c.Descriptors = append(c.Descriptors, blockSummary{
			File: len(s.Files), Block: n, Row: b.Row, Rows: b.Rows, Raw: b.Raw, Bytes: b.Bytes, Offset: b.Offset, First: b.First,
		})
	}
	return nil
}

func (s *summary) columnBytes() int64 {
	var n int64
	for i := range s.Columns {
		n += s.Columns[i].Bytes
	}
	return n
}

func same(have, now string) string {
	if have == "" || have == now {
		return now
	}
	return "mixed"
}

func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// metadata returns properties as JSON has them. Of several of one key the last counts.
func metadata(m []ocf.Meta) map[string]any {
	all := make(map[string]any, len(m))
	for _, kv := range m {
		all[kv.Key] = colfile.TextOrBase64(kv.Value)
	}
	return all
}
