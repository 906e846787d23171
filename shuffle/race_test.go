//go:build race

package shuffle

// stride thins out tests that do the same on one goroutine thousands of times, which
// the race detector slows down by ten and learns nothing from.
const stride = 23
