package reducer

import (
	"fmt"
	"sync/atomic"
)

// BlockMemory is what a group holds for each block of its file, in bytes: its layout, where
// it is staged, and what the format's writer holds. Notes come on top.
func (s *Shape) BlockMemory() int64 { return blockBytes + refBytes + s.WriterMemory }

// LayoutError is returned for a group whose layout takes more than Options.LayoutMemory.
type LayoutError struct {
	Need int64 // LayoutMemory that the range takes
}

// Error returns what is needed.
func (e *LayoutError) Error() string {
	return fmt.Sprintf("reducer: the layout of a file takes %d bytes, more than it may", e.Need)
}

// room is what the layout of a group may take, and does. What does not fit is counted all the
// same, so that it is known how much would do.
type room struct {
	most int64 // bytes; 0: any number
	used atomic.Int64
}

// take takes n bytes, and reports whether they fit.
func (r *room) take(n int64) bool { return r.used.Add(n) <= r.most || r.most == 0 }

// give gives n bytes back.
func (r *room) give(n int64) { r.used.Add(-n) }

// over reports whether more was taken than there is.
func (r *room) over() bool { return r.most > 0 && r.used.Load() > r.most }

// Memory returns the bytes that the group's layout takes, without what is staged, and with
// the descriptors that it has while it is written.
func (g *Group) Memory() int64 { return g.room.used.Load() }

// fits returns a [LayoutError] if the layout takes more than it may.
func (g *Group) fits() error {
	if !g.room.over() {
		return nil
	}
	return &LayoutError{Need: g.room.used.Load()}
}
