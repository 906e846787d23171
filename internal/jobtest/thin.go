package jobtest

import "testing"

// Thin returns the stride of a test that does much the same many times: 1, and n under the
// race detector, which makes it ten times as slow and learns little from the repetition. What
// the test logs then has make test run it without the race detector too.
func Thin(t testing.TB, n int) int {
	t.Helper()
	if !raced {
		return 1
	}
	t.Logf("one turn of %d; make test runs this without the race detector too", n)
	return n
}
