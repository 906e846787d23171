package trevni

// Block is a block's descriptor (section File Format).
type Block struct {
	Rows       uint32 // rows of the table, also in columns with a parent, at most [block.MaxRows]
	RawSize    uint32 // bytes before compression, without the checksum, at most [block.MaxRaw]
	Size       uint32 // bytes after compression, without the checksum
	FirstValue []byte // in a column with FirstValues: its first value, as the column's type is written
}
