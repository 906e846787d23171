package report

import (
	"encoding/hex"

	"github.com/cespare/xxhash/v2"
)

// FileDigest is the XXH64 of a file, computed as it is written. It shows whether a file is
// the one that the job wrote, at a twentieth of the cost of a cryptographic digest; it does
// not protect against forgery. Its zero value is not ready for use.
type FileDigest struct{ h *xxhash.Digest }

func NewFileDigest() FileDigest { return FileDigest{xxhash.New()} }

// Add digests the file's next bytes.
func (d FileDigest) Add(p []byte) { _, _ = d.h.Write(p) } // never fails

// Hex returns the digest of all bytes so far, as 16 hexadecimal digits.
func (d FileDigest) Hex() string { return hex.EncodeToString(d.h.Sum(nil)) }
