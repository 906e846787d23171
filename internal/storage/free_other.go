//go:build !linux

package storage

// FreeBytes is unknown where the system has no such call.
func FreeBytes(string) (int64, bool) { return 0, false }
