package storage_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"avro2trevni/internal/storage"
)

var errLost = fmt.Errorf("the machine failed: %w", storage.ErrLost)

// loses returns a write that loses its file n times, and counts.
func loses(n int, then error) (write func() error, calls *int) {
	calls = new(int)
	return func() error {
		if *calls++; *calls <= n {
			return errLost
		}
		return then
	}, calls
}

func TestRewrite(t *testing.T) {
	other := errors.New("no space")
	tests := []struct {
		name  string
		lost  int
		then  error
		want  error
		calls int
	}{
		{"at once", 0, nil, nil, 1},
		{"lost twice", 2, nil, nil, 3},
		{"another error", 1, other, other, 2},
		{"always lost", 100, nil, storage.ErrUnavailable, 8},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				write, calls := loses(test.lost, test.then)
				err := storage.Rewrite(t.Context(), write)
				if !errors.Is(err, test.want) || *calls != test.calls {
					t.Errorf("%d calls, %v; want %d, %v", *calls, err, test.calls, test.want)
				}
			})
		})
	}
}

// An interrupt ends the waiting.
func TestRewriteInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		write, calls := loses(100, nil)
		if err := storage.Rewrite(ctx, write); !errors.Is(err, storage.ErrLost) || *calls != 2 {
			t.Errorf("%d calls, %v", *calls, err)
		}
	})
}
