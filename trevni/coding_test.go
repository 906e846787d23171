package trevni

import "avro2trevni/trevni/block"

const (
	types     = Bytes + 1           // one more than the last
	checksums = ChecksumCRC32LE + 1 // likewise
)

// newEncoder returns an encoder of what is known to be one.
func newEncoder(c block.Codec, sum Checksum) *block.Encoder {
	e, err := block.NewEncoder(block.Coding{Codec: c, Checksum: sum})
	if err != nil {
		panic(err)
	}
	return e
}
