package history

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/format"
	"avro2trevni/internal/schema"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/publish"
	"avro2trevni/jobs/report"
)

// Earlier is what an output holds of runs before: its manifest, the last _SUCCESS,
// which lists all inputs and outputs of all of them.
type Earlier struct {
	Report *report.Report // not to be changed but by a run that publishes the next
	Next   int            // number of the next part file, the highest of all folders

	output string
	format format.Format  // of the part files
	bytes  int64          // of the manifest
	nextIn map[string]int // of the next in each folder of a partition; "." is the output's own
	schema string         // text that the part files carry

	byName map[string]int  // the last of report.Inputs of a name
	byHead map[headKey]int // of those of a header, size and time
	lost   map[string]int  // of report.Skipped, those left out whole, by name
	parts  map[string]bool // names of the part files, and of those that describe them
}

// headKey identifies a file that has another name now.
type headKey struct {
	header   string
	size     int64
	modified int64 // nanoseconds since 1970
}

func headOf(in *inputs.Input) headKey {
	return headKey{in.Digest(), in.Size, in.ModTime.UnixNano()}
}

// MaxManifest is the largest size of a manifest, in bytes.
const MaxManifest = units.GiB

// Read reads what an output holds; nil if it holds nothing of ours. What can be
// no output of a finished job is refused, and so is a manifest that the memory, in bytes, has no
// room for. known returns the format of a name, as the manifest has it; nil: there is none.
func Read(f storage.FS, known func(format string) format.Format, name string, total int64) (*Earlier, error) {
	entries, err := publish.List(f, name, "")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	sizes := map[string]int64{}
	for _, e := range entries {
		sizes[e.Name] = e.Info.Size()
	}
	if len(sizes) == 0 {
		return nil, nil
	}
	if _, ok := sizes[publish.SuccessName]; !ok {
		return nil, exit.Refused("%s: holds %s, but no %s that lists its files", name, slices.Min(slices.Collect(maps.Keys(sizes))), publish.SuccessName)
	}
	e := &Earlier{output: name, Report: new(report.Report), bytes: sizes[publish.SuccessName], parts: map[string]bool{}, nextIn: map[string]int{}}
	delete(sizes, publish.SuccessName)
	if need := e.Memory() + memory.RuntimeMemory; need > total {
		return nil, exit.Refused("memory %s is too little for %s, of %d bytes: it needs at least %s (%d bytes)",
			units.Size(total), storage.Join(name, publish.SuccessName), e.bytes, units.Size(memory.RoundUp(need, units.MiB)), memory.RoundUp(need, units.MiB))
	}
	if err := e.read(f); err != nil {
		return nil, err
	}
	if e.format = known(e.Report.Options.Format); e.format == nil {
		return nil, exit.Refused("%s: its files are of the format %q, which this version does not know", name, e.Report.Options.Format)
	}
	if err := e.checkParts(sizes); err != nil {
		return nil, err
	}
	e.index()
	return e, e.readSchema(f)
}

// read reads the manifest.
func (e *Earlier) read(f storage.FS) error {
	path := storage.Join(e.output, publish.SuccessName)
	data, err := storage.ReadFile(f, path, MaxManifest)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, e.Report); err != nil {
		return exit.Refused("%s: is not the report of a run of convert: %w", path, err)
	}
	if e.Report.Version == "" || e.Report.Options.Codec == "" || len(e.Report.Outputs) == 0 && e.Report.Options.PartBy == "" {
		return exit.Refused("%s: is not the report of a run of convert", path)
	}
	return nil
}

// checkParts checks that the files in the folder are those listed.
func (e *Earlier) checkParts(sizes map[string]int64) error {
	for _, out := range e.Report.Outputs {
		size, ok := sizes[out.Path]
		switch {
		case !publish.IsPublishedName(out.Path) || out.Path == publish.SuccessName || publish.IsSummary(out.Path):
			return exit.Refused("%s: its %s lists %q, which is not a part file", e.output, publish.SuccessName, out.Path)
		case !ok:
			return exit.Refused("%s: its %s lists %s, which is not there", e.output, publish.SuccessName, out.Path)
		case size != out.Bytes:
			return exit.Refused("%s: %s has %d bytes, %s says %d", e.output, out.Path, size, publish.SuccessName, out.Bytes)
		}
		folder := path.Dir(out.Path)
		if publish.PartNumber(out.Path) < e.nextIn[folder] {
			return exit.Refused("%s: its %s lists %s after files of higher numbers", e.output, publish.SuccessName, out.Path)
		}
		delete(sizes, out.Path)
		e.parts[out.Path] = true
		e.nextIn[folder] = publish.PartNumber(out.Path) + 1
		e.Next = max(e.Next, e.nextIn[folder])
	}
	for _, out := range e.Report.Summaries {
		if !publish.IsSummary(out.Path) {
			return exit.Refused("%s: its %s lists %q, which does not describe its files", e.output, publish.SuccessName, out.Path)
		}
		e.parts[out.Path] = true
	}
	if len(sizes) > 0 {
		return exit.Refused("%s: holds %s, which its %s does not list", e.output, slices.Min(slices.Collect(maps.Keys(sizes))), publish.SuccessName)
	}
	return nil
}

