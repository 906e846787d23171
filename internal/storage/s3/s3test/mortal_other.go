//go:build !linux

package s3test

import "syscall"

// mortal is nothing here: the process ends with its test, unless that is killed.
func mortal() *syscall.SysProcAttr { return nil }
