package jobs

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"avro2trevni/reducer"
)

// needs is what the stages hold at the least, in bytes. The stages know; run.go asks
// them.
type needs struct {
	fixed   int64                   // once: the plan, headers
	mapper  int64                   // each mapper: column buffers, its reader's base
	reducer int64                   // each worker that lays out or writes a row group
	group   int64                   // each row group in work: its layout
	read    int64                   // room for the one reader that needs more than its share
	shuffle func(mappers int) int64 // the least that a shuffle of so many writers works with
}

// memoryPlan divides --memory among the stages:
//
//	|<------------------------------- Memory ------------------------------->|
//	| runtime, | fixed | workers x        | read pool | stage | shuffle      |
//	| slack    |       | (mapper+reducer) |           |       | (the rest)   |
//
// What a stage gets decides how often it spills and how many work at a time, never
// the bytes of an output.
type memoryPlan struct {
	Workers   int   // mappers at a time, and reducers; at most those asked for
	Shuffle   int64 // for shuffle.Options.Memory
	Stage     int64 // blocks that a row group's layout holds in memory
	ReadShare int64 // each reader's own room past its base, see readPool
	ReadLarge int64 // room for the one reader that needs more than its share

	Chunks int64 // of a job that sorts: of rows, while no other stage is at work
	Runs   int64 // for the shuffle that keeps sorted runs
	Merge  int64 // blocks of the runs that are merged
}

// Fixed parts of a memoryPlan, in bytes.
const (
	runtimeMemory = 20 * mib // program, stacks, the runtime's own
	binaryMemory  = 8 * mib  // pages of the program's file, which the runtime doesn't count
	leastStage    = mib
	leastRead     = mib // of the room for one reader, and of all readers' shares
	mostStage     = 256 * mib
	mostRead      = gib
	slackShare    = 8 // one in so many bytes is left for garbage and fragmentation
)

// planMemory divides total bytes for at most so many workers. It gives up workers
// before it gives up, and then says how much would do ([ExitRefused]). What the stages
// need may depend on how much there is in all.
func planMemory(total int64, workers int, needs func(total int64) needs, of string) (memoryPlan, error) {
	n := needs(total)
	for w := workers; w >= 1; w-- {
		if left := n.left(total, w); left >= 0 {
			return n.share(w, left), nil
		}
	}
	least := n.least()
	for n = needs(least); n.left(least, 1) < 0; n = needs(least) {
		least = max(n.least(), least+mib)
	}
	return memoryPlan{}, refused("memory %s is too little for %s: it needs at least %s (%d bytes)",
		size(total), of, size(least), least)
}

// left is what so many workers leave of a total when each stage has what it needs.
func (n *needs) left(total int64, workers int) int64 {
	gather := reducer.WriteMemory(min(workers, maxReaders)) - reducer.WriteMemory(1)
	return total - total/slackShare - runtimeMemory - n.fixed - int64(workers)*(n.mapper+n.reducer+gather) -
		int64(min(workers, maxGroups))*n.group - n.shuffle(workers) - leastStage - leastRead - max(leastRead, n.read)
}

// least is the total that leaves nothing to one worker.
func (n *needs) least() int64 {
	least := -n.left(0, 1)
	return roundUp(least*slackShare/(slackShare-1)+slackShare, mib)
}

// share divides what is left.
func (n *needs) share(workers int, spare int64) memoryPlan {
	read := min(spare/4, mostRead) / 2
	stage := min(spare/8, mostStage)
	return memoryPlan{
		Workers:   workers,
		Shuffle:   n.shuffle(workers) + spare - 2*read - stage,
		Stage:     leastStage + stage,
		ReadShare: (leastRead + read) / int64(workers),
		ReadLarge: max(leastRead, n.read) + read,
	}
}

func roundUp(n, unit int64) int64 { return (n + unit - 1) / unit * unit }

// memoryBounds are the bounds that the jobs of this process have asked for, and what it had before.
var memoryBounds struct {
	sync.Mutex
	bounds []int64
	before int64
}

// keepTo makes the garbage collector work harder as the process nears a bound of total
// bytes, from before a schema of any size is read. The function it returns undoes that.
// Of several jobs in a process, which may end in any order, the least bound holds.
func keepTo(total int64) (restore func()) {
	memoryBounds.Lock()
	defer memoryBounds.Unlock()
	if len(memoryBounds.bounds) == 0 {
		memoryBounds.before = debug.SetMemoryLimit(-1)
	}
	bound := total - binaryMemory
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
func (m memoryPlan) String() string {
	return fmt.Sprintf("%d workers, shuffle %s, stage %s, readers %s each and %s for one",
		m.Workers, size(m.Shuffle), size(m.Stage), size(m.ReadShare), size(m.ReadLarge))
}

const maxGroups = 4

// maxReaders is the most goroutines that gather an output file's blocks, of as many as there
// are workers. The last file, or the only one, is written when nothing is mapped any more.
const maxReaders = 4
