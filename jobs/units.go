package jobs

import "github.com/dustin/go-humanize"

// Sizes in bytes.
const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

// size returns bytes as people read them.
func size(n int64) string { return humanize.IBytes(uint64(max(n, 0))) }
