//go:build race

package ocf

// raced: the race detector makes sync.Pool forget, and everything slow.
const raced = true
