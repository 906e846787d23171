package reader

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"avro2trevni/parquet"
	"avro2trevni/parquet/internal/thriftscan"
	"github.com/parquet-go/parquet-go/format"
)

// A PageKind is what a page holds.
type PageKind uint8

// The kinds, numbered as in files. Pages of other kinds are of no use to readers.
const (
	DataPage       = PageKind(format.DataPage)
	IndexPage      = PageKind(format.IndexPage)
	DictionaryPage = PageKind(format.DictionaryPage)
	DataPageV2     = PageKind(format.DataPageV2)
)

// String returns the name as the specification has it.
func (k PageKind) String() string {
	if k > DataPageV2 {
		return fmt.Sprintf("page type %d", uint8(k))
	}
	return format.PageType(k).String()
}

// A PageHeader is what a file says about a page, in front of it.
type PageHeader struct {
	Kind     PageKind
	Offset   int64 // of the header in the file
	Length   int   // of the header, in bytes
	Stored   int   // bytes of the body in the file
	Raw      int   // bytes of the body before compression
	Checked  bool  // there is a CRC
	CRC      uint32
	Entries  int              // levels, or values where there are no levels; of a dictionary: values
	Encoding parquet.Encoding // of the values
	DefEncoding,
	RepEncoding parquet.Encoding // of levels, in version 1
	Statistics *Statistics // nil if there are none

	// Of version 2.
	Nulls, Rows        int
	DefBytes, RepBytes int  // of the levels, which come first in the body, repetition levels in front
	Compressed         bool // whether the values are
}

// End returns the offset in the file after the page.
func (h *PageHeader) End() int64 { return h.Offset + int64(h.Length) + int64(h.Stored) }

// IsData reports whether the page is a data page.
func (h *PageHeader) IsData() bool { return h.Kind == DataPage || h.Kind == DataPageV2 }

// ReadHeader reads the page header at an offset of a file, without its footer. Nothing from end
// on belongs to the page. A header that cannot be is [ErrCorrupt]; so is one whose body would
// reach past end.
func ReadHeader(r io.ReaderAt, at, end int64, o *Options) (*PageHeader, error) {
	opt := o.withDefaults()
	s := source{r: r, ahead: headerRoom}
	h, err := s.header(at, end, &opt)
	if err != nil {
		return nil, &Error{Path: opt.Path, RowGroup: -1, Page: -1, Offset: at, Err: err}
	}
	return h, nil
}

// ReadBody reads a page's body into dst if it has room, else into new memory.
func ReadBody(r io.ReaderAt, h *PageHeader, dst []byte) ([]byte, error) {
	if cap(dst) < h.Stored {
		dst = make([]byte, h.Stored)
	}
	dst = dst[:h.Stored]
	if n, err := r.ReadAt(dst, h.Offset+int64(h.Length)); n < len(dst) {
		return nil, readError(err)
	}
	return dst, nil
}

// headerRoom is how much is read of a header at first: most have 20 to 60 bytes.
const headerRoom = 256

// header reads the page header at at. The page ends before end.
func (s *source) header(at, end int64, o *Options) (*PageHeader, error) {
	if at < 0 || at >= end {
		return nil, corruptf("no page, where one was expected")
	}
	for room := headerRoom; ; room *= 4 {
		b, err := s.peek(at, min(room, o.MaxPageHeader), end)
		if err != nil {
			return nil, err
		}
		n, err := thriftscan.Measure(b, pageHeaderShape)
		if errors.Is(err, thriftscan.ErrShort) && room < o.MaxPageHeader && int64(len(b)) < end-at {
			continue
		}
		if errors.Is(err, thriftscan.ErrShort) && int64(len(b)) < end-at {
			return nil, limitf("a page header of more than %d bytes", o.MaxPageHeader)
		}
		if err != nil {
			return nil, corruptf("page header: %w", err)
		}
		h, err := parseHeader(b[:n])
		if err != nil {
			return nil, fmt.Errorf("page header: %w", err)
		}
		h.Offset = at
		return h, h.check(end, o)
	}
}

func parseHeader(b []byte) (*PageHeader, error) {
	var w pageHeader
	if err := thriftscan.Decode(b, &w); err != nil {
		return nil, corruptf("%w", err)
	}
	if w.Type < 0 || w.Type > 255 || w.UncompressedSize < 0 || w.CompressedSize < 0 {
		return nil, corruptf("a page of type %d, of %d bytes, %d in the file", w.Type, w.UncompressedSize, w.CompressedSize)
	}
	h := &PageHeader{
		Kind: PageKind(w.Type), Length: len(b), Stored: int(w.CompressedSize), Raw: int(w.UncompressedSize),
		Checked: w.CRC.Valid, CRC: uint32(w.CRC.V), Compressed: true,
	}
	switch {
	case h.Kind == DataPage && w.Data != nil:
		d := w.Data
		h.Entries, h.Encoding = int(d.NumValues), parquet.Encoding(d.Encoding)
		h.DefEncoding, h.RepEncoding = parquet.Encoding(d.DefinitionEncoding), parquet.Encoding(d.RepetitionEncoding)
		h.Statistics = d.Statistics.public()
	case h.Kind == DataPageV2 && w.DataV2 != nil:
		d := w.DataV2
		h.Entries, h.Encoding = int(d.NumValues), parquet.Encoding(d.Encoding)
		h.Nulls, h.Rows = int(d.NumNulls), int(d.NumRows)
		h.DefBytes, h.RepBytes = int(d.DefinitionBytes), int(d.RepetitionBytes)
		h.Compressed = !d.IsCompressed.Valid || d.IsCompressed.V
		h.Statistics = d.Statistics.public()
	case h.Kind == DictionaryPage && w.Dictionary != nil:
		h.Entries, h.Encoding = int(w.Dictionary.NumValues), parquet.Encoding(w.Dictionary.Encoding)
	case h.IsData() || h.Kind == DictionaryPage:
		return nil, corruptf("a %s without what describes it", h.Kind)
	}
	return h, nil
}

// check compares the numbers of a header with each other, and with the room up to end.
func (h *PageHeader) check(end int64, o *Options) error {
	if h.End() > end {
		return corruptf("a page of %d bytes, %d after where it must end", h.Stored, h.End()-end)
	}
	if h.Raw > o.MaxPage || h.Stored > o.MaxPage {
		return limitf("a page of %d bytes, %d in the file, above %d", h.Raw, h.Stored, o.MaxPage)
	}
	if h.Entries < 0 {
		return corruptf("a page of %d values", h.Entries)
	}
	if h.Kind == DataPageV2 {
		levels := int64(h.DefBytes) + int64(h.RepBytes)
		if h.DefBytes < 0 || h.RepBytes < 0 || levels > int64(h.Raw) || levels > int64(h.Stored) {
			return corruptf("levels of %d and %d bytes in a page of %d", h.RepBytes, h.DefBytes, h.Raw)
		}
		if h.Rows < 0 || h.Rows > h.Entries || h.Nulls < 0 || h.Nulls > h.Entries {
			return corruptf("%d rows and %d nulls in a page of %d entries", h.Rows, h.Nulls, h.Entries)
		}
	}
	return nil
}

// plainDictionary is the old number of RLE_DICTIONARY, and of PLAIN in dictionary pages.
const plainDictionary = format.Encoding(2)

// encodingName returns an encoding's name as the specification has it.
func encodingName(e format.Encoding) string {
	switch e {
	case plainDictionary, format.BitPacked:
		return e.String()
	}
	return strings.TrimPrefix(parquet.Encoding(e).String(), "encoding ") // of an unknown one only the number
}
