package jobs

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// WithSignals returns a context that SIGINT and SIGTERM end, with a *Interrupt
// as its cause, so that a command takes its temporary files away. A second signal
// finds the system's own handling and ends the process at once. Stop frees the
// watch.
func WithSignals(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(&Interrupt{Signal: s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(context.Canceled)
	}
}
