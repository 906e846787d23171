package hadoop

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"time"

	"avro2trevni/internal/format"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/units"
	"avro2trevni/internal/version"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/memory"
	"avro2trevni/jobs/pack"
	"avro2trevni/jobs/report"
	"avro2trevni/jobs/stages"
)

// What a map task, and a partition, are made for.
const (
	taskBytes         = 128 * units.MiB // of input, to one map task
	filesPerPartition = 4               // in a partition: its last is not full
	partitionRuns     = 1 << 20         // runs of a partition, whose index a reducer holds: 32 MiB
)

// CountTasks returns how many tasks a job would have.
func CountTasks(p *inputs.Plan, blockSize int, limit int64, asked int) (maps, reduces int) {
	parts := divideSplits(p, partitions(p, blockSize, limit, asked))
	return len(mapTasks(p, parts)), len(parts)
}

// partitions returns how many there should be, if not as many as asked for: so that each has a
// few full files, for its last is not full; and a number of runs that its reducer can keep the
// index of.
func partitions(p *inputs.Plan, blockSize int, limit int64, asked int) int {
	if limit == 0 {
		return 1
	}
	n := int64(asked)
	if n == 0 {
		runs := int64(len(p.Splits))*int64(len(p.Schemas.Layout.Columns)) + 4*p.Bytes/int64(blockSize)
		n = max(memory.RoundUp(p.Bytes, filesPerPartition*limit)/(filesPerPartition*limit), runs/partitionRuns)
	}
	return int(min(max(n, 1), int64(len(p.Splits))))
}

// divideSplits divides the splits into n ranges of about as many bytes, none of them empty.
func divideSplits(p *inputs.Plan, n int) []pack.Range {
	all := make([]pack.Range, 0, n)
	done, from := int64(0), 0
	for i, s := range p.Splits {
		done += s.Bytes()
		left, parts := len(p.Splits)-i-1, n-len(all)-1
		if parts > 0 && (left == parts || left > parts && done >= inputs.Portion(int64(len(all)+1), p.Bytes, int64(n))) {
			all = append(all, pack.Range{First: from, End: i + 1})
			from = i + 1
		}
	}
	return append(all, pack.Range{First: from, End: len(p.Splits)})
}

// mapTasks divides the splits of each partition into those of one map task.
func mapTasks(p *inputs.Plan, partitions []pack.Range) (tasks []pack.Range) {
	for _, part := range partitions {
		from, weight := part.First, int64(0)
		for i := part.First; i < part.End; i++ {
			n := p.Splits[i].Bytes() + inputs.FileCost*int64(len(p.Splits[i]))
			if i > from && weight+n > taskBytes {
				tasks = append(tasks, pack.Range{First: from, End: i})
				from, weight = i, 0
			}
			weight += n
		}
		tasks = append(tasks, pack.Range{First: from, End: part.End})
	}
	return tasks
}

// Plan is the data that each task gets: everything that determines its part of the output.
// It travels as compressed JSON. The inputs' sizes determine the splits.
type Plan struct {
	Version    string      // of the program: tasks of another refuse it
	Temp       report.Name // the run's folder
	Partitions []pack.Range
	Tasks      []pack.Range
	Options    TaskOptions
	Rows       string // schema that rows are resolved to, before any of it is left out
	SchemaText string // and as it is written
	Meta       []ocf.Meta
	Columns    []string // names, which tasks compare with theirs
	Schemas    []string // of the inputs
	Inputs     []taskInput
	SplitSize  int64
	Conf       map[string]string // files of Hadoop's configuration
	User       string            // the user name for HDFS without Kerberos
}

// TaskOptions are the options that tasks heed, each a field of [Options] of the same name.
type TaskOptions struct {
	Output                      report.Name
	Codec, Checksum             string
	FileSize                    int64
	BlockSize                   int
	Memory, MaxBlock, MaxHeader int64
	Index, Columns, Exclude     []string
	Schema                      string
	Principal, OnCorrupt        string
	Verify                      bool

	Format                               string
	PageSize, PageVersion, FooterEvery   int
	Encodings, LogicalTypes, InvalidUTF8 string
	Bloom                                []string
}

// Carry sets those of the options that tasks heed in the struct at to from the struct at
// from: both have the fields of [TaskOptions].
func Carry(to, from any) {
	dst, src := reflect.ValueOf(to).Elem(), reflect.ValueOf(from).Elem()
	for f := range reflect.TypeFor[TaskOptions]().Fields() {
		d := dst.FieldByName(f.Name)
		d.Set(src.FieldByName(f.Name).Convert(d.Type()))
	}
}

