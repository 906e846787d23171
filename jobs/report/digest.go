package report

import (
	"encoding/hex"

	"github.com/cespare/xxhash/v2"
)

// FileDigest is the XXH64 of a file, computed as it is written. It tells whether a file
// is the one that the job wrote, at a twentieth of what a cryptographic digest costs;
// it is no proof against somebody who means to forge one. Its zero value is not ready.
type FileDigest struct{ h *xxhash.Digest }

func NewFileDigest() FileDigest { return FileDigest{xxhash.New()} }

// Add digests the file's next bytes.
func (d FileDigest) Add(p []byte) { _, _ = d.h.Write(p) } // never fails

// Hex returns the digest of all bytes so far, as 16 hexadecimal digits.
func (d FileDigest) Hex() string { return hex.EncodeToString(d.h.Sum(nil)) }
