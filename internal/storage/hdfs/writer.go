package hdfs

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"github.com/colinmarc/hdfs/v2"

	"avro2trevni/internal/storage"
)

// blockUnit is what block sizes are multiples of: NameNodes refuse smaller ones, and
// DataNodes those that sums don't divide.
const blockUnit = 1 << 20

// replicating is how long the DataNodes may take to tell the NameNode that they have
// a block.
const replicating = time.Minute

// writer is a file being written. After the first error it stays failed.
type writer struct {
	f       *FS
	name    string
	w       *hdfs.FileWriter
	written int64
	sized   bool // it was told how large it becomes
	synced  bool
	err     error
}

// Create implements [storage.FS]. It refuses a folder whose files would be encrypted
// or erasure coded.
func (f *FS) Create(name string, size int64) (storage.Writer, error) {
	w := &writer{f: f, name: f.path(name), sized: size > 0}
	err := f.try("create", w.name, func(again bool) error {
		err := f.writable(w.name)
		if err == nil && again {
			err = f.undone(w.name)
		}
		if err != nil {
			return err
		}
		w.w, err = f.client.CreateFile(w.name, f.defaults.Replication, f.blockSize(size), 0o644)
		return err
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// writable returns nil if the folder of a name is there and its files are such as the
// client can write.
func (f *FS) writable(name string) error {
	dir, err := f.client.Stat(path.Dir(name))
	if err != nil {
		return err
	}
	return supported(dir)
}

// blockSize returns that of a file of that size: the default, or larger.
func (f *FS) blockSize(size int64) int64 {
	return max(f.defaults.BlockSize, (size+blockUnit-1)/blockUnit*blockUnit)
}

// undone removes an empty file that an earlier try has left, whose answer was lost.
func (f *FS) undone(name string) error {
	info, err := f.client.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir() || info.Size() > 0:
		return fs.ErrExist
	}
	return f.client.Remove(name)
}

// Write implements io.Writer. The client would begin a block for no bytes, which no
// DataNode ever reports.
func (w *writer) Write(p []byte) (int, error) {
	if w.err == nil && w.synced {
		w.err = w.f.explain("write", w.name, fmt.Errorf("%w: after Sync", fs.ErrClosed))
	}
	if w.err != nil {
		return 0, w.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	n, err := w.w.Write(p)
	w.written += int64(n)
	if err != nil {
		w.err = w.lost("write", err)
	}
	return n, w.err
}

// lost reports whether writing the file again may help: unless HDFS has said no.
func (w *writer) lost(op string, err error) error {
	if final(err) || refusal(err) {
		return w.f.explain(op, w.name, err)
	}
	return w.f.explain(op, w.name, fmt.Errorf("%w: %w", storage.ErrLost, w.f.reason(err)))
}

// refusal reports whether a NameNode's answer would be the same another time.
func refusal(err error) bool {
	remote := remoteOf(err)
	return remote != nil && isException(remote, "AccessControlException", "DSQuotaExceededException",
		"NSQuotaExceededException", "QuotaByStorageTypeExceededException", "QuotaExceededException")
}

// Sync ends the file: all DataNodes have all bytes, and it is one block if it can be.
func (w *writer) Sync() error {
	if w.err != nil || w.synced {
		return w.err
	}
	w.synced = true
	if w.err = w.end(); w.err == nil {
		w.err = w.check()
	}
	return w.err
}

// end closes the client's file. After another error than that of DataNodes that are
// slow to report, closing again would say that all is well, so it is not done.
func (w *writer) end() error {
	deadline, wait := time.Now().Add(replicating), 50*time.Millisecond
	for {
		err := w.w.Close()
		if err == nil {
			return nil
		}
		if !hdfs.IsErrReplicating(err) || w.f.ctx.Err() != nil || time.Now().After(deadline) {
			return w.lost("close", err)
		}
		time.Sleep(wait)
		wait = min(2*wait, 5*time.Second)
	}
}

// check compares the file with what was written.
func (w *writer) check() error {
	info, err := w.f.Stat(w.name)
	if err != nil {
		return err
	}
	status, ok := info.Sys().(*hdfs.FileStatus)
	switch {
	case info.Size() != w.written:
		return w.lost("close", fmt.Errorf("it has %d bytes, and %d were written", info.Size(), w.written))
	case ok && w.sized && int64(status.GetBlocksize()) < w.written:
		return w.f.explain("close", w.name, fmt.Errorf("%w: %d bytes in blocks of %d", errFile, w.written, status.GetBlocksize()))
	}
	return nil
}

// Close implements io.Closer. A file that was not synced is left to its remover, and
// its lease to the NameNode.
func (w *writer) Close() error {
	if w.err != nil || w.synced {
		return nil
	}
	w.synced = true
	w.err = w.end()
	return w.err
}
