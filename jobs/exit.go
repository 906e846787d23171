package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"avro2trevni/internal/storage"
)

// Exit statuses of a job, as cron and schedulers see them.
const (
	ExitDone    = 0  // done, or nothing to do
	ExitSome    = 1  // done, but input was skipped as damaged
	ExitUsage   = 2  // the command line is wrong
	ExitRefused = 3  // refused before anything was written: schemas, plan, an output that exists
	ExitFailed  = 4  // reading or writing failed
	ExitRetry   = 75 // try again later: locked, an input changed, or a service is away
	ExitINT     = 130
	ExitTERM    = 143
)

// Error is an error with the exit status it stands for.
type Error struct {
	Exit int
	Err  error
}

// Error returns the message of the cause alone.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errors of a job that callers may ask for with errors.Is.
var (
	ErrExists      = errors.New("jobs: the output exists")
	ErrChanged     = errors.New("jobs: an input changed while it was read")
	ErrNoInput     = errors.New("jobs: no such input")
	ErrInterrupted = errors.New("jobs: interrupted")
)

func usage(format string, args ...any) error   { return exitf(ExitUsage, format, args...) }
func refused(format string, args ...any) error { return exitf(ExitRefused, format, args...) }
func retry(format string, args ...any) error   { return exitf(ExitRetry, format, args...) }

func exitf(code int, format string, args ...any) error {
	return &Error{Exit: code, Err: fmt.Errorf(format, args...)}
}

// ExitCode returns the exit status for what [Convert] returned: [ExitDone] for nil,
// that of the outermost [*Error] or [*Interrupt] within err, or what the storage says
// of itself, else [ExitFailed].
func ExitCode(err error) int {
	if err == nil {
		return ExitDone
	}
	var i *Interrupt
	if errors.As(err, &i) {
		return i.exit()
	}
	var e *Error
	switch {
	case errors.Is(err, storage.ErrLockLost): // whatever came of that
		return ExitRetry
	case errors.As(err, &e):
		return e.Exit
	case errors.Is(err, storage.ErrUnavailable):
		return ExitRetry
	case errors.Is(err, storage.ErrUnsupported):
		return ExitRefused
	}
	return ExitFailed
}

// InternalError is a mistake of the program, found as a panic.
type InternalError struct {
	What  string // was being worked on
	Panic any
	Stack []byte
}

// Error names what was being worked on, and leaves out the stack.
func (e *InternalError) Error() string {
	return fmt.Sprintf("jobs: %s: internal error: %v", e.What, e.Panic)
}

// recoverAs turns a panic into an error that names what was being worked on.
func recoverAs(err *error, what string) {
	if p := recover(); p != nil {
		*err = &InternalError{what, p, debug.Stack()}
	}
}

// Interrupt is the cause with which the command cancels a job's context when a
// signal arrives.
type Interrupt struct{ Signal os.Signal }

// Error names the signal.
func (i *Interrupt) Error() string { return "interrupted by signal: " + i.Signal.String() }

// Is makes errors.Is(err, ErrInterrupted) true.
func (i *Interrupt) Is(target error) bool { return target == ErrInterrupted }

func (i *Interrupt) exit() int {
	if i.Signal == syscall.SIGTERM {
		return ExitTERM
	}
	return ExitINT
}

// cause returns why the context was cancelled if err came of that, else err: one
// worker's failure cancels the others, whose "context canceled" says nothing.
func cause(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	if c := context.Cause(ctx); errors.Is(c, ErrInterrupted) || errors.Is(err, context.Canceled) {
		return c
	}
	return err
}

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
