package hdfs

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"github.com/colinmarc/hdfs/v2"

	"avro2trevni/internal/storage"
)

// Waits between the tries of a call.
const (
	firstWait = 250 * time.Millisecond
	lastWait  = 10 * time.Second
)

// try makes a call, and repeats it while the NameNode is unavailable. The call's argument
// says whether an earlier try may have taken effect.
func (f *FS) try(op, name string, call func(again bool) error) error {
	deadline := time.Now().Add(f.patience)
	wait := firstWait
	for again := false; ; again = true {
		err := call(again)
		if !f.transient(err) {
			return f.explain(op, name, err)
		}
		if f.ctx.Err() != nil || time.Now().After(deadline) {
			return &fs.PathError{Op: op, Path: f.uri(name), Err: fmt.Errorf("%w: %w", storage.ErrUnavailable, f.reason(err))}
		}
		f.log.Warn("HDFS is not available; trying again", "call", op, "name", f.uri(name), "error", f.reason(err))
		select {
		case <-f.ctx.Done():
		case <-time.After(wait):
		}
		wait = min(2*wait, lastWait)
	}
}

// notNow are exceptions of a NameNode that will accept the call later.
var notNow = []string{"SafeModeException", "RetriableException", "StandbyException", "ServerTooBusyException", "ObserverRetryOnActiveException"}

// transient reports whether an error is one of the connection or of the NameNode's
// state, so that the call may be made again.
func (f *FS) transient(err error) bool {
	if err == nil || final(err) || f.dial.unknown.Load() != nil {
		return false
	}
	if remote := remoteOf(err); remote != nil {
		return isException(remote, notNow...)
	}
	return !strings.Contains(err.Error(), "SASL handshake") // whose cause the client flattens to text
}

// final reports whether an error is an answer about the file.
func final(err error) bool {
	for _, target := range []error{
		fs.ErrNotExist, fs.ErrExist, fs.ErrPermission, fs.ErrInvalid, syscall.ENOTEMPTY,
		storage.ErrUnsupported, storage.ErrLocked, storage.ErrLockLost, storage.ErrLost, storage.ErrUnavailable, errFile,
	} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// remoteOf returns the exception that HDFS answered with, nil if it is none.
func remoteOf(err error) hdfs.Error {
	var remote hdfs.Error
	if errors.As(err, &remote) {
		return remote
	}
	return nil
}

// isException reports whether an exception is of one of the classes.
func isException(remote hdfs.Error, classes ...string) bool {
	class := remote.Exception()
	for _, c := range classes {
		if class[strings.LastIndex(class, ".")+1:] == c {
			return true
		}
	}
	return false
}

// explain gives an error its operation and name, as package io/fs has it.
func (f *FS) explain(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: f.uri(name), Err: f.reason(err)}
}

// reason returns what is behind an error of the client: with the first line of what
// HDFS says, without the path that the client knows.
func (f *FS) reason(err error) error {
	if dns := f.dial.unknown.Load(); dns != nil {
		return dns
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	if remote := remoteOf(err); remote != nil {
		message, _, _ := strings.Cut(remote.Message(), "\n")
		return fmt.Errorf("%w: %s", err, message)
	}
	return err
}