// taskInput is an input, and what of its header is needed.
type taskInput struct {
	Path    report.Name
	Size    int64
	ModTime time.Time
	Schema  int // in [Plan].Schemas
	Codec   string
	Sync    [ocf.SyncSize]byte
	Header  int64 // its bytes

	Firsts []int64   `json:",omitempty"` // of an input that was surveyed, see [inputs.Known]
	Gaps   []ocf.Gap `json:",omitempty"`
}

// forTasks returns the plan for tasks.
func (s *Submission) forTasks(partitions, tasks []pack.Range) *Plan {
	p := s.w.Plan
	t := &Plan{
		Version: version.Program(), Temp: report.Name(s.w.Out.TempDir()), Partitions: partitions, Tasks: tasks,
		Rows: p.Schemas.Rows.Text().String(), SchemaText: p.Schemas.Text,
		Meta: s.w.Meta, Columns: names(s.w.Table), SplitSize: p.SplitSize,
	}
	t.Options = s.Carried
	seen := map[string]int{}
	for i := range p.Inputs {
		in := &p.Inputs[i]
		n, ok := seen[in.Header.Schema]
		if !ok {
			n = len(t.Schemas)
			seen[in.Header.Schema] = n
			t.Schemas = append(t.Schemas, in.Header.Schema)
		}
		task := taskInput{Path: report.Name(in.Path), Size: in.Size, ModTime: in.ModTime, Schema: n, Codec: in.Header.Codec, Sync: in.Header.Sync, Header: in.Header.Size}
		if in.Known != nil {
			task.Firsts, task.Gaps = in.Known.Firsts, in.Known.Gaps
		}
		t.Inputs = append(t.Inputs, task)
	}
	return t
}

// Encode returns the plan as it travels.
func (t *Plan) Encode() ([]byte, error) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if err := errors.Join(json.NewEncoder(z).Encode(t), z.Close()); err != nil {
		return nil, fmt.Errorf("jobs: encode the plan: %w", err)
	}
	return out.Bytes(), nil
}

// ReadPlan reads a plan that the driver of this version made.
func ReadPlan(r io.Reader) (*Plan, error) {
	t := new(Plan)
	z, err := gzip.NewReader(r)
	if err == nil {
		err = json.NewDecoder(z).Decode(t)
	}
	if err != nil {
		return nil, fmt.Errorf("jobs: read the plan: %w", err)
	}
	if t.Version != version.Program() {
		return nil, fmt.Errorf("jobs: the plan is of version %s, this is %s", t.Version, version.Program())
	}
	return t, nil
}

// inputs returns the driver's plan; a task does a part of it.
func (t *Plan) Remake(how inputs.Options) (*inputs.Plan, error) {
	p := inputs.New(how)
	p.SplitSize = t.SplitSize
	for _, in := range t.Inputs {
		input := inputs.Input{Path: string(in.Path), Size: in.Size, ModTime: in.ModTime, Real: string(in.Path), Header: &ocf.Header{
			Schema: t.Schemas[in.Schema], Codec: in.Codec, Sync: in.Sync, Size: in.Header,
		}}
		if in.Firsts != nil {
			input.Known = &inputs.Known{Firsts: in.Firsts, Gaps: in.Gaps}
		}
		p.Add(input)
	}
	if err := p.ResolveTo(t.Rows, t.SchemaText); err != nil {
		return nil, err
	}
	if p.Cut(); p.SplitSize != t.SplitSize || p.Splits[len(p.Splits)-1] == nil || len(p.Splits) != t.Partitions[len(t.Partitions)-1].End {
		return nil, fmt.Errorf("jobs: %d splits of %d bytes are not those of the plan", len(p.Splits), p.SplitSize)
	}
	return p, nil
}

// names returns the names of a table's columns.
func names(t format.Table) (names []string) {
	for _, c := range t.Columns() {
		names = append(names, c.Name)
	}
	return names
}

// sameColumns checks that a task's columns are the driver's.
func (t *Plan) sameColumns(w *stages.Work) error {
	if own := names(w.Table); !slices.Equal(own, t.Columns) {
		return fmt.Errorf("jobs: columns %q are not those of the plan, %q", own, t.Columns)
	}
	return nil
}
