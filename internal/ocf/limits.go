package ocf

// Limits bound what a file can make a reader allocate or do. The zero value of a
// field is its default.
type Limits struct {
	HeaderBytes int64 // the most bytes of a header; default 16 MiB
	BlockBytes  int64 // the most bytes of a block decompressed, codec null excepted; default 200 MiB
	BlockRows   int64 // the most rows of a block; default 2^31 - 1
	ReadBytes   int   // bytes read from the file at a time; default 1 MiB, at least 256
	WindowBytes int   // bytes of a window before it takes from Memory; default 4 MiB, at least 16
}

// Defaults and lower bounds of Limits.
const (
	defaultHeader = 16 << 20
	defaultBlock  = 200 << 20
	defaultRows   = 1<<31 - 1
	defaultRead   = 1 << 20
	defaultWindow = 4 << 20
	minRead       = 256
	minWindow     = 16
)

// withDefaults returns l with each zero replaced, and too small values raised.
func (l Limits) withDefaults() Limits {
	def := func(v, def, least int64) int64 {
		if v == 0 {
			return def
		}
		return max(v, least)
	}
	l.HeaderBytes = def(l.HeaderBytes, defaultHeader, 1)
	l.BlockBytes = def(l.BlockBytes, defaultBlock, 1)
	l.BlockRows = def(l.BlockRows, defaultRows, 1)
	l.ReadBytes = int(def(int64(l.ReadBytes), defaultRead, minRead))
	l.WindowBytes = int(def(int64(l.WindowBytes), defaultWindow, minWindow))
	return l
}

// Base returns the largest number of bytes that a [Reader] of a codec holds without
// requesting them from its [Memory]: buffers and the decompressor's state.
func (l Limits) Base(codec string) int64 {
	l = l.withDefaults()
	n := int64(l.ReadBytes) + int64(l.WindowBytes)
	switch codec {
	case "snappy":
		n += streamBuffer + snappyBuffer
	case "deflate":
		n += streamBuffer + 64<<10
	case "bzip2":
		n += streamBuffer + 4<<20
	case "zstandard":
		n += streamBuffer + 2*zstdWindow + 1<<20
	case "xz":
		n += streamBuffer + xzDictionary + 64<<10
	}
	return n
}

// Memory grants the memory beyond [Limits.Base], before it is allocated. For a window that
// a row does not fit, the reader requests three times the window's size; two thirds of that
// are for data that is made from the row while the window is held. A nil Memory grants
// everything. The reader's goroutine calls its methods; one Memory may serve many readers.
// A Memory whose Acquire waits must not wait forever: a growing window holds its present
// bytes while it requests more.
type Memory interface {
	// Acquire reserves n bytes. It may wait. Its error is returned, with its
	// place, by the call that needed them.
	Acquire(n int64) error
	// Release returns n bytes that were acquired.
	Release(n int64)
}

// noMemory grants everything.
type noMemory struct{}

func (noMemory) Acquire(int64) error { return nil }
func (noMemory) Release(int64)       {}
