package trevni

import "avro2trevni/trevni/block"

// Type is the type of a column's values (section Type Names).
type Type = block.Type

// The ten types. The zero value is Null.
const (
	Null    = block.Null
	Boolean = block.Boolean
	Int     = block.Int     // 32 bits
	Long    = block.Long    // 64 bits
	Fixed32 = block.Fixed32 // 4 bytes, unsigned
	Fixed64 = block.Fixed64 // 8 bytes, unsigned
	Float   = block.Float
	Double  = block.Double
	String  = block.String
	Bytes   = block.Bytes
)

// Checksum is an algorithm for the sum after each block.
type Checksum = block.Checksum

// The checksums. The zero value is ChecksumNull, no bytes.
const (
	ChecksumNull    = block.ChecksumNull    // "null" or absent: no bytes
	ChecksumCRC32   = block.ChecksumCRC32   // "crc32": what Java reads
	ChecksumCRC32LE = block.ChecksumCRC32LE // "crc-32": the specification's
)
