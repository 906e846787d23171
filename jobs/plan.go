package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
	"avro2trevni/jobs/listing"
	"avro2trevni/jobs/report"
	"avro2trevni/jobs/turns"
	"avro2trevni/trevni"
)

// Input is one input file of a plan.
type Input struct {
	Path    string    // as given, or below what was given
	Real    string    // the name that all names of the file lead to
	Size    int64     // bytes when planned
	ModTime time.Time // when planned
	Header  *ocf.Header
	Known   *Known // what is known of its blocks, once it was read for that alone; else nil

	part bool // it is a part file, not an Avro file
}

// Plan is what a job is going to do, made before anything is written. It follows
// from the inputs and the options that shape the outputs, not from workers or memory.
type Plan struct {
	Inputs     []Input
	Dropped    []Input       // left out as damaged
	Bytes      int64         // of all inputs, without those
	Duplicates int           // files that were named more than once, and are in Inputs once
	SchemaText string        // of the rows, as it is written
	Splits     []Split       // in the order of their rows
	SplitSize  int64         // bytes a split was made for
	Append     report.Append // what earlier runs, and guards, left of the inputs

	adds   bool // to what an output holds
	tables tables
	meta   *sharedMeta // of the inputs' headers; nil if they are no Avro files
}

// selection says which files are inputs.
func (o *Options) selection() *listing.Selection {
	out := o.reportInfo()
	return &listing.Selection{
		FS: o.FS, Names: o.Files, List: o.FilesFrom, Inputs: o.Inputs, Filter: listing.Filter{Include: o.IncludeFiles, Exclude: o.ExcludeFiles},
		Complete: o.RequireSuccess, Outside: o.Output, Log: o.Log,
		Refuse: func(name string, info fs.FileInfo) error {
			if out != nil && os.SameFile(out, info) {
				return o.reportIs("an input", name)
			}
			return nil
		},
	}
}

// newPlan lists the inputs, reads their headers, decides what their rows become
// and cuts them into splits. A plan without inputs is legal: there is nothing to do.
// o has its defaults.
// e is what the output has, if it is to be added to, or nil.
func newPlan(ctx context.Context, o *Options, e *earlier) (*Plan, error) {
	files, duplicates, err := listing.Files(ctx, o.selection())
	if err != nil {
		return nil, err
	}
	p := &Plan{Duplicates: duplicates, adds: e != nil}
	files, changed := p.fresh(o, e, files)
	if files, err = p.ready(o, files, time.Now()); err != nil {
		return nil, err
	}
	if err := o.few(len(files) - len(changed)); err != nil {
		return nil, err
	}
	p.Inputs = make([]Input, len(files))
	for i, f := range files {
		p.Inputs[i] = Input{Path: f.Path, Size: f.Size, ModTime: f.ModTime, Real: f.Real}
		p.Bytes += f.Size
	}
	if p.meta, err = readHeaders(ctx, o, p.Inputs); err != nil {
		return nil, err
	}
	if err := p.dropHeaders(o); err != nil {
		return nil, err
	}
	if err := p.decide(o, e, changed); err != nil {
		return nil, err
	}
	if err := o.few(len(p.Inputs)); err != nil {
		return nil, err
	}
	if err := p.shareMeta(ctx, o); err != nil {
		return nil, err
	}
	if err := p.resolve(o); err != nil {
		return nil, err
	}
	if err := e.sameSchema(p); err != nil {
		return nil, err
	}
	if err := p.checkWritten(); err != nil {
		return nil, err
	}
	p.SplitSize = o.SplitSize
	p.split()
	return p, nil
}

// split cuts the inputs into splits.
func (p *Plan) split() {
	sizes := make([]int64, len(p.Inputs))
	for i := range p.Inputs {
		sizes[i] = p.Inputs[i].Size
	}
	p.Splits, p.SplitSize = makeSplits(sizes, p.SplitSize, maxSplits)
}

// open opens an input and checks that it is still the file that was planned:
// [ErrChanged] if not. The caller closes it. When the context ends it can be read no more.
func (p *Plan) open(ctx context.Context, f storage.FS, input int) (storage.File, error) {
	in := &p.Inputs[input]
	file, err := f.Open(in.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, exit.Retry("%s: %w: it is gone", in.Path, exit.ErrChanged)
	}
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil {
		err = in.same(info)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &readFile{file, ctx}, nil
}

// readFile is a file that can be read until a context ends. So an interrupt also stops what
// reads a file to its end, such as the search for a marker.
type readFile struct {
	storage.File
	ctx context.Context
}

// ReadAt implements io.ReaderAt.
func (f *readFile) ReadAt(p []byte, off int64) (int, error) {
	if f.ctx.Err() != nil {
		return 0, context.Cause(f.ctx)
	}
	return f.File.ReadAt(p, off)
}

// asPlanned returns what a job fails with whose stages failed so, or not at all: with
// [ErrChanged] if an input is not as planned any more, for a file that is being written
// over reads as damaged. A failure that is not of the data is no less one for that, and
// keeps its exit status.
func (p *Plan) asPlanned(ctx context.Context, f storage.FS, failed error) error {
	if ctx.Err() != nil || errors.Is(failed, exit.ErrChanged) {
		return cmp.Or(failed, exit.Cause(ctx, ctx.Err()))
	}
	changed := p.unchanged(ctx, f)
	switch {
	case changed == nil:
		return failed
	case failed == nil, Damaged(failed), errors.Is(failed, trevni.ErrCorrupt):
		return changed
	}
	return &exit.Error{Exit: exit.Code(failed), Err: errors.Join(failed, changed)}
}

// unchanged asks the storage whether all inputs are still as planned: [ErrChanged]
// for the first that isn't.
func (p *Plan) unchanged(ctx context.Context, f storage.FS) error {
	return exit.Cause(ctx, turns.Each(ctx, headerReaders, len(p.Inputs), func(_ context.Context, i int) error {
		in := &p.Inputs[i]
		info, err := f.Stat(in.Path)
		if errors.Is(err, fs.ErrNotExist) {
			return exit.Retry("%s: %w: it is gone", in.Path, exit.ErrChanged)
		}
		if err != nil {
			return fmt.Errorf("jobs: compare an input with the plan: %w", err)
		}
		return in.same(info)
	}))
}

// same returns [ErrChanged] if the file differs from the input that was planned.
func (in *Input) same(info fs.FileInfo) error {
	switch {
	case info.Size() != in.Size:
		return exit.Retry("%s: %w: %d bytes, then %d", in.Path, exit.ErrChanged, in.Size, info.Size())
	case !info.ModTime().Equal(in.ModTime):
		return exit.Retry("%s: %w: written at %s, then at %s", in.Path, exit.ErrChanged, stamp(in.ModTime), stamp(info.ModTime()))
	}
	return nil
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
