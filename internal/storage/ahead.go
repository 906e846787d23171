package storage

import (
	"io"
	"sync"
)

// ReadAhead returns a file that reads ahead while its last data are in use: as many bytes
// as the last read, up to the offset end. It is for files with slow reads. It holds one
// buffer, as large as the largest read. Close closes the file.
//
//	ReadAt  |---- n bytes ----|
//	                          |---- n more, in the background ----|     ... to
func ReadAhead(f File, end int64) File { return &ahead{File: f, to: end} }

type ahead struct {
	File
	to int64

	mu   sync.Mutex
	buf  []byte
	have []byte     // of buf, what is read and not taken; not to be looked at while busy
	off  int64      // where have begins
	busy chan error // while bytes are being read into buf
}

// ReadAt implements io.ReaderAt.
func (a *ahead) ReadAt(p []byte, off int64) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.settle()
	n := 0
	if off == a.off {
		n = copy(p, a.have)
	}
	a.have, a.off = a.have[n:], a.off+int64(n)
	if n < len(p) {
		k, err := a.File.ReadAt(p[n:], off+int64(n))
		if n += k; err != nil {
			return n, err
		}
	}
	if len(a.have) == 0 || a.off != off+int64(n) {
		a.begin(off+int64(n), len(p))
	}
	return n, nil
}

// settle waits for the pending read. Its error does not matter: a read of those bytes will
// return it.
func (a *ahead) settle() {
	if a.busy == nil {
		return
	}
	if err := <-a.busy; err != nil && err != io.EOF {
		a.have = nil
	}
	a.busy = nil
}

// begin reads up to n bytes from an offset on, in the background.
func (a *ahead) begin(off int64, n int) {
	a.off, a.have = off, nil
	n = int(min(int64(n), a.to-off))
	if n <= 0 {
		return
	}
	if cap(a.buf) < n {
		a.buf = make([]byte, n)
	}
	busy, buf := make(chan error, 1), a.buf[:n]
	a.busy = busy
	go func() {
		k, err := a.File.ReadAt(buf, off)
		a.have = buf[:k] // settle reads it after the channel
		busy <- err
	}()
}

// Close implements io.Closer.
func (a *ahead) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.settle()
	a.have, a.to = nil, 0
	return a.File.Close()
}
