package reader

import "fmt"

// Options are a reader's limits and name. The zero value, and nil, are the defaults. The limits
// bound allocations, whatever a file declares, in addition to the checks against its own size.
type Options struct {
	// Path is the file's name, for errors.
	Path string
	// MaxFooter is the largest size of the footer, in bytes. Default 256 MiB; at least 1. A
	// footer takes about four times its size, at most 64 times.
	MaxFooter int64
	// MaxPageHeader is the largest size of a page's header, in bytes. Default 16 MiB; at least 1.
	MaxPageHeader int
	// MaxPage is the largest size of a page's body before compression, and in the file, in
	// bytes. Default 256 MiB; 1 to 2 GiB - 1.
	MaxPage int
	// BatchEntries is the most entries in a Batch. Default 16,384; at least 1.
	BatchEntries int
	// BatchBytes is the size at which a Batch's values end, in bytes; one value can exceed
	// it. Default 4 MiB; 1 to 1 GiB.
	BatchBytes int
	// ReadAhead is how many bytes of a chunk are read at once, at least, if it has as many.
	// Default 1 MiB; at least 1.
	ReadAhead int
	// IgnoreChecksums leaves the CRCs of pages unchecked.
	IgnoreChecksums bool
}

// withDefaults returns a copy with defaults in place of zeros.
func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	setDefault(&c.MaxFooter, 256<<20)
	setDefault(&c.MaxPageHeader, 16<<20)
	setDefault(&c.MaxPage, 256<<20)
	setDefault(&c.BatchEntries, 16<<10)
	setDefault(&c.BatchBytes, 4<<20)
	setDefault(&c.ReadAhead, 1<<20)
	return c
}

func setDefault[T int | int64](v *T, d T) {
	if *v == 0 {
		*v = d
	}
}

// validate names the first field out of its range.
func (o *Options) validate() error {
	const most = 1<<31 - 1
	for _, f := range []struct {
		name  string
		value int64
		most  int64
	}{
		{"MaxFooter", o.MaxFooter, 1<<63 - 1},
		{"MaxPageHeader", int64(o.MaxPageHeader), most},
		{"MaxPage", int64(o.MaxPage), most},
		{"BatchEntries", int64(o.BatchEntries), most},
		{"BatchBytes", int64(o.BatchBytes), 1 << 30},
		{"ReadAhead", int64(o.ReadAhead), most},
	} {
		if f.value < 1 || f.value > f.most {
			return fmt.Errorf("parquet: Options.%s is %d, not in 1 to %d", f.name, f.value, f.most)
		}
	}
	return nil
}
