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
	Column    uint32 // column+1 of the data region; 0 is the early region
	Row       tuple.Row
	Item      uint32 // in the early region: 0 for a split's index, column+1 for a run
}

// IndexKey is the key of a split's index.
func IndexKey(partition uint32, split int) Key {
	return Key{Partition: partition, Row: tuple.RowOf(split, 0)}
}

// RunKey is the key of a run.
func RunKey(partition uint32, column uint32, row tuple.Row, early bool) Key {
	if early {
		return Key{Partition: partition, Row: row, Item: column + 1}
	}
	return Key{Partition: partition, Column: column + 1, Row: row}
}

func (k Key) size() int {
	if k.Column == 0 {
		return earlyKey
	}
	return dataKey
}

func (k Key) append(b []byte) []byte {
	be := binary.BigEndian
	b = be.AppendUint32(b, k.Partition)
	b = be.AppendUint32(b, k.Column)
	b = be.AppendUint64(b, uint64(k.Row))
	if k.Column == 0 {
		b = be.AppendUint32(b, k.Item)
	}
	return b
}

func parseKey(b []byte) (Key, error) {
	if len(b) < dataKey {
		return Key{}, recordsError("a key of %d bytes", len(b))
	}
	be := binary.BigEndian
	k := Key{Partition: be.Uint32(b), Column: be.Uint32(b[4:]), Row: tuple.Row(be.Uint64(b[8:]))}
	if len(b) != k.size() {
		return Key{}, recordsError("a key of %d bytes in region %d", len(b), k.Column)
	}
	if k.Column == 0 {
		k.Item = be.Uint32(b[dataKey:])
	}
	return k, nil
}
