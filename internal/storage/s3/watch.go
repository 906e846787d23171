package s3

import (
	"context"
	"errors"
	"io"
	"time"
)

// watch ends a request on which nothing moves.
//
//	begin ---- header ---- bytes -- bytes ------- bytes
//	|<-stall->|            |<-stall->|    each of these gaps
type watch struct {
	timer *time.Timer
	stall time.Duration
	ctx   context.Context
	end   context.CancelCauseFunc
}

// newWatch returns a watch that runs, and the context that it ends.
func newWatch(ctx context.Context, stall time.Duration) *watch {
	w := &watch{stall: stall}
	w.ctx, w.end = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(stall, func() { w.end(errStalled) })
	return w
}

// moves says that something came or went.
func (w *watch) moves() { w.timer.Reset(w.stall) }

// rests says that nothing is waited for: who reads has not asked for more.
func (w *watch) rests() { w.timer.Stop() }

// close frees the watch, and ends its request.
func (w *watch) close() {
	w.timer.Stop()
	w.end(nil)
}

// why returns the error of a request: errStalled if the watch ended it.
func (w *watch) why(err error) error {
	if err != nil && errors.Is(context.Cause(w.ctx), errStalled) {
		return errStalled
	}
	return err
}

// watched makes a request whose answer is short.
func (f *FS) watched(ctx context.Context, request func(context.Context, *watch) error) error {
	w := newWatch(ctx, f.stall)
	defer w.close()
	return w.why(request(w.ctx, w))
}

// moving is a reader, of a request's body, that tells a watch of each read.
type moving struct {
	io.ReadSeeker
	w *watch
}

// Read implements io.Reader.
func (m *moving) Read(p []byte) (int, error) {
	m.w.moves()
	return m.ReadSeeker.Read(p)
}
