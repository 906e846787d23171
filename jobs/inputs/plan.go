package inputs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/format"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
	"avro2trevni/jobs/listing"
	"avro2trevni/jobs/report"
	"avro2trevni/jobs/turns"
)

// Options says how inputs are read, and what schema their rows get.
type Options struct {
	FS       storage.FS
	Memory   int64                 // bytes of the process; headers and schemas take a share of them
	Limits   ocf.Limits            // of Avro files; a file with a schema may be as large as a header
	Format   format.Format         // of the files that are made, and of part files
	Skip     bool                  // what is damaged is left out; a header that is, is noted
	Reserved func(key string) bool // whether a key of metadata is the formats' own

	Keys             bool     // rows have keys: they are sorted
	Schema           string   // a file, [SchemaLatest] or [SchemaMerge]; "" for the inputs' own
	Columns, Exclude []string // paths of fields that are kept, all if there are none, and left out
}

// Input is one input file of a plan.
type Input struct {
	Path    string          // as given, or below what was given
	Real    string          // the name that all names of the file lead to
	Size    int64           // bytes when planned
	ModTime time.Time       // when planned
	Version storage.Version // when planned; None if the storage has none
	Header  *ocf.Header
	Known   *Known // what is known of its blocks, once it was read for that alone; else nil

	part   bool    // it is a part file, not an Avro file
	pieces []int64 // and where its pieces begin, see [format.File]
}

// Other returns the name that all names of the input lead to, empty if it is Path.
func (in *Input) Other() string {
	if in.Real == in.Path {
		return ""
	}
	return in.Real
}

// Digest returns the digest of the input's header.
func (in *Input) Digest() string { return fmt.Sprintf("%016x", in.Header.Digest) }

// Plan is what a job is going to do, made before anything is written. It follows
// from the inputs and the options that shape the outputs, not from workers or memory.
// It is made in the steps that the package's figure shows, in that order.
type Plan struct {
	Inputs     []Input
	Dropped    []Input       // left out as damaged
	Bytes      int64         // of all inputs, without those
	Duplicates int           // files that were named more than once, and are in Inputs once
	Schemas    Schemas       // of the inputs and of the rows
	Splits     []Split       // in the order of their rows
	SplitSize  int64         // bytes a split was made for
	Append     report.Append // what earlier runs, and guards, left of the inputs

	how  Options
	meta *sharedMeta // of the inputs' headers; nil if they are no Avro files
}

// New returns a plan without inputs.
func New(how Options) *Plan { return &Plan{how: how} }

// Add adds an input.
func (p *Plan) Add(in Input) {
	p.Inputs = append(p.Inputs, in)
	p.Bytes += in.Size
}

// AddFiles adds files, whose headers are not read yet.
func (p *Plan) AddFiles(files []listing.File) {
	for _, f := range files {
		p.Add(Input{Path: f.Path, Real: f.Real, Size: f.Size, ModTime: f.ModTime, Version: f.Version})
	}
}

// Drop leaves out inputs that are damaged.
func (p *Plan) Drop(unwanted func(*Input) bool) {
	p.Remove(func(in *Input) bool {
		if !unwanted(in) {
			return false
		}
		p.Dropped = append(p.Dropped, *in)
		return true
	})
}

// Remove takes inputs out of the plan.
func (p *Plan) Remove(unwanted func(*Input) bool) {
	all := p.Inputs
	p.Inputs, p.Bytes = make([]Input, 0, len(all)), 0
	for i := range all {
		if !unwanted(&all[i]) {
			p.Add(all[i])
		}
	}
}

// What the plan, and the report that is made of it, hold in bytes.
const (
	inputMemory = 640 // for each input, but for its names
	splitMemory = 160 // for each split: its segments, its extents, its result
	textMemory  = 4   // for each byte of the schema of the rows: it, the text that it is from, what is parsed, and a file header
)

// Memory is about the bytes that the plan holds, and its text in the report.
func (p *Plan) Memory() int64 {
	n := 2*p.meta.memory() + p.Schemas.memory() + textMemory*int64(len(p.Schemas.Text)) + splitMemory*int64(len(p.Splits))
	for i := range p.Inputs {
		in := &p.Inputs[i]
		n += inputMemory + 2*int64(len(in.Path)) + 2*int64(len(in.Other()))
	}
	return n
}

// Open opens an input and checks that it is still the file that was planned:
// [exit.ErrChanged] if not. The caller closes it. When the context ends it can be read no more.
func (p *Plan) Open(ctx context.Context, input int) (storage.File, error) {
	in := &p.Inputs[input]
	return p.openRange(ctx, in, 0, in.Size)
}

// openRange is Open for a range that is going to be read in order.
func (p *Plan) openRange(ctx context.Context, in *Input, from, to int64) (storage.File, error) {
	file, err := in.open(p.how.FS, from, to)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, exit.Retry("%s: %w: it is gone", in.Path, exit.ErrChanged)
	}
	if err != nil {
		return nil, err
	}
	return storage.Until(ctx, file), nil
}

// AsPlanned returns what a job fails with whose stages failed so, or not at all: with
// [exit.ErrChanged] if an input is not as planned any more, for a file that is being written
// over reads as damaged. A failure that is not of the data is no less one for that, and
// keeps its exit status.
func (p *Plan) AsPlanned(ctx context.Context, failed error) error {
	if ctx.Err() != nil || errors.Is(failed, exit.ErrChanged) {
		return cmp.Or(failed, exit.Cause(ctx, ctx.Err()))
	}
	changed := p.Unchanged(ctx)
	switch {
	case changed == nil:
		return failed
	case failed == nil, Damaged(failed), p.how.Format.Corrupt(failed):
		return changed
	}
	return &exit.Error{Exit: exit.Code(failed), Err: errors.Join(failed, changed)}
}

// Unchanged asks the storage whether all inputs are still as planned: [exit.ErrChanged]
// for the first that isn't. It does not ask for those with a version: each read of them had the
// condition that it is still the same.
func (p *Plan) Unchanged(ctx context.Context) error {
	return exit.Cause(ctx, turns.Each(ctx, Readers, len(p.Inputs), func(_ context.Context, i int) error {
		in := &p.Inputs[i]
		if in.Version != storage.None {
			return nil
		}
		info, err := p.how.FS.Stat(in.Path)
		if errors.Is(err, fs.ErrNotExist) {
			return exit.Retry("%s: %w: it is gone", in.Path, exit.ErrChanged)
		}
		if err != nil {
			return fmt.Errorf("jobs: compare an input with the plan: %w", err)
		}
		return in.same(info)
	}))
}

// same returns [exit.ErrChanged] if the file differs from the input that was planned.
func (in *Input) same(info fs.FileInfo) error {
	version := storage.VersionOf(info)
	switch {
	case version != in.Version && version != storage.None && in.Version != storage.None:
		return exit.Retry("%s: %w: ETag %s, then %s", in.Path, exit.ErrChanged, in.Version, version)
	case info.Size() != in.Size:
		return exit.Retry("%s: %w: %d bytes, then %d", in.Path, exit.ErrChanged, in.Size, info.Size())
	case !info.ModTime().Equal(in.ModTime):
		return exit.Retry("%s: %w: written at %s, then at %s", in.Path, exit.ErrChanged, stamp(in.ModTime), stamp(info.ModTime()))
	}
	return nil
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
