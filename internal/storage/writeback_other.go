//go:build !linux

package storage

import "os"

// noFollow and noWait are unknown here.
const (
	noFollow = 0
	noWait   = 0
)

// startWriteBack does nothing where the system has no such call.
func startWriteBack(*os.File, int64, int64) {}
