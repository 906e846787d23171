package storage

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Waits between the tries of [Rewrite]: a cluster may take half a minute to see that
// a machine has gone, and gives new files to it until then.
const (
	firstWait = time.Second
	lastWait  = 30 * time.Second
	tries     = 8 // the first, and 7 after waits of 1+2+4+8+16+30+30 = 91 seconds in all
)

// Rewrite calls write, and again while the file that it writes is lost ([ErrLost]),
// after a wait that grows. What write made must be gone when it returns an error. A
// file that is lost each time is an [ErrUnavailable].
func Rewrite(ctx context.Context, write func() error) error {
	wait := firstWait
	for n := 1; ; n++ {
		err := write()
		if !errors.Is(err, ErrLost) {
			return err
		}
		if n == tries {
			return fmt.Errorf("%w: written %d times: %w", ErrUnavailable, n, err)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
		wait = min(2*wait, lastWait)
	}
}
