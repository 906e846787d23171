package jobs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"golang.org/x/sync/errgroup"

	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
	"avro2trevni/mapper"
	"avro2trevni/record"
	"avro2trevni/trevni"
)

// CompactReport says what a compaction merged.
type CompactReport struct {
	Files     int64 `json:"files"` // merged
	Bytes     int64 `json:"bytes"` // of those
	Rows      int64 `json:"rows"`
	Into      int64 `json:"into"`       // files that they became
	IntoBytes int64 `json:"into_bytes"` // of those
}

// Compact merges part files of an output folder that are under half full, and neighbours,
// into full ones. The rows and their order stay, and the list of inputs; the options are
// those the output was made with, in its _SUCCESS. Of opts only the output, and what has
// no part in the files' bytes, is asked: memory, workers, temporary folders, where to
// count and log.
//
// All new files take the place of the old at once, as in a run that replaces. A group
// of files is read back as rows, and converted like any input.
func Compact(ctx context.Context, opts *Options) (report *Report, err error) {
	o := *opts
	o.Inputs, o.Files, o.IfExists = nil, []string{}, IfExistsAppend
	if err := o.Validate(); err != nil {
		return nil, err
	}
	started := time.Now()
	connected, storages := o.connected(ctx)
	defer storages.Close() // what mattered has been answered
	defer keepTo(connected.Memory)()
	out, err := openOutput(connected)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(cause(ctx, err), finish(out, connected)) }()
	c := &compaction{o: connected, out: out}
	if err := c.open(); err != nil {
		return nil, err
	}
	report = c.earlier.report
	report.Run = RunReport{Started: started.UTC(), Workers: connected.Workers, Memory: connected.Memory, Compacted: new(CompactReport)}
	if len(c.groups) == 0 {
		connected.Log.Info("nothing to do: no neighbours are under half full", "output", out.name)
		return report, nil
	}
	return report, c.run(ctx, report)
}

// compaction is one run of Compact.
//
//	outputs   0 1 2 3 4 5 6 7 8      # full, . under half
//	          # . . . # . # . .
//	groups      |1 2 3|       |7 8|  5 has no neighbour
//	new       # 1     # . # 7
type compaction struct {
	o       *Options
	out     *output
	earlier *earlier
	groups  [][]OutputReport // in order
}

// open reads what is there, and takes the options of it.
func (c *compaction) open() error {
	if c.out.lock == nil {
		return refused("%s: %w", c.out.name, ErrNoInput)
	}
	if err := c.out.repair(); err != nil {
		return err
	}
	e, err := readEarlier(c.out.fs, c.out.name)
	if err != nil {
		return err
	}
	if e == nil {
		return refused("%s: holds no part files", c.out.name)
	}
	c.earlier, c.out.earlier = e, e
	made := &e.report.Options
	c.o.Codec, c.o.Checksum, c.o.Index = made.Codec, made.Checksum, made.Index
	c.o.FileSize, c.o.BlockSize = made.FileSize, made.BlockSize
	if err := c.o.Validate(); err != nil {
		return refused("%s: the options in its %s: %w", e.output, successName, err)
	}
	c.groups = smallNeighbours(e.report.Outputs, made.FileSize)
	return nil
}

// smallNeighbours returns the groups of two or more files, one behind the other, that
// are under half full.
func smallNeighbours(outs []OutputReport, limit int64) (groups [][]OutputReport) {
	for from := 0; from < len(outs); {
		to := from
		for to < len(outs) && outs[to].Bytes < (limit+1)/2 {
			to++
		}
		if to-from > 1 {
			groups = append(groups, outs[from:to])
		}
		from = max(to, from+1)
	}
	return groups
}

// run merges all groups and publishes.
func (c *compaction) run(ctx context.Context, report *Report) error {
	if err := c.out.begin(); err != nil {
		return err
	}
	var old []string
	merged := map[string][]OutputReport{} // by the first file's name
	for _, group := range c.groups {
		outs, err := c.merge(ctx, group, report)
		if err != nil {
			return err
		}
		merged[group[0].Path] = outs
		for _, was := range group {
			old = append(old, was.Path)
		}
	}
	c.out.old = append(old, successName)
	c.enter(report, merged)
	return c.out.commit(report)
}

// enter enters the new files into the report in place of the old ones.
func (c *compaction) enter(report *Report, merged map[string][]OutputReport) {
	var outs []OutputReport
	left, counts := 0, report.Run.Compacted
	for _, was := range report.Outputs {
		if now, ok := merged[was.Path]; ok {
			for _, group := range c.groups {
				if group[0].Path == was.Path {
					left = len(group)
				}
			}
			for _, o := range now {
				counts.Into++
				counts.IntoBytes += o.Bytes
			}
			outs = append(outs, now...)
		}
		if left == 0 {
			outs = append(outs, was)
			continue
		}
		left--
		counts.Files++
		counts.Bytes += was.Bytes
		counts.Rows += was.Rows
	}
	report.Outputs = outs
	report.Counters.OutputFiles += counts.Into - counts.Files
	report.Counters.OutputBytes += counts.IntoBytes - counts.Bytes
}

