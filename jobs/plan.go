package jobs

import (
	"context"
	"io/fs"
	"os"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/damage"
	"avro2trevni/jobs/history"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/listing"
	"avro2trevni/jobs/publish"
)

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

// reading says how the inputs are read.
func (o *Options) reading() inputs.Options {
	return inputs.Options{
		FS: o.FS, Memory: o.Memory, Limits: o.limits(o.Memory), Skip: o.damage().Skips(), Reserved: o.reserved, Format: o.format(), Keys: len(o.SortBy) > 0 || o.PartitionBy != "",
		Schema: o.Schema, Columns: o.Columns, Exclude: o.Exclude,
	}
}

// limits returns the readers' limits, with smaller buffers where memory is short: a
// block that does not fit them is read in windows, or takes from the read pool.
func (o *Options) limits(total int64) ocf.Limits {
	l := ocf.Limits{HeaderBytes: o.MaxHeader, BlockBytes: o.MaxBlock}
	l.ReadBytes = int(min(max(total/256, 64*units.KiB), units.MiB))
	l.WindowBytes = 4 * l.ReadBytes
	return l
}

// guard says which files may be read by now.
func (o *Options) guard() *inputs.Guard {
	return &inputs.Guard{MinAge: o.MinAge, Complete: o.RequireSuccess, Leave: o.IfExists == IfExistsAppend, Most: o.MaxInputs, Log: o.Log}
}

// damage says what is done about damaged inputs.
func (o *Options) damage() *damage.Policy {
	return &damage.Policy{OnCorrupt: o.OnCorrupt, MaxSkipped: o.MaxSkipped}
}

// readEarlier reads what an output that is appended to holds, ending before what a run
// that was killed left undone; nil if it holds nothing. The lock is held, if there is a
// folder.
func (o *Options) readEarlier(out *publish.Output) (*history.Earlier, error) {
	if o.IfExists != IfExistsAppend {
		return nil, nil
	}
	if out.Locked() {
		if _, err := out.Repair(); err != nil {
			return nil, err
		}
	}
	e, err := history.Read(o.FS, knownFormat, storage.Clean(o.Output), o.Memory)
	if err != nil || e == nil {
		return nil, err
	}
	if e.Next > publish.LastPart {
		return nil, exit.Refused("%s: part files are numbered up to %d: begin another output, or --compact this one", out.Name, publish.LastPart)
	}
	out.Follows(e.There(), e.Next)
	return e, e.SameOptions(optionsReport(o), "index")
}

// newPlan lists the inputs, reads their headers, decides what their rows become
// and cuts them into splits. A plan without inputs is legal: there is nothing to do.
// o has its defaults.
// e is what the output has, if it is to be added to, or nil.
func newPlan(ctx context.Context, o *Options, e *history.Earlier) (*inputs.Plan, error) {
	files, duplicates, err := listing.Files(ctx, o.selection())
	if err != nil {
		return nil, err
	}
	p, guard := inputs.New(o.reading()), o.guard()
	p.Duplicates, p.SplitSize = duplicates, o.SplitSize
	done := e.Compare(o.Changed, o.Log, &p.Append)
	files, p.Append.Left, err = guard.Ready(done.Fresh(files), time.Now())
	if err != nil {
		return nil, err
	}
	if err := guard.CheckCount(len(files) - len(done.Changed)); err != nil {
		return nil, err
	}
	p.AddFiles(files)
	if err := p.ReadHeaders(ctx); err != nil {
		return nil, err
	}
	if err := o.damage().DropHeaders(p, e != nil); err != nil {
		return nil, err
	}
	if err := done.Decide(p); err != nil {
		return nil, err
	}
	if err := guard.CheckCount(len(p.Inputs)); err != nil {
		return nil, err
	}
	if err := p.ShareMeta(ctx); err != nil {
		return nil, err
	}
	if err := p.Resolve(); err != nil {
		return nil, err
	}
	if err := e.SameSchema(p); err != nil {
		return nil, err
	}
	if err := p.CheckWritten(); err != nil {
		return nil, err
	}
	if p.SplitSize == 0 && len(p.Inputs) > 0 {
		p.SplitSize = rowGroupSize(p.Bytes, len(p.Schemas.Layout.Columns))
	}
	p.Cut()
	return p, nil
}

// warnOfNames says what a known reader of the files refuses in the schema: the data
// are converted all the same, and other readers take them.
func (o *Options) warnOfNames(s *inputs.Schemas) {
	if s.RefusedWhy != "" {
		o.Log.Warn(s.RefusedBy+" does not open the output: it refuses a part of the schema",
			"schema", s.Of, "at", s.RefusedAt, "why", s.RefusedWhy)
	}
}

// keysOf returns the keys of metadata.
func keysOf(all []ocf.Meta) (keys []string) {
	for _, p := range all {
		keys = append(keys, p.Key)
	}
	return keys
}
