package report

import (
	"encoding/hex"

	"github.com/cespare/xxhash/v2"
)

// FileDigest is the XXH64 of a file, computed as it is written. It shows whether a file is
// the one that the job wrote, at a twentieth of the cost of a cryptographic digest; it does
// not protect against forgery. Its zero value is not ready for use.
type FileDigest struct {
	h *xxhash.Digest
	n int64
}

// NewFileDigest returns the digest of a file without bytes.
func NewFileDigest() *FileDigest { return &FileDigest{h: xxhash.New()} }

// Write digests the file's next bytes. It never fails.
func (d *FileDigest) Write(p []byte) (int, error) {
	d.n += int64(len(p))
	return d.h.Write(p)
}

// Bytes returns how many bytes there are so far.
func (d *FileDigest) Bytes() int64 { return d.n }

// Hex returns the digest of all bytes so far, as 16 hexadecimal digits.
func (d *FileDigest) Hex() string { return hex.EncodeToString(d.h.Sum(nil)) }
