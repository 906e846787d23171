package jobs

import (
	"cmp"
	"slices"
	"strings"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/s3"
	"avro2trevni/internal/streaming"
	"avro2trevni/jobs/hadoop"
	"avro2trevni/jobs/inputs"
)

// Where the stages run.
const (
	EngineLocal  = "local"  // in this process
	EngineHadoop = "hadoop" // as tasks of a Hadoop Streaming job, on YARN
)

// HadoopOptions say how a job is given to Hadoop. The zero value of a field is its
// default.
type HadoopOptions = hadoop.Options

// hadoopDefaults fills in what engine hadoop takes otherwise.
func (o *Options) hadoopDefaults() {
	o.Memory = cmp.Or(o.Memory, hadoop.TaskMemory)
	o.Workers = 1 // YARN decides how many tasks run
	switch limit := o.fileLimit(); {
	case limit == 0 || o.SplitSize != 0:
	case o.formatName() == FormatParquet:
		o.SplitSize = min(mostRowGroup, hadoop.GroupSize(limit))
	default:
		o.SplitSize = min(DefaultSplitSize, hadoop.SplitSize(limit))
	}
}

// validateEngine checks the engine, and refuses the options that it has no use for.
func (o *Options) validateEngine() error {
	switch o.Engine {
	case "", EngineLocal:
		return o.validateNoHadoop()
	case EngineHadoop:
	default:
		return exit.Usage("engine %q: must be local or hadoop", o.Engine)
	}
	for _, no := range []struct {
		given bool
		what  string
	}{
		{len(o.SortBy) > 0, "sort by: rows stay in the inputs' order"},
		{o.PartitionBy != "", "partition by: rows stay in the inputs' order"},
		{o.Workers != 0, "workers: YARN decides how many tasks run at a time"},
		{len(o.TempDirs) > 0, "temp dir: tasks use the folders that YARN gives them"},
		{o.TempLimit != 0, "temp limit: tasks' temporary files are not counted together"},
	} {
		if no.given {
			return exit.Usage("engine hadoop: %s; use the engine local", no.what)
		}
	}
	if o.Hadoop.Partitions < 0 || o.Hadoop.Partitions > streaming.MaxPartitions {
		return exit.Usage("partitions %d: must be from 1 to %d", o.Hadoop.Partitions, streaming.MaxPartitions)
	}
	if o.Single() && o.Hadoop.Partitions > 1 {
		return exit.Usage("partitions %d: an output that is one file is made by one reducer", o.Hadoop.Partitions)
	}
	for _, kv := range o.Hadoop.Conf {
		if key, _, ok := strings.Cut(kv, "="); !ok || key == "" {
			return exit.Usage("hadoop conf %q: not KEY=VALUE", kv)
		}
	}
	for _, name := range slices.Concat([]string{o.Output}, o.Files, o.Inputs) {
		if s3.Serves(name) {
			return exit.Usage("engine hadoop: %s: reads and writes HDFS only; use the engine local for S3, or copy with hadoop distcp", name)
		}
	}
	if o.FS == nil && !storage.Remote(o.Output) {
		return exit.Usage("engine hadoop: %s: the output must be an hdfs:// name, which all nodes can write to", o.Output)
	}
	if strings.ContainsAny(o.Output, `,{}[]*?\`) {
		return exit.Usage("engine hadoop: %s: Hadoop treats , { } [ ] * ? \\ in a name as a pattern", o.Output)
	}
	return nil
}

// validateNoHadoop refuses options that only engine hadoop has a use for.
func (o *Options) validateNoHadoop() error {
	h := &o.Hadoop
	if h.Command != "" || h.Jar != "" || len(h.Conf) > 0 || h.Partitions != 0 {
		return exit.Usage("hadoop, streaming jar, hadoop conf and partitions are options of the engine hadoop")
	}
	return nil
}

// inReach refuses inputs that the nodes cannot read.
func (o *Options) inReach(p *inputs.Plan) error {
	reach := func(name string) bool { return storage.Remote(name) && !s3.Serves(name) }
	if o.reach != nil {
		reach = o.reach
	}
	for i := range p.Inputs {
		if name := p.Inputs[i].Path; !reach(name) {
			return exit.Refused("%s: engine hadoop reads inputs on all nodes: it must be an hdfs:// name", name)
		}
	}
	return nil
}