// index makes the inputs findable.
func (e *Earlier) index() {
	e.byName, e.byHead, e.lost = map[string]int{}, map[headKey]int{}, map[string]int{}
	for i := range e.Report.Inputs {
		in := &e.Report.Inputs[i]
		e.byName[in.Name()] = i
		if in.Header != "" {
			e.byHead[headKey{in.Header, in.Size, in.Modified.UnixNano()}] = i
		}
	}
	for i, s := range e.Report.Skipped {
		if s.File {
			e.lost[cmp.Or(s.Real, s.Path)] = i
		}
	}
}

// Reported returns the report of the runs before, nil if there is none.
func (e *Earlier) Reported() *report.Report {
	if e == nil {
		return nil
	}
	return e.Report
}

// Memory is about the bytes that a manifest takes: its text, what that says, and the
// text of the next. e may be nil.
func (e *Earlier) Memory() int64 {
	if e == nil {
		return 0
	}
	return 4 * e.bytes
}

// readSchema reads the schema of the part files from the last of them.
func (e *Earlier) readSchema(f storage.FS) (err error) {
	if len(e.Report.Outputs) == 0 {
		return nil
	}
	last := e.Report.Outputs[len(e.Report.Outputs)-1]
	if path.Ext(last.Path) != e.format.Ext() {
		return exit.Refused("%s: its _SUCCESS lists %s, which is not a %s file", e.output, last.Path, e.format.Ext())
	}
	file, err := inputs.OpenFinished(f, e.format, storage.Join(e.output, last.Path))
	if err != nil {
		return err
	}
	e.schema = file.Schema()
	return file.Close()
}

// notCompared are the options that may differ between the runs of one output: they do not
// affect its bytes, or (schema, columns, exclude) only through the schema, which
// [Earlier.SameSchema] compares.
var notCompared = []string{"split_size", "on_corrupt", "schema", "columns", "exclude", "engine", "partitions"}

// SameOptions refuses options that differ from those that the output was made with, except
// some.
func (e *Earlier) SameOptions(now report.Options, except ...string) error {
	was, is := optionMap(e.Report.Options), optionMap(now)
	except = append(except, notCompared...)
	for key := range was {
		if _, ok := is[key]; !ok {
			is[key] = nil
		}
	}
	keys := append([]string{"format"}, slices.Sorted(maps.Keys(is))...) // others follow from it
	for _, key := range keys {
		if !slices.Contains(except, key) && !reflect.DeepEqual(was[key], is[key]) {
			return exit.Refused("%s: was made with --%s %s, not %s: give the same, or another output",
				e.output, strings.ReplaceAll(key, "_", "-"), optionText(was[key]), optionText(is[key]))
		}
	}
	return nil
}

// optionMap returns the options as JSON has them, with the default of the format.
func optionMap(r report.Options) map[string]any {
	r.Format = cmp.Or(r.Format, report.DefaultFormat)
	m := map[string]any{}
	if data, err := json.Marshal(r); err == nil {
		_ = json.Unmarshal(data, &m) // what was just marshalled
	}
	return m
}

func optionText(v any) string {
	if v == nil {
		return "none"
	}
	text, _ := json.Marshal(v) // it came of JSON
	return strings.Trim(string(text), `"`)
}

// SameSchema checks that a plan's rows are like those of the output, and makes them
// carry the same text: a reader of all files finds one schema. e may be nil.
func (e *Earlier) SameSchema(p *inputs.Plan) error {
	if e == nil || e.schema == "" || len(p.Inputs) == 0 || p.Schemas.Text == e.schema {
		return nil
	}
	was, err := schema.Parse(e.schema)
	if err != nil {
		return exit.Refused("%s: the schema of its files: %w", e.output, err)
	}
	is, err := schema.Parse(p.Schemas.Text)
	if err != nil {
		return exit.Refused("%s: %w", p.Inputs[0].Path, err)
	}
	if err := schema.Equal(was, is); err != nil {
		return exit.Refused("%s and the new inputs, %s first, have different schemas: %w; --schema with the schema of %s resolves them",
			e.output, p.Inputs[0].Path, err, e.output)
	}
	p.Schemas.Text = e.schema
	return nil
}

// There is what the output has, for what publishes.
func (e *Earlier) There() publish.There {
	return publish.There{
		Lists: func(name string) bool { return e.parts[name] },
		Next:  func(folder string) int { return e.nextIn[folder] },
		Ext:   e.format.Ext(),
	}
}
