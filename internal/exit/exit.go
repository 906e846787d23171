package exit

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
	StatusDone    = 0  // done, or nothing to do
	StatusSome    = 1  // done, but input was skipped as damaged
	StatusUsage   = 2  // the command line is wrong
	StatusRefused = 3  // refused before anything was written: schemas, plan, an output that exists
	StatusFailed  = 4  // reading or writing failed
	StatusRetry   = 75 // try again later: locked, an input changed, or a service is away
	StatusINT     = 130
	StatusTERM    = 143
)

// Error is an error with its exit status.
type Error struct {
	Exit int
	Err  error
}

// Error returns the message of the cause alone.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errors of a job, for errors.Is.
var (
	ErrExists      = errors.New("jobs: the output exists")
	ErrChanged     = errors.New("jobs: an input changed while it was read")
	ErrNoInput     = errors.New("jobs: no such input")
	ErrInterrupted = errors.New("jobs: interrupted")
)

func Usage(format string, args ...any) error   { return Exitf(StatusUsage, format, args...) }
func Refused(format string, args ...any) error { return Exitf(StatusRefused, format, args...) }
func Retry(format string, args ...any) error   { return Exitf(StatusRetry, format, args...) }

func Exitf(code int, format string, args ...any) error {
	return &Error{Exit: code, Err: fmt.Errorf(format, args...)}
}

// Code returns the exit status for what a job returned: [StatusDone] for nil,
// that of the outermost [*Error] or [*Interrupt] within err, or what the storage says
// of itself, else [StatusFailed].
func Code(err error) int {
	if err == nil {
		return StatusDone
	}
	var i *Interrupt
	if errors.As(err, &i) {
		return i.exit()
	}
	var e *Error
	switch {
	case errors.Is(err, storage.ErrLockLost): // whatever came of that
		return StatusRetry
	case errors.As(err, &e):
		return e.Exit
	case errors.Is(err, storage.ErrUnavailable):
		return StatusRetry
	case errors.Is(err, storage.ErrUnsupported):
		return StatusRefused
	}
	return StatusFailed
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

// Recover turns a panic into an error that names what was being worked on.
func Recover(err *error, what string) {
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
		return StatusTERM
	}
	return StatusINT
}

// Cause returns why the context was cancelled if err came of that, else err: one
// worker's failure cancels the others, whose "context canceled" says nothing.
func Cause(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	if c := context.Cause(ctx); errors.Is(c, ErrInterrupted) || errors.Is(err, context.Canceled) {
		return c
	}
	return err
}

// Signals returns a context that SIGINT and SIGTERM end, with a *Interrupt
// as its cause, so that a command takes its temporary files away. A second signal
// finds the system's own handling and ends the process at once. Stop frees the
// watch.
func Signals(parent context.Context) (ctx context.Context, stop func()) {
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
