package jobs

import (
	"context"
	"errors"
	"fmt"
	"math"

	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/report"
	"avro2trevni/mapper"
	"avro2trevni/record"
	"avro2trevni/trevni"
)

// input describes a part file as an input: also its metadata, and the bytes that
// reading all its columns at a time holds.
func (c *compaction) input(part report.Output) (in Input, meta trevni.Metadata, held int64, err error) {
	path := storage.Join(c.out.Name, part.Path)
	f, err := c.o.FS.Open(path)
	if err != nil {
		return in, nil, 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return in, nil, 0, err
	}
	r, err := trevni.NewReader(f, info.Size(), &trevni.ReaderOptions{Path: path})
	if err != nil {
		return in, nil, 0, err
	}
	for i := range r.Header().Columns {
		blocks, err := r.Blocks(i)
		if err != nil {
			return in, nil, 0, err
		}
		most := int64(0)
		for _, b := range blocks {
			most = max(most, int64(b.Raw)+int64(b.Size))
		}
		held += most + partColumn + partBlock*int64(len(blocks))
	}
	text, _ := r.Header().Meta.Get(schemaKey)
	in = Input{Path: path, Real: path, Size: info.Size(), ModTime: info.ModTime(), part: true, Header: &ocf.Header{Schema: string(text), Codec: "null"}}
	return in, r.Header().Meta, held, nil
}

// What a reader of a part file holds beside blocks, in bytes.
const (
	partColumn = 512
	partBlock  = 64
)

// wholeSplits makes splits of whole inputs.
func (p *Plan) wholeSplits() {
	p.Splits = nil
	var bytes int64 = math.MaxInt64
	for i := range p.Inputs {
		in := &p.Inputs[i]
		if bytes+in.Size > p.SplitSize || bytes > p.SplitSize {
			p.Splits, bytes = append(p.Splits, nil), 0
		}
		last := len(p.Splits) - 1
		p.Splits[last] = append(p.Splits[last], Segment{Input: i, End: in.Size})
		bytes += in.Size + fileCost
	}
}

// part maps a part file.
func (s *mapStage) part(ctx context.Context, seg Segment, m walker) (rows int64, err error) {
	in := &s.plan.Inputs[seg.Input]
	f, err := s.plan.open(ctx, s.o.FS, seg.Input)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	t, err := trevni.NewReader(f, in.Size, &trevni.ReaderOptions{Path: in.Path})
	if err != nil {
		return 0, err
	}
	r, err := record.NewReader(t, &record.Options{BatchBytes: partBatch})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", in.Path, err)
	}
	m.Use(s.plan.program(seg.Input))
	of := &partRows{r: r}
	if rows, err = m.Segment(ctx, of); err != nil {
		if row := (*mapper.Error)(nil); errors.As(err, &row) {
			return 0, fmt.Errorf("%s: row %d: %w", in.Path, of.first+row.Row, row.Err)
		}
		if at := (*trevni.Error)(nil); errors.As(err, &at) {
			return 0, err // it names the file
		}
		return 0, fmt.Errorf("%s: %w", in.Path, err)
	}
	s.rows[seg.Input].Add(rows)
	s.o.Progress.Rows.Add(rows)
	s.o.Progress.Mapped.Add(in.Size)
	return rows, nil
}

// Rows of a part file that are read at a time.
const (
	partBatch = 256 * units.KiB
	partMost  = 4096
)

// partRows gives the rows of a part file as a mapper takes them.
type partRows struct {
	r     *record.Reader
	data  []byte
	first int64 // row of the data
}

// Next implements [mapper.Blocks].
func (p *partRows) Next() (ocf.Block, error) {
	p.first = p.r.Row()
	data, n, err := p.r.ReadRows(p.data[:0], partMost)
	p.data = data
	return ocf.Block{Rows: int64(n), Size: int64(len(data))}, err
}

// Window implements [mapper.Blocks].
func (p *partRows) Window(int) ([]byte, bool, error) { return p.data, true, nil }
