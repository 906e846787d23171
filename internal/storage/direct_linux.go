package storage

import (
	"errors"
	"io/fs"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// directWriter writes a large file past the page cache (O_DIRECT): the disk takes the
// bytes from where they were gathered, so that the system neither copies them nor finds
// pages for them, and nothing is left to wait for when Sync comes. Chunks are written
// side by side, into room that was allocated before.
//
//	Write --> chunk --full--> pwrite, directChunks-1 at a time --+
//	            ^---------------------free-----------------------+
//
// A disk that refuses a chunk gets it, and those that follow, through the page cache.
type directWriter struct {
	f      *os.File
	memory []byte // mapped, so that chunks stand on page boundaries
	chunk  []byte // being filled
	off    int64  // in the file, of chunk
	free   chan []byte
	wg     sync.WaitGroup
	sized  bool // the file has its final size already, if that is what is written

	mu  sync.Mutex
	err error // the first
}

// newDirectWriter returns a writer of size bytes to the new and empty file f, which it
// owns from then on; nil if the file is better written through the page cache. After an
// error or nil the caller owns f still.
func newDirectWriter(f *os.File, size int64) (*directWriter, error) {
	if !takesDirect(f) || setDirect(f, true) != nil {
		return nil, nil
	}
	w := &directWriter{f: f, free: make(chan []byte, directChunks)}
	err := retried(func() error { return unix.Fallocate(int(f.Fd()), 0, 0, size) })
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG) {
		return nil, &fs.PathError{Op: "allocate", Path: f.Name(), Err: err}
	}
	w.sized = err == nil // else the file grows as it is written
	w.memory, err = unix.Mmap(-1, 0, directMemory, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, &fs.PathError{Op: "map memory to write", Path: f.Name(), Err: err}
	}
	for at := 0; at < directMemory; at += directChunk {
		w.free <- w.memory[at : at : at+directChunk]
	}
	w.chunk = <-w.free
	return w, nil
}

// takesDirect reports whether the file is on one of the file systems of local disks.
// Over a network each such write would wait for the far end's disk; others make a copy
// all the same, or have no such writes.
func takesDirect(f *os.File) bool {
	var s unix.Statfs_t
	err := retried(func() error { return unix.Fstatfs(int(f.Fd()), &s) })
	return err == nil && (s.Type == unix.EXT4_SUPER_MAGIC || s.Type == unix.XFS_SUPER_MAGIC)
}

// setDirect makes the writes that follow go past the page cache, or through it.
func setDirect(f *os.File, on bool) error {
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err == nil {
		flags &^= unix.O_DIRECT
		if on {
			flags |= unix.O_DIRECT
		}
		_, err = unix.FcntlInt(f.Fd(), unix.F_SETFL, flags)
	}
	if err != nil {
		return &fs.PathError{Op: "fcntl", Path: f.Name(), Err: err}
	}
	return nil
}

// retried calls a function until no signal breaks in on it.
func retried(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// Write implements io.Writer. An error may be that of an earlier Write.
func (w *directWriter) Write(p []byte) (int, error) {
	if w.memory == nil {
		return 0, &fs.PathError{Op: "write", Path: w.f.Name(), Err: fs.ErrClosed}
	}
	for done := 0; ; {
		n := copy(w.chunk[len(w.chunk):cap(w.chunk)], p[done:])
		w.chunk = w.chunk[:len(w.chunk)+n]
		if done += n; done == len(p) {
			return done, w.failed()
		}
		w.send()
	}
}

// send has the chunk, which is full, written, and takes an empty one.
func (w *directWriter) send() {
	chunk, off := w.chunk, w.off
	w.wg.Go(func() {
		w.fail(w.write(chunk, off))
		w.free <- chunk[:0]
	})
	w.off += int64(len(chunk))
	w.chunk = <-w.free
}

// write writes a chunk.
func (w *directWriter) write(chunk []byte, off int64) error {
	if err := w.failed(); err != nil {
		return err
	}
	_, err := w.f.WriteAt(chunk, off)
	if !errors.Is(err, unix.EINVAL) {
		return err
	}
	if err := setDirect(w.f, false); err != nil {
		return err
	}
	_, err = w.f.WriteAt(chunk, off)
	return err
}

func (w *directWriter) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *directWriter) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

// finish waits for what is being written, writes the rest, which has any length, and
// gives the memory back. A second call does nothing.
func (w *directWriter) finish() error {
	if w.memory == nil {
		return nil
	}
	w.wg.Wait()
	err := w.failed()
	if err == nil {
		err = w.writeRest()
	}
	memory := w.memory
	w.memory, w.chunk = nil, nil
	return errors.Join(err, unix.Munmap(memory))
}

func (w *directWriter) writeRest() error {
	if err := setDirect(w.f, false); err != nil {
		return err
	}
	if _, err := w.f.WriteAt(w.chunk, w.off); err != nil {
		return err
	}
	if w.sized {
		return w.f.Truncate(w.off + int64(len(w.chunk)))
	}
	return nil
}

// Sync implements [Writer].
func (w *directWriter) Sync() error {
	if err := w.finish(); err != nil {
		return err
	}
	return w.f.Sync()
}

// Close implements [Writer].
func (w *directWriter) Close() error { return errors.Join(w.finish(), w.f.Close()) }
