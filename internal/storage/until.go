package storage

import "context"

// Until returns a file that can be read until the context ends. So an interrupt also stops
// what reads a file to its end, such as the search for a marker.
func Until(ctx context.Context, f File) File { return &until{f, ctx} }

type until struct {
	File
	ctx context.Context
}

// ReadAt implements io.ReaderAt.
func (f *until) ReadAt(p []byte, off int64) (int, error) {
	if f.ctx.Err() != nil {
		return 0, context.Cause(f.ctx)
	}
	return f.File.ReadAt(p, off)
}
