package trevni

// The numbers of the wire format (section File Format). Fixed-width numbers are
// little-endian.
const (
	magic = "Trv\x02" // 4 bytes, at offset 0

	magicSize      = 4
	rowsSize       = 8  // fixed64, rows in the file
	columnsSize    = 4  // fixed32, columns in the file
	startSize      = 8  // fixed64, a column's offset in the file
	blockCountSize = 4  // fixed32, blocks in a column
	descriptorSize = 12 // 3 fixed32: rows, bytes before the codec, bytes after it
)

// The reserved metadata keys (section Metadata).
const (
	reservedPrefix = "trevni."

	keyCodec    = "trevni.codec"
	keyChecksum = "trevni.checksum"
	keyName     = "trevni.name"
	keyType     = "trevni.type"
	keyValues   = "trevni.values"
	keyArray    = "trevni.array"
	keyParent   = "trevni.parent"
)

// columnKeys are the keys that Column has a field for.
var columnKeys = []string{keyName, keyType, keyValues, keyArray, keyParent, keyCodec, keyChecksum}
