//go:build !linux

package storage

import "os"

// noFollow is unknown here.
const noFollow = 0

// startWriteBack does nothing where the system has no such call.
func startWriteBack(*os.File, int64, int64) {}
