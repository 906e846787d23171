package exit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"testing"
)

func TestExitCode(t *testing.T) {
	tests := []struct {
		err  error
		want int
	}{
		{nil, 0},
		{io.ErrUnexpectedEOF, 4},
		{Usage("x"), 2},
		{Refused("x"), 3},
		{Retry("x: %w", ErrChanged), 75},
		{fmt.Errorf("outer: %w", Refused("x")), 3},
		{errors.Join(Retry("x"), io.EOF), 75},
		{&Interrupt{os.Interrupt}, 130},
		{&Interrupt{syscall.SIGTERM}, 143},
		{errors.Join(Refused("x"), &Interrupt{syscall.SIGTERM}), 143},
		{context.Canceled, 4},
		{fmt.Errorf("fsync: %w", errors.ErrUnsupported), 4},
	}
	for _, test := range tests {
		if got := Code(test.err); got != test.want {
			t.Errorf("%v: %d, want %d", test.err, got, test.want)
		}
	}
}

func TestCause(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	if err := Cause(ctx, io.EOF); err != io.EOF {
		t.Errorf("before: %v", err)
	}
	cancel(&Interrupt{os.Interrupt})
	for _, err := range []error{context.Canceled, io.EOF} {
		if got := Cause(ctx, err); !errors.Is(got, ErrInterrupted) {
			t.Errorf("%v became %v", err, got)
		}
	}
	if err := Cause(ctx, nil); err != nil {
		t.Errorf("nil became %v", err)
	}
}
