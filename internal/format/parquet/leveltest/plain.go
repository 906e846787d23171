package leveltest

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"avro2trevni/parquet"
)

// Plain appends a value as package parquet takes it, but a boolean as a byte, 0 or 1.
func Plain(dst []byte, n *parquet.Node, value any) []byte {
	switch v := value.(type) {
	case bool:
		if v {
			return append(dst, 1)
		}
		return append(dst, 0)
	case int32:
		return binary.LittleEndian.AppendUint32(dst, uint32(v))
	case int64:
		return binary.LittleEndian.AppendUint64(dst, uint64(v))
	case float32:
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
	case float64:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
	case string:
		switch {
		case n.Symbols != nil:
			return binary.LittleEndian.AppendUint32(dst, uint32(slices.Index(n.Symbols, v)))
		case n.Type == parquet.ByteArray:
			dst = binary.LittleEndian.AppendUint32(dst, uint32(len(v)))
		}
		return append(dst, v...)
	}
	panic(fmt.Sprintf("leveltest: a value of %T", value))
}
