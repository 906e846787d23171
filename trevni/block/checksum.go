package block

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"avro2trevni/trevni/internal/fault"
)

// Checksum is an algorithm for the sum after each block, over the block's bytes
// before compression (section Checksum algorithms).
//
// There are two of the same CRC-32 (ISO 3309): the specification calls it "crc-32"
// and stores it little-endian; the Java implementation knows only "crc32", and
// stores that big-endian. The name tells which.
type Checksum uint8

// The checksums. The zero value is ChecksumNull, no bytes.
const (
	ChecksumNull    Checksum = iota // "null" or absent: no bytes
	ChecksumCRC32                   // "crc32": 4 bytes, big-endian; what Java reads
	ChecksumCRC32LE                 // "crc-32": 4 bytes, little-endian; the specification's
	checksums
)

var checksumNames = [checksums]string{"null", "crc32", "crc-32"}

// String returns the checksum's name on the wire.
func (c Checksum) String() string {
	if c < checksums {
		return checksumNames[c]
	}
	return fmt.Sprintf("Checksum(%d)", uint8(c))
}

// ParseChecksum returns the checksum of a wire name; "" is ChecksumNull. An unknown
// name is [ErrUnsupported].
func ParseChecksum(name string) (Checksum, error) {
	c, err := parseChecksum(name)
	if err != nil {
		return 0, fmt.Errorf("trevni: %w", err)
	}
	return c, nil
}

func parseChecksum(name string) (Checksum, error) {
	if name == "" {
		return ChecksumNull, nil
	}
	for c, n := range checksumNames {
		if n == name {
			return Checksum(c), nil
		}
	}
	return 0, fault.Unsupportedf("checksum %q; known are null, crc32 and crc-32", name)
}

// check reports whether c is one of the constants.
func (c Checksum) check() error {
	if c >= checksums {
		return fault.Unsupportedf("trevni: checksum %s is none", c)
	}
	return nil
}

// Size returns the bytes of a sum: 0 or 4.
func (c Checksum) Size() int {
	switch c {
	case ChecksumCRC32, ChecksumCRC32LE:
		return sumSize
	}
	return 0
}

// AppendSum appends the sum of a block's uncompressed bytes and returns dst.
func (c Checksum) AppendSum(dst, raw []byte) []byte {
	switch c {
	case ChecksumCRC32:
		return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(raw))
	case ChecksumCRC32LE:
		return binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(raw))
	}
	return dst
}

// sumSize is the bytes of a sum: fixed32, a CRC-32.
const sumSize = 4

// verify compares a stored sum, Size bytes, with that of raw.
func (c Checksum) verify(sum, raw []byte) error {
	var buf [sumSize]byte
	if want := c.AppendSum(buf[:0], raw); string(want) != string(sum) {
		return fault.Corruptf("checksum mismatch: %s is %x, stored is %x", c, string(want), string(sum))
	}
	return nil
}
