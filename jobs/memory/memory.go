package memory

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/units"
)

// Needs is the least memory that a part of a job works with, in bytes. Each package says its
// own, and they add up.
type Needs struct {
	Fixed   int64                   // once: the plan, headers
	Mapper  int64                   // each mapper: column buffers, its reader's base
	Reducer int64                   // each worker that lays out or writes a row group, besides Write
	Group   int64                   // each row group being made: its layout, as far as that can be foreseen
	Parts   int64                   // each file being written to object storage: parts that are not stored yet, at the least
	Read    int64                   // room for the one reader that needs more than its share
	Shuffle func(mappers int) int64 // the least that a shuffle with that many writers works with; nil: nothing
	Write   func(readers int) int64 // each writer of a file whose blocks that many goroutines gather; nil: nothing

	MostParts int64 // as many as Parts makes use of
}

// Add adds what is held at the same time. Only one reader at a time needs more than its share.
func (n *Needs) Add(more Needs) {
	n.Fixed += more.Fixed
	n.Mapper += more.Mapper
	n.Reducer += more.Reducer
	n.Group += more.Group
	n.Parts += more.Parts
	n.MostParts += more.MostParts
	n.Read = max(n.Read, more.Read)
	n.Shuffle = sum(n.Shuffle, more.Shuffle)
	n.Write = sum(n.Write, more.Write)
}

// sum adds two functions; nil is zero.
func sum(a, b func(int) int64) func(int) int64 {
	return func(n int) int64 { return call(a, n) + call(b, n) }
}

func call(f func(int) int64, n int) int64 {
	if f == nil {
		return 0
	}
	return f(n)
}

// Share divides --memory among the stages:
//
//	|<------------------------------- Memory ------------------------------->|
//	| runtime, | fixed | workers x        | read pool | stage | shuffle      |
//	| slack    |       | (mapper+reducer) |           |       | (the rest)   |
//
// The share of a stage decides how often it spills and how many workers it has, never the
// bytes of an output.
type Share struct {
	Workers   int   // number of concurrent mappers, and of reducers; at most the requested number
	Shuffle   int64 // for shuffle.Options.Memory
	Stage     int64 // blocks that the row groups' layouts hold in memory
	Group     int64 // each row group's layout, for reducer.Options.LayoutMemory
	Parts     int64 // parts of each file that is written to object storage
	ReadShare int64 // each reader's own room beyond its base, see [ReadPool]
	ReadLarge int64 // room for the one reader that needs more than its share

	Chunks int64 // rows of a job that sorts, while no other stage is working
	Runs   int64 // for the shuffle that keeps sorted runs
	Merge  int64 // blocks of the runs that are merged
}

// Fixed parts of a Share, in bytes.
const (
	RuntimeMemory = 20 * units.MiB // program, stacks, the runtime's own
	BinaryMemory  = 18 * units.MiB // pages of the program's file, which the runtime doesn't count
	leastStage    = units.MiB
	leastRead     = units.MiB // of the room for one reader, and of all readers' shares
	mostStage     = 256 * units.MiB
	mostLayout    = 64 * units.MiB // of all groups, beyond what is foreseen
	mostRead      = units.GiB
	slackShare    = 8 // one byte in slackShare is left for garbage and fragmentation
)

// Divide divides total bytes among the stages, for at most workers workers. If total is too
// little it reduces the number of workers; if it is too little for one, the error says how
// much is needed ([exit.StatusRefused]). The needs of the stages may depend on the total.
func Divide(total int64, workers int, needs func(total int64) Needs, of string) (Share, error) {
	n := needs(total)
	for w := workers; w >= 1; w-- {
		if left := n.left(total, w); left >= 0 {
			return n.share(w, left), nil
		}
	}
	least := n.least()
	for n = needs(least); n.left(least, 1) < 0; n = needs(least) {
		least = max(n.least(), least+units.MiB)
	}
	return Share{}, exit.Refused("memory %s is too little for %s: it needs at least %s (%d bytes)",
		units.Size(total), of, units.Size(least), least)
}

// left is what remains of a total with that many workers when each stage has what it needs.
func (n *Needs) left(total int64, workers int) int64 {
	write := call(n.Write, min(workers, MaxReaders))
	return total - total/slackShare - RuntimeMemory - n.Fixed - int64(workers)*(n.Mapper+n.Reducer+write) -
		int64(min(workers, MaxGroups))*(n.Group+n.Parts) - call(n.Shuffle, workers) - leastStage - leastRead - max(leastRead, n.Read)
}

// least is the total that leaves nothing to one worker.
func (n *Needs) least() int64 {
	least := -n.left(0, 1)
	return RoundUp(least*slackShare/(slackShare-1)+slackShare, units.MiB)
}

// share divides what is left.
func (n *Needs) share(workers int, spare int64) Share {
	read := min(spare/4, mostRead) / 2
	stage := min(spare/8, mostStage)
	layout := min(spare/16, mostLayout)
	groups := int64(min(workers, MaxGroups))
	parts := min(spare/4/groups, n.MostParts-n.Parts)
	return Share{
		Workers:   workers,
		Shuffle:   call(n.Shuffle, workers) + spare - 2*read - stage - layout - groups*parts,
		Stage:     leastStage + stage,
		Group:     n.Group + layout/groups,
		Parts:     n.Parts + parts,
		ReadShare: (leastRead + read) / int64(workers),
		ReadLarge: max(leastRead, n.Read) + read,
	}
}

func RoundUp(n, unit int64) int64 { return (n + unit - 1) / unit * unit }

// memoryBounds are the bounds that the jobs of this process have requested, and the setting
// from before.
var memoryBounds struct {
	sync.Mutex
	bounds []int64
	before int64
}

// KeepTo makes the garbage collector work harder as the process nears a bound of total
// bytes, from before a schema of any size is read. The function it returns undoes that. If
// several jobs run in a process, which may end in any order, the lowest bound applies.
func KeepTo(total int64) (restore func()) {
	memoryBounds.Lock()
	defer memoryBounds.Unlock()
	if len(memoryBounds.bounds) == 0 {
		memoryBounds.before = debug.SetMemoryLimit(-1)
	}
	bound := max(total-BinaryMemory, units.MiB) // a negative one would be none
	memoryBounds.bounds = append(memoryBounds.bounds, bound)
	debug.SetMemoryLimit(slices.Min(memoryBounds.bounds))
	return func() {
		memoryBounds.Lock()
		defer memoryBounds.Unlock()
		i := slices.Index(memoryBounds.bounds, bound)
		memoryBounds.bounds = slices.Delete(memoryBounds.bounds, i, i+1)
		if len(memoryBounds.bounds) == 0 {
			debug.SetMemoryLimit(memoryBounds.before)
			return
		}
		debug.SetMemoryLimit(slices.Min(memoryBounds.bounds))
	}
}

// String describes the division, for the log.
func (m Share) String() string {
	return fmt.Sprintf("%d workers, shuffle %s, stage %s, readers %s each and %s for one",
		m.Workers, units.Size(m.Shuffle), units.Size(m.Stage), units.Size(m.ReadShare), units.Size(m.ReadLarge))
}

// MaxGroups is the largest number of row groups that are laid out and written at a time.
const MaxGroups = 4

// Groups is how many row groups are laid out and written at a time.
func (m Share) Groups() int { return min(m.Workers, MaxGroups) }

// MaxReaders is the largest number of goroutines that gather an output file's blocks; there
// are at most as many as workers. The last file, or the only one, is written when the
// mappers are done.
const MaxReaders = 4
