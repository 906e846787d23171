package leveltest

import (
	"encoding/binary"
	"fmt"
	"math"

	"avro2trevni/internal/schema"
)

// The decoded form of a value: nil, bool, int32, int64, float32, float64, string (strings,
// bytes and fixeds), symbol, []any (a record's fields, an array's elements), branch, []pair.
type (
	symbol int64
	branch struct {
		i int
		v any
	}
	pair struct {
		key string
		v   any
	}
)

// decode takes a value off the front of a row.
func decode(s *schema.Schema, row []byte) (v any, rest []byte) {
	switch s.Kind {
	case schema.Null:
		return nil, row
	case schema.Boolean:
		return row[0] != 0, row[1:]
	case schema.Int:
		n, row := varint(row)
		return int32(n), row
	case schema.Long:
		return long(row)
	case schema.Enum:
		n, row := varint(row)
		return symbol(n), row
	case schema.Float:
		return math.Float32frombits(binary.LittleEndian.Uint32(row)), row[4:]
	case schema.Double:
		return math.Float64frombits(binary.LittleEndian.Uint64(row)), row[8:]
	case schema.Fixed:
		return string(row[:s.Size]), row[s.Size:]
	case schema.String, schema.Bytes:
		return text(row)
	case schema.Union:
		i, row := varint(row)
		v, row = decode(s.Branches[i], row)
		return branch{int(i), v}, row
	case schema.Record:
		fields := make([]any, len(s.Fields))
		for i, f := range s.Fields {
			fields[i], row = decode(f.Type, row)
		}
		return fields, row
	case schema.Array:
		items := []any{}
		row = blocks(row, func(row []byte) []byte {
			v, row := decode(s.Items, row)
			items = append(items, v)
			return row
		})
		return items, row
	case schema.Map:
		pairs := []pair{}
		row = blocks(row, func(row []byte) []byte {
			key, row := text(row)
			v, row := decode(s.Items, row)
			pairs = append(pairs, pair{key.(string), v})
			return row
		})
		return pairs, row
	}
	panic(fmt.Sprintf("leveltest: a schema of kind %v", s.Kind))
}

// blocks calls item for each item of an array or map.
func blocks(row []byte, item func(row []byte) []byte) []byte {
	for {
		n, rest := varint(row)
		if row = rest; n == 0 {
			return row
		}
		if n < 0 {
			n = -n
			_, row = varint(row) // its size in bytes
		}
		for range n {
			row = item(row)
		}
	}
}

func varint(row []byte) (int64, []byte) {
	n, k := binary.Varint(row)
	if k <= 0 {
		panic("leveltest: no number")
	}
	return n, row[k:]
}

func long(row []byte) (any, []byte) {
	n, row := varint(row)
	return n, row
}

func text(row []byte) (any, []byte) {
	n, row := varint(row)
	return string(row[:n]), row[n:]
}
