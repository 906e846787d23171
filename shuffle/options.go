package shuffle

import (
	"fmt"
	"os"
	"runtime"
	"sort"
)

// Options are those of a [Shuffle]. The zero value of each field is its default.
type Options struct {
	// Memory bounds the bytes held in memory, as the package's documentation counts
	// them. Default 256 MiB; the least depends on Writers.
	Memory int64
	// TempDirs are the directories for run files, used in turn. They must exist.
	// Default: the system's temporary directory.
	TempDirs []string
	// Writers is the number of writers in use at a time that memory is divided for.
	// More are served as long as there is a chunk for each. Default GOMAXPROCS.
	Writers int

	// Failed is called when a directory fails to take a run file, and from then on others
	// are used. With one directory, or the last, the failure is the shuffle's.
	Failed func(dir string, err error)
	// Quota bounds the run files. Default none.
	Quota Quota
	// Files is where run files are kept. Default the operating system's.
	Files Files

	// Tests set these.

	// chunkSize is the bytes of a chunk, the unit in which writers take memory. A
	// value that does not fit gets a chunk of its own. Default 2 MiB, or less so that
	// there are four for each of Writers, but 4 KiB. Least 4 KiB.
	chunkSize int
	// fanIn is the most run files that exist at a time, and that are merged at a
	// time: past it they are merged into fewer. Default 64, least 2; less is used
	// when Memory is small.
	fanIn int
}

// Limits and defaults, in bytes.
const (
	defaultMemory = 256 << 20
	defaultChunk  = 2 << 20
	defaultFanIn  = 64
	minChunk      = 4 << 10
	minCache      = 16 * blockSize
	maxCache      = 16 << 20
	minWrite      = 16 << 10
	maxWrite      = 1 << 20
	maxMemory     = 1 << 50
	maxFences     = 256
	runCost       = 512 // a fileRun and its name, without fences
	fenceCost     = 16  // a fence in memory
)

// withDefaults returns a copy in which no field is zero.
func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Memory == 0 {
		c.Memory = defaultMemory
	}
	if c.fanIn == 0 {
		c.fanIn = defaultFanIn
	}
	if c.Writers == 0 {
		c.Writers = runtime.GOMAXPROCS(0)
	}
	if len(c.TempDirs) == 0 {
		c.TempDirs = []string{os.TempDir()}
	}
	if c.Failed == nil {
		c.Failed = func(string, error) {}
	}
	if c.Quota == nil {
		c.Quota = noQuota{}
	}
	if c.Files == nil {
		c.Files = osFiles{}
	}
	return c
}

// Validate reports the first field that is out of range.
func (o *Options) Validate() error {
	c := o.withDefaults()
	switch {
	case c.Memory < 0 || c.Memory > maxMemory:
		return fmt.Errorf("shuffle: Memory is %d, legal is 0 to %d", c.Memory, int64(maxMemory))
	case c.Writers < 0 || c.Writers > 1<<16:
		return fmt.Errorf("shuffle: Writers is %d, legal is 0 to %d", c.Writers, 1<<16)
	}
	_, err := c.budget()
	return err
}

// budget is how the memory is divided, in bytes but for the counts.
type budget struct {
	pool   int64 // chunks
	chunk  int64 // a usual chunk
	write  int   // the write buffer for values; what else a runWriter holds is 4 blocks
	pages  int   // pages of the cache
	fanIn  int   // run files at a time
	fences int   // fences of a run file
}

// budget divides the memory. The options are complete.
func (o *Options) budget() (budget, error) {
	b := o.divide(o.Memory)
	if o.fits(b) {
		return b, nil
	}
	least := sort.Search(maxMemory, func(m int) bool { return o.fits(o.divide(int64(m))) })
	return b, fmt.Errorf("%w: %d bytes for %d writers, the least is %d", ErrMemory, o.Memory, o.Writers, least)
}

// MemoryFor returns the least Options.Memory with which that many writers can add values of
// that many bytes; more memory is also enough.
func MemoryFor(writers int, value int64) int64 {
	o := (&Options{Writers: writers}).withDefaults()
	need := chunkFor(value + noteRoom)
	return int64(sort.Search(maxMemory, func(m int) bool {
		b := o.divide(int64(m))
		others := int64(o.Writers-1) * (b.chunk + minChunk) // a chunk's size is rounded down
		return o.fits(b) && need+others <= b.pool
	}))
}

// fits reports whether each writer, and the one that may hold two, get a chunk.
func (o *Options) fits(b budget) bool { return b.pool >= int64(o.Writers+1)*b.chunk }

func (o *Options) divide(memory int64) budget {
	cache := clamp(memory/16, minCache, maxCache)
	b := budget{write: int(clamp(memory/32, minWrite, maxWrite)), pages: int(cache / blockSize)}
	b.fanIn = int(clamp(int64(o.fanIn), 2, int64(b.pages/2)))
	files := int64(b.fanIn + 2) // one is new and one a merge's when fanIn are there
	b.fences = int(clamp(memory/64/files/fenceCost, 8, maxFences))
	b.pool = memory - cache - int64(b.write) - 4*blockSize - files*(runCost+int64(b.fences)*fenceCost)
	b.chunk = int64(o.chunkSize)
	if b.chunk == 0 {
		b.chunk = clamp(b.pool/int64(4*o.Writers), minChunk, defaultChunk) &^ (minChunk - 1)
	}
	return b
}

func clamp(n, low, high int64) int64 { return max(low, min(n, high)) }
