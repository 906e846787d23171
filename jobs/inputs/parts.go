package inputs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"avro2trevni/internal/format"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
	"avro2trevni/mapper"
)

// PartFile describes a part file as an input: also its metadata, and the bytes that
// reading all its columns at a time holds.
func PartFile(f storage.FS, of format.Format, path string) (in Input, meta []ocf.Meta, held int64, err error) {
	part, err := OpenFinished(f, of, path)
	if err != nil {
		return in, nil, 0, err
	}
	defer func() { err = errors.Join(err, part.Close()) }()
	info, err := part.file.Stat()
	if err != nil {
		return in, nil, 0, err
	}
	if held, err = part.Held(); err != nil {
		return in, nil, 0, err
	}
	in = Input{Path: path, Real: path, Size: info.Size(), ModTime: info.ModTime(), Version: storage.VersionOf(info), part: true, pieces: part.Pieces(), Header: &ocf.Header{Schema: part.Schema(), Codec: "null"}}
	return in, part.Meta(), held, nil
}

// CutPieces cuts part files into splits. A split has whole pieces, that follow each other, of one
// file or several: see [format.File].
func (p *Plan) CutPieces() {
	p.Splits = nil
	var bytes int64 = math.MaxInt64
	for i := range p.Inputs {
		in, part := &p.Inputs[i], 0
		for k, start := range in.pieces {
			end := in.Size
			if k+1 < len(in.pieces) {
				end = in.pieces[k+1]
			}
			if bytes > p.SplitSize || bytes+end-start > p.SplitSize {
				p.Splits, bytes = append(p.Splits, nil), 0
			}
			of := &p.Splits[len(p.Splits)-1]
			if last := len(*of) - 1; last >= 0 && (*of)[last].Input == i {
				(*of)[last].End = end
				bytes += end - start
				continue
			}
			*of = append(*of, Segment{Input: i, Part: part, Start: start, End: end})
			part++
			bytes += end - start + FileCost
		}
	}
}

// partRows are the rows of a part file.
type partRows struct {
	format.Rows
	in   *Input
	file storage.File
}

// newPartRows returns the rows of a segment of a part file that was opened; it is the caller's if
// that fails.
func newPartRows(in *Input, seg Segment, of format.Format, file storage.File) (*partRows, error) {
	f, err := of.Open(file, in.Path, in.Size)
	if err != nil {
		return nil, err
	}
	rows, err := f.Read(seg.Start, seg.End)
	if err != nil {
		return nil, err
	}
	return &partRows{rows, in, file}, nil
}

// readError is an error of reading a part file, which it names.
type readError struct{ error }

func (e readError) Unwrap() error { return e.error }

// Next implements [mapper.Blocks].
func (r *partRows) Next() (ocf.Block, error) {
	b, err := r.Rows.Next()
	if err != nil && err != io.EOF {
		err = readError{err}
	}
	return b, err
}

// Span implements [Rows].
func (r *partRows) Span() ocf.Span { return ocf.Span{End: r.in.Size} }

// Close implements [Rows].
func (r *partRows) Close() error { return r.file.Close() }

// Explain implements [Rows].
func (r *partRows) Explain(_ context.Context, err error) error {
	if row := (*mapper.Error)(nil); errors.As(err, &row) {
		return fmt.Errorf("%s: row %d: %w", r.in.Path, r.First()+row.Row, row.Err)
	}
	if at := (readError{}); errors.As(err, &at) {
		return err
	}
	return fmt.Errorf("%s: %w", r.in.Path, err)
}
