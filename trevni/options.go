package trevni

import (
	"fmt"

	"avro2trevni/trevni/block"
)

// ReaderOptions are a reader's limits and name. The zero value, and nil, are the defaults.
// The limits bound allocations, whatever a file declares, in addition to the checks against
// the file's own size.
type ReaderOptions struct {
	// Path is the file's name, for errors.
	Path string
	// MaxHeader is the largest size of the header, in bytes. Default 64 MiB; at least 1.
	MaxHeader int64
	// MaxProperties is the largest number of metadata properties in the header, of the file
	// and all columns together. Default 1 Mi; at least 1.
	MaxProperties int
	// MaxBlocks is the largest number of blocks in a column. Default 4 Mi; at least 1.
	MaxBlocks int
	// MaxBlockRaw is the largest size of a block before compression, in bytes, and
	// approximately after it. Default 256 MiB; 1 to [block.MaxRaw].
	MaxBlockRaw int64
	// ZeroChecksums accepts a checksum of four zero bytes under codec null, whatever the
	// block: the Java implementation writes that instead of the checksum. Such blocks are not
	// protected; [Reader.Unchecked] counts them.
	ZeroChecksums bool
}

// withDefaults returns a copy with defaults in place of zeros.
func (o *ReaderOptions) withDefaults() ReaderOptions {
	var c ReaderOptions
	if o != nil {
		c = *o
	}
	setDefault(&c.MaxHeader, 64<<20)
	setDefault(&c.MaxProperties, 1<<20)
	setDefault(&c.MaxBlocks, 4<<20)
	setDefault(&c.MaxBlockRaw, 256<<20)
	return c
}

func setDefault[T int | int64](v *T, d T) {
	if *v == 0 {
		*v = d
	}
}

// validate names the first field out of its range.
func (o *ReaderOptions) validate() error {
	for _, f := range []struct {
		name  string
		value int64
		most  int64
	}{
		{"MaxHeader", o.MaxHeader, 1<<63 - 1},
		{"MaxProperties", int64(o.MaxProperties), 1<<63 - 1},
		{"MaxBlocks", int64(o.MaxBlocks), 1<<31 - 1},
		{"MaxBlockRaw", o.MaxBlockRaw, block.MaxRaw},
	} {
		if f.value < 1 || f.value > f.most {
			return fmt.Errorf("trevni: ReaderOptions.%s is %d, not in 1 to %d", f.name, f.value, f.most)
		}
	}
	return nil
}
