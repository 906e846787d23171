package parquet

import (
	"hash/crc32"

	"github.com/parquet-go/parquet-go/format"
)

// data appends a data page of encoded values:
//
//	           version 1                                  version 2
//	header     size of body, CRC, counts, encoding       the same, lengths of levels
//	body    .- repetition levels, 4 bytes of length      repetition levels
//	        |  definition levels, 4 bytes of length      definition levels
//	        |  values                                  - values
//	        `- compressed                                compressed
//
// The CRC is of the stored body.
func (e *Encoder) data(dst []byte, l *Leaf, v *Values, values []byte, m Meta) ([]byte, Meta, error) {
	if e.version == 2 {
		return e.dataV2(dst, l, v, values, m)
	}
	body := values
	if l.MaxDef > 0 {
		levels, _, err := e.levels(l, v, true)
		if err != nil {
			return dst, m, err
		}
		e.body = append(levels, values...)
		body = e.body
	}
	packed, err := e.pack(dst, 0, body)
	if err != nil {
		return dst, m, err
	}
	h := pageHeader{Type: format.DataPage, Data: &dataPageHeader{
		NumValues:          int32(m.Entries),
		Encoding:           format.Encoding(m.Encoding),
		DefinitionEncoding: format.RLE,
		RepetitionEncoding: format.RLE,
	}}
	return finish(dst, &h, m, len(body), nil, packed)
}

func (e *Encoder) dataV2(dst []byte, l *Leaf, v *Values, values []byte, m Meta) ([]byte, Meta, error) {
	levels, reps, err := e.levels(l, v, false)
	if err != nil {
		return dst, m, err
	}
	e.body = levels
	packed, err := e.pack(dst, len(levels), values)
	if err != nil {
		return dst, m, err
	}
	smaller := len(packed) < len(values)
	if !smaller {
		packed = values
	}
	m.Kind = DataPageV2
	h := pageHeader{Type: format.DataPageV2, DataV2: &dataPageHeaderV2{
		NumValues:       int32(m.Entries),
		NumNulls:        int32(m.Nulls),
		NumRows:         int32(m.Rows),
		Encoding:        format.Encoding(m.Encoding),
		DefinitionBytes: int32(len(levels) - reps),
		RepetitionBytes: int32(reps),
		IsCompressed:    smaller,
	}}
	return finish(dst, &h, m, len(levels)+len(values), levels, packed)
}

// levels returns the page's repetition and definition levels as runs in the encoder's buffer,
// and the length of the first, with their lengths in front if wanted.
func (e *Encoder) levels(l *Leaf, v *Values, lengths bool) (b []byte, reps int, err error) {
	b = e.body[:0]
	if l.MaxRep > 0 {
		if b, err = appendLevels(b, v.Rep, l.MaxRep, lengths); err != nil {
			return nil, 0, err
		}
	}
	reps = len(b)
	if l.MaxDef > 0 {
		b, err = appendLevels(b, v.Def, l.MaxDef, lengths)
	}
	return b, reps, err
}

// dictionary appends a dictionary page of n values.
func (e *Encoder) dictionary(dst, body []byte, n int) ([]byte, Meta, error) {
	m := Meta{Kind: DictionaryPage, Encoding: Plain, Entries: n}
	packed, err := e.pack(dst, 0, body)
	if err != nil {
		return dst, m, err
	}
	h := pageHeader{Type: format.DictionaryPage, Dictionary: &format.DictionaryPageHeader{
		NumValues: int32(n),
		Encoding:  format.Plain,
	}}
	return finish(dst, &h, m, len(body), nil, packed)
}

// maxHeader is the largest size of a page header, in bytes: at most eleven numbers of up to
// six bytes with their fields, and the ends of its structures.
const maxHeader = 80

// finish appends a page's header, and its body, which has two parts. The second may be where
// pack puts it.
func finish(dst []byte, h *pageHeader, m Meta, raw int, front, back []byte) ([]byte, Meta, error) {
	stored := len(front) + len(back)
	if raw > maxPage || stored > maxPage {
		return dst, m, errTooLarge
	}
	h.UncompressedSize, h.CompressedSize = int32(raw), int32(stored)
	h.CRC = int32(crc32.Update(crc32.ChecksumIEEE(front), crc32.IEEETable, back))
	header, err := marshal(h)
	if err != nil {
		return dst, m, err
	}
	m.Raw, m.Stored = int64(len(header)+raw), int64(len(header)+stored)
	if m.Stored > maxPage {
		return dst, m, errTooLarge // the offset index counts the header in
	}
	dst = append(dst, header...)
	dst = append(dst, front...)
	return append(dst, back...), m, nil
}
