package data

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"avro2trevni/internal/ocf"
)

// Span is where one Avro block's compressed bytes stand in the file.
type Span struct{ Offset, Size, Rows int64 }

// end is where the next block begins, after the sync marker.
func (s Span) end() int64 { return s.Offset + s.Size + SyncSize }

// AvroBlocks finds the codec and the blocks of an Avro container file, by their heads
// alone: what is in the blocks, and after them, is not looked at.
func AvroBlocks(f *os.File) (codec string, spans []Span, err error) {
	info, err := f.Stat()
	if err != nil {
		return "", nil, err
	}
	h, err := ocf.ReadHeader(f, info.Size(), info.Name(), ocf.Limits{})
	if err != nil {
		return "", nil, err
	}
	head := make([]byte, 2*binary.MaxVarintLen64)
	offset := h.Size
	for offset < info.Size() {
		n, err := f.ReadAt(head, offset)
		if err != nil && !errors.Is(err, io.EOF) {
			return "", nil, err
		}
		s, err := blockHead(head[:n], offset, info.Size())
		if err != nil {
			return "", nil, fmt.Errorf("block at %d: %w", offset, err)
		}
		spans = append(spans, s)
		offset = s.end()
	}
	return h.Codec, spans, nil
}

// Tenth is the first tenth of lineitem, to see what fewer rows of the same cost.
const Tenth = "lineitem-tenth.avro"

// tenth cuts lineitem after the block in which its tenth part ends.
func (p Paths) tenth(context.Context) (err error) {
	in, err := os.Open(p.Data("lineitem-snappy.avro"))
	if err != nil {
		return err
	}
	defer in.Close()
	_, spans, err := AvroBlocks(in)
	if err != nil {
		return err
	}
	product := p.Data(Tenth)
	out, err := os.Create(product + ".tmp")
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.NewSectionReader(in, 0, EndOfPart(spans, 10)))
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("bench: %s: %w", product, err)
	}
	return os.Rename(product+".tmp", product)
}

// EndOfPart is where the block ends in which the first of n equal parts of the rows
// ends.
func EndOfPart(spans []Span, n int64) int64 {
	var all, rows int64
	for _, s := range spans {
		all += s.Rows
	}
	for _, s := range spans {
		if rows += s.Rows; rows*n >= all {
			return s.end()
		}
	}
	return 0
}

// SyncSize is the bytes of a sync marker, which ends the header and each block.
const SyncSize = 16

// blockHead reads the head of the block at offset of a file of size bytes.
func blockHead(b []byte, offset, size int64) (s Span, err error) {
	rows, n := binary.Varint(b)
	bytes, m := binary.Varint(b[max(n, 0):])
	s = Span{Offset: offset + int64(n) + int64(m), Size: bytes, Rows: rows}
	switch {
	case n <= 0 || m <= 0:
		return s, io.ErrUnexpectedEOF
	case rows < 0 || bytes < 0 || bytes > size-s.Offset-SyncSize:
		return s, fmt.Errorf("%d rows in %d bytes, where the file ends at %d", rows, bytes, size)
	default:
		return s, nil
	}
}
