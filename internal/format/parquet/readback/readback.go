package readback

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"avro2trevni/internal/colsum"
	"avro2trevni/internal/units"
)

// bufferBytes is what is read of a chunk at a time.
const bufferBytes = 128 * units.KiB

// Memory returns the bytes that reading a file holds whose pages have up to that many before
// compression, beside what its footer takes: of one page at a time the bytes that are stored,
// decompressed and decoded, with levels; and a dictionary, twice.
func Memory(page, dictionary int64) int64 {
	return 5*page + 3*dictionary + 2*bufferBytes + units.MiB
}

// Sums returns the digests of all columns of a file of size bytes, in the order of its leaves. It
// calls count with the number of bytes read, from time to time.
func Sums(r io.ReaderAt, size int64, count func(bytes int64)) ([]colsum.Column, error) {
	f, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(bufferBytes))
	if err != nil {
		return nil, err
	}
	groups := f.Metadata().RowGroups
	var all []Summer
	for i, g := range f.RowGroups() {
		chunks := g.ColumnChunks()
		if all == nil {
			all = make([]Summer, len(chunks))
		}
		for c, chunk := range chunks {
			if err := all[c].chunk(chunk); err != nil {
				return nil, fmt.Errorf("row group %d, column %d: %w", i, c, err)
			}
			count(groups[i].Columns[c].MetaData.TotalCompressedSize)
		}
	}
	sums := make([]colsum.Column, len(f.Schema().Columns()))
	for c := range all {
		sums[c] = all[c].Column
	}
	return sums, nil
}

// chunk adds the pages of a chunk.
func (s *Summer) chunk(chunk parquet.ColumnChunk) (err error) {
	pages := chunk.Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	var of parquet.Dictionary
	var entries *Entries
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if dict := page.Dictionary(); dict != nil && dict != of {
			of, entries = dict, entriesOf(dict)
		}
		s.Levels(page.DefinitionLevels(), page.RepetitionLevels())
		if err := s.values(page, entries); err != nil {
			return err
		}
		parquet.Release(page)
	}
}

// values adds the values of a page that are present.
func (s *Summer) values(page parquet.Page, entries *Entries) error {
	n := int(page.NumValues() - page.NumNulls())
	if n == 0 {
		return nil
	}
	v := page.Data()
	switch {
	case page.Dictionary() != nil:
		s.Indexed(entries, v.Int32()[:n])
	case v.Kind() == encoding.Boolean:
		s.Booleans(v.Boolean(), n)
	case v.Kind() == encoding.ByteArray:
		data, offsets := v.ByteArray()
		s.Texts(data, offsets[:n+1])
	default:
		data, _ := v.Data()
		s.Plain(data)
	}
	return nil
}

// entriesOf returns the entries of a dictionary.
func entriesOf(d parquet.Dictionary) *Entries {
	v := d.Page().Data()
	data, offsets := v.Data()
	if v.Kind() != encoding.ByteArray {
		return &Entries{data: data, wide: len(data) / max(1, d.Len())}
	}
	e := &Entries{data: make([]byte, 0, len(data)+4*len(offsets)), ends: make([]int, 0, len(offsets))}
	for i := 1; i < len(offsets); i++ {
		text := data[offsets[i-1]:offsets[i]]
		e.data = append(binary.LittleEndian.AppendUint32(e.data, uint32(len(text))), text...)
		e.ends = append(e.ends, len(e.data))
	}
	return e
}
