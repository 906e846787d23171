package record

import "fmt"

// Options are a reader's. The zero value, and nil, are the defaults.
type Options struct {
	// Schema is the JSON text of the wanted schema, including defaults. Default: the file's
	// own, in its metadata under avro.schema.
	Schema string
	// BatchBytes is the number of bytes after which [Reader.ReadRows] returns, at the end of a
	// row. Default 64 KiB; at least 1.
	BatchBytes int
	// RowBytes is the largest size of one row, in bytes. A few bytes of a file can represent
	// 2^30 nulls. Default 256 MiB; at least 1.
	RowBytes int64
}

// withDefaults returns a copy with defaults for what is zero.
func (o *Options) withDefaults() Options {
	var out Options
	if o != nil {
		out = *o
	}
	if out.BatchBytes == 0 {
		out.BatchBytes = 64 << 10
	}
	if out.RowBytes == 0 {
		out.RowBytes = 256 << 20
	}
	return out
}

// validate names the first field that is out of its range.
func (o *Options) validate() error {
	if o.BatchBytes < 1 {
		return fmt.Errorf("record: Options.BatchBytes is %d, and must be at least 1", o.BatchBytes)
	}
	if o.RowBytes < 1 {
		return fmt.Errorf("record: Options.RowBytes is %d, and must be at least 1", o.RowBytes)
	}
	return nil
}
