package avrotest

import (
	"os"
	"strconv"
	"testing"
)

// Seed returns the seed of a test's random choices, and logs it: 1, so that a run is as the one
// before, or what the environment variable SEED says, for other choices.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := uint64(1)
	if text := os.Getenv("SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("SEED=%s: %v", text, err)
		}
	}
	t.Logf("SEED=%d", seed)
	return seed
}
