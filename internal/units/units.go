package units

import "github.com/dustin/go-humanize"

// Sizes in bytes.
const (
	KiB = 1 << 10
	MiB = 1 << 20
	GiB = 1 << 30
)

// Size returns bytes as people read them.
func Size(n int64) string { return humanize.IBytes(uint64(max(n, 0))) }
