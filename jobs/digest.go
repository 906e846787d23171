package jobs

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// fileDigest is the SHA-256 of a file, computed on another CPU while the same bytes are
// being written: the two take about as long. One goroutine at a time; end must be
// called.
type fileDigest struct {
	h    hash.Hash
	in   chan []byte
	done chan struct{}
}

func newFileDigest() *fileDigest {
	d := &fileDigest{h: sha256.New(), in: make(chan []byte), done: make(chan struct{})}
	go func() {
		for p := range d.in {
			_, _ = d.h.Write(p) // never fails
			d.done <- struct{}{}
		}
	}()
	return d
}

// begin takes bytes, which must not change until wait returns.
func (d *fileDigest) begin(p []byte) { d.in <- p }

// wait returns when the bytes of the last begin are digested.
func (d *fileDigest) wait() { <-d.done }

// hex returns the digest of all bytes so far, as hexadecimal digits.
func (d *fileDigest) hex() string { return hex.EncodeToString(d.h.Sum(nil)) }

// end ends the digest's goroutine.
func (d *fileDigest) end() { close(d.in) }
