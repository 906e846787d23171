package main

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"unicode/utf8"

	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// summary is what meta tells of a table of one file or more. Its JSON is what --json
// prints; bytes are counted in the files, with descriptors and checksums.
type summary struct {
	Rows    uint64          `json:"rows"`
	Bytes   int64           `json:"bytes"`
	Files   []fileSummary   `json:"files"`
	Columns []columnSummary `json:"columns"`

	header *trevni.Header // of the first file
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
	Checksum    string         `json:"checksum"` // likewise
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
		return shorten([]byte(v))
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
			s.begin(f.Header())
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
func (s *summary) begin(h *trevni.Header) {
	s.header = h
	s.Columns = make([]columnSummary, len(h.Columns))
	for i := range h.Columns {
		c := &h.Columns[i]
		s.Columns[i] = columnSummary{
			Name: c.Name, Type: c.Type.String(), Array: c.Array, Parent: c.Parent, FirstValues: c.FirstValues,
			Metadata: metadata(c.Meta), kind: kind(c),
		}
	}
}

// add adds a file.
func (s *summary) add(f *file, descriptors bool) error {
	h := f.Header()
	checksum, err := h.Checksum()
	if err != nil {
		return err
	}
	for i := range h.Columns {
		if err := s.addColumn(f, i, descriptors); err != nil {
			return err
		}
	}
	s.Rows += h.Rows
	s.Bytes += f.size
	s.Files = append(s.Files, fileSummary{
		Path: f.name, Rows: h.Rows, Bytes: f.size, Codec: h.Codec(), Checksum: checksum.String(), Metadata: metadata(h.Meta),
	})
	return nil
}

func (s *summary) addColumn(f *file, i int, descriptors bool) error {
	h, c := f.Header(), &s.Columns[i]
	blocks, err := f.Blocks(i)
	if err != nil {
		return err
	}
	offsets, err := f.BlockOffsets(i)
	if err != nil {
		return err
	}
	coding := f.Coding(i)
	c.Codec = same(c.Codec, coding.Codec.Name)
	c.Checksum = same(c.Checksum, coding.Checksum.String())
	c.Blocks += len(blocks)
	c.Rows += h.Rows
	c.Bytes += offsets[len(blocks)] - f.ColumnOffset(i)
	row := uint64(0)
	for b := range blocks {
		d := &blocks[b]
		c.Raw += int64(d.RawSize)
		if descriptors {
			c.Descriptors = append(c.Descriptors, blockSummary{
				File: len(s.Files), Block: b, Row: row, Rows: d.Rows, Raw: d.RawSize, Bytes: d.Size, Offset: offsets[b],
				First: firstValue(d.FirstValue, h.Columns[i].Type),
			})
		}
		row += uint64(d.Rows)
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
func metadata(m trevni.Metadata) map[string]any {
	all := make(map[string]any, len(m))
	for _, kv := range m {
		all[kv.Key] = textOrBase64(kv.Value)
	}
	return all
}

// textOrBase64 returns the JSON form of bytes.
func textOrBase64(b []byte) any {
	if utf8.Valid(b) {
		return string(b)
	}
	return map[string]any{"base64": base64.StdEncoding.EncodeToString(b)}
}

// firstValue returns a descriptor's first value as JSON has it, nil if there is none.
// Numbers that JSON has no word for are strings.
func firstValue(raw []byte, t trevni.Type) any {
	if len(raw) == 0 {
		return nil
	}
	switch t {
	case trevni.Boolean:
		return raw[0]&1 == 1
	case trevni.Int, trevni.Long:
		v, _ := block.ReadLong(raw)
		return v
	case trevni.Fixed32:
		return binary.LittleEndian.Uint32(raw)
	case trevni.Fixed64:
		return binary.LittleEndian.Uint64(raw)
	case trevni.Float:
		return number(float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
	case trevni.Double:
		return number(math.Float64frombits(binary.LittleEndian.Uint64(raw)))
	default:
		_, n := block.ReadLong(raw)
		return textOrBase64(raw[n:])
	}
}

// number returns a number as JSON has it.
func number(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Sprint(v)
	}
	return json.Number(fmt.Sprint(v))
}