// merge makes new files of a group, under the numbers of the old ones.
func (c *compaction) merge(ctx context.Context, group []OutputReport, report *Report) ([]OutputReport, error) {
	j, err := c.job(ctx, group)
	if err != nil {
		return nil, err
	}
	defer j.doing.watch(ctx, c.o.Progress, c.o.Log, orDefault(c.o.stall, stallAfter))()
	j.checkSpace()
	c.out.first = partNumber(group[0].Path)
	done := &Report{}
	rows, err := j.convert(ctx, done)
	if changed := j.plan.unchanged(ctx, c.o.FS); changed != nil {
		return nil, changed
	}
	if err != nil {
		return nil, err
	}
	for i, was := range group {
		if rows[i] != was.Rows {
			return nil, fmt.Errorf("jobs: %s: %d rows, %s says %d", j.plan.Inputs[i].Path, rows[i], successName, was.Rows)
		}
	}
	report.Run.SpilledBytes += done.Run.SpilledBytes
	report.Run.TempBytes = max(report.Run.TempBytes, done.Run.TempBytes)
	report.Run.Workers = done.Run.Workers
	outs, err := c.out.keep()
	if err == nil && len(outs) > len(group) {
		err = fmt.Errorf("jobs: %d files from %s on became %d", len(group), group[0].Path, len(outs))
	}
	return outs, err
}

// job plans the merging of a group: its files are the inputs.
func (c *compaction) job(ctx context.Context, group []OutputReport) (*job, error) {
	j := &job{o: c.o, out: c.out, space: &tempSpace{limit: c.o.TempLimit}, doing: new(activities), plan: &Plan{Inputs: make([]Input, len(group)), SplitSize: c.o.SplitSize}}
	metas := make([]trevni.Metadata, len(group))
	held := make([]int64, len(group))
	var g errgroup.Group
	g.SetLimit(headerReaders)
	for i := range group {
		g.Go(func() (err error) {
			if ctx.Err() != nil {
				return cause(ctx, ctx.Err())
			}
			j.plan.Inputs[i], metas[i], held[i], err = c.input(group[i])
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i := range group {
		j.plan.Bytes += group[i].Bytes
		j.held = max(j.held, held[i])
	}
	j.plan.wholeSplits()
	c.o.Meta = agreed(metas)
	if err := j.plan.resolve(c.o); err != nil {
		return nil, err
	}
	return j, j.equip()
}

// input describes a part file as an input: also its metadata, and the bytes that
// reading all its columns at a time holds.
func (c *compaction) input(part OutputReport) (in Input, meta trevni.Metadata, held int64, err error) {
	path := storage.Join(c.out.name, part.Path)
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
	in = Input{Path: path, real: path, Size: info.Size(), ModTime: info.ModTime(), part: true, Header: &ocf.Header{Schema: string(text), Codec: "null"}}
	return in, r.Header().Meta, held, nil
}

// What a reader of a part file holds beside blocks, in bytes.
const (
	partColumn = 512
	partBlock  = 64
)

// agreed returns the metadata of users' own that all files have alike.
func agreed(metas []trevni.Metadata) (own []trevni.Property) {
	for _, p := range metas[0] {
		same := !reserved(p.Key)
		for _, m := range metas {
			v, ok := m.Get(p.Key)
			same = same && ok && string(v) == string(p.Value)
		}
		if same {
			own = append(own, p)
		}
	}
	return own
}

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
func (s *mapStage) part(ctx context.Context, seg Segment, m *mapper.Mapper) (rows int64, err error) {
	in := &s.plan.Inputs[seg.Input]
	f, err := s.plan.open(s.o.FS, seg.Input)
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
	if rows, err = m.Segment(ctx, &partRows{r: r}); err != nil {
		return 0, fmt.Errorf("%s: %w", in.Path, err)
	}
	s.rows[seg.Input].Add(rows)
	s.o.Progress.Rows.Add(rows)
	s.o.Progress.Mapped.Add(in.Size)
	return rows, nil
}

// Rows of a part file that are read at a time.
const (
	partBatch = 256 * kib
	partMost  = 4096
)

// partRows gives the rows of a part file as a mapper takes them.
type partRows struct {
	r    *record.Reader
	data []byte
}

// Next implements [mapper.Blocks].
func (p *partRows) Next() (ocf.Block, error) {
	first := p.r.Row()
	data, n, err := p.r.Append(p.data[:0], partMost)
	p.data = data
	return ocf.Block{Offset: first, Rows: int64(n), Size: int64(len(data))}, err
}

// Window implements [mapper.Blocks].
func (p *partRows) Window(int) ([]byte, bool, error) { return p.data, true, nil }
