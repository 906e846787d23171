package streaming

import (
	"encoding/binary"

	"avro2trevni/internal/tuple"
)

// Sizes of keys on the wire, in bytes.
const (
	dataKey  = 4 + 4 + 8
	earlyKey = dataKey + 4
	maxKey   = earlyKey
)

// Key is a record's key.
type Key struct {
	Partition uint32 // as [Partitions] has it
	Major     uint32 // of the data region: column+1, or split+1; 0 is the early region
	Minor     uint64 // the row; in the data region by split, the column and the row in the split
	Item      uint32 // in the early region: 0 for a split's index, column+1 for a run
}

// Order is the order of the runs in the data region.
type Order bool

// The orders: that of the files' bytes.
const (
	ByColumn Order = false // column after column, in it row after row
	BySplit  Order = true  // split after split, in it column after column
)

// MaxColumns is the largest number of columns of a partition that comes by split.
const MaxColumns = 1 << (64 - tuple.RowBits)

// IndexKey is the key of a split's index.
func IndexKey(partition uint32, split int) Key {
	return Key{Partition: partition, Minor: uint64(tuple.RowOf(split, 0))}
}

// EarlyKey is the key of a run in the early region.
func EarlyKey(partition uint32, column uint32, row tuple.Row) Key {
	return Key{Partition: partition, Minor: uint64(row), Item: column + 1}
}

// RunKey is the key of a run in the data region.
func (o Order) RunKey(partition uint32, column uint32, row tuple.Row) Key {
	if o == BySplit {
		return Key{Partition: partition, Major: uint32(row.Split()) + 1, Minor: uint64(column)<<tuple.RowBits | uint64(row.InSplit())}
	}
	return Key{Partition: partition, Major: column + 1, Minor: uint64(row)}
}

// run returns the column and the row of a key of the data region.
func (o Order) run(k Key) (column uint32, row tuple.Row) {
	if o == BySplit {
		const inSplit = 1<<tuple.RowBits - 1
		return uint32(k.Minor >> tuple.RowBits), tuple.Row(uint64(k.Major-1)<<tuple.RowBits | k.Minor&inSplit)
	}
	return k.Major - 1, tuple.Row(k.Minor)
}

func (k Key) size() int {
	if k.Major == 0 {
		return earlyKey
	}
	return dataKey
}

func (k Key) append(b []byte) []byte {
	be := binary.BigEndian
	b = be.AppendUint32(b, k.Partition)
	b = be.AppendUint32(b, k.Major)
	b = be.AppendUint64(b, k.Minor)
	if k.Major == 0 {
		b = be.AppendUint32(b, k.Item)
	}
	return b
}

func parseKey(b []byte) (Key, error) {
	if len(b) < dataKey {
		return Key{}, recordsError("a key of %d bytes", len(b))
	}
	be := binary.BigEndian
	k := Key{Partition: be.Uint32(b), Major: be.Uint32(b[4:]), Minor: be.Uint64(b[8:])}
	if len(b) != k.size() {
		return Key{}, recordsError("a key of %d bytes in region %d", len(b), k.Major)
	}
	if k.Major == 0 {
		k.Item = be.Uint32(b[dataKey:])
	}
	return k, nil
}
