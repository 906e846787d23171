//go:build !linux

package storage

// Free is unknown where the system has no such call.
func Free(string) (int64, bool) { return 0, false }
