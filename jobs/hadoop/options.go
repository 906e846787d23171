package hadoop

import "avro2trevni/internal/units"

// Options say how a job is given to Hadoop. The zero value of a field is its
// default.
type Options struct {
	Command    string   // the program hadoop; default HADOOP_HOME/bin/hadoop, or on PATH
	Jar        string   // Hadoop Streaming's; default below HADOOP_HOME, or beside Command's
	Binary     string   // the program that tasks run; default the one that runs
	Conf       []string // properties of the job, as key=value; they count before ours
	Partitions int      // reducers, each of a range of rows; default by size, see [partitions]
}

const (
	// TaskMemory is the bound of a task's process.
	TaskMemory = 512 * units.MiB
	// splitsPerFile is the least number of splits in a full file. A file ends where a split
	// ends, so at most one byte in splitsPerFile stays unused.
	splitsPerFile = 64
	groupsPerFile = 32
	leastSplit    = 64 * units.KiB
)

// SplitSize returns the bytes of a split for files of limit bytes.
func SplitSize(limit int64) int64 { return max(limit/splitsPerFile, leastSplit) }

// GroupSize is SplitSize where a split becomes a row group, which is not to be small.
func GroupSize(limit int64) int64 { return max(limit/groupsPerFile, leastSplit) }
