package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"avro2trevni/jobs"
)

// withSignals returns a context that SIGINT and SIGTERM end, with a *jobs.Interrupt
// as its cause, so that a verb takes its temporary file away. A second signal
// finds the system's own handling and ends the process at once. Stop frees the
// watch.
func withSignals(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(&jobs.Interrupt{Signal: s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(context.Canceled)
	}
}
