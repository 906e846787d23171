package trvfile

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// Size implements [colfile.File].
func (f *file) Size(column int, list bool) (*colfile.Size, error) {
	blocks, err := f.Blocks(column)
	if err != nil {
		return nil, err
	}
	offsets, err := f.BlockOffsets(column)
	if err != nil {
		return nil, err
	}
	coding := f.Coding(column)
	s := &colfile.Size{
		Codec: coding.Codec.Name, Checksum: coding.Checksum.String(),
		Blocks: len(blocks), Bytes: offsets[len(blocks)] - f.ColumnOffset(column),
	}
	row := uint64(0)
	for i := range blocks {
		d := &blocks[i]
		s.Raw += int64(d.RawSize)
		if list {
			s.List = append(s.List, colfile.Block{
				Row: row, Rows: d.Rows, Raw: d.RawSize, Bytes: d.Size, Offset: offsets[i],
				First: firstValue(d.FirstValue, f.Reader.Header().Columns[column].Type),
			})
		}
		row += uint64(d.Rows)
	}
	return s, nil
}

// firstValue returns a descriptor's first value as JSON has it, nil if there is none.
// Numbers that JSON has no word for are strings.
func firstValue(raw []byte, t trevni.Type) any {
	if len(raw) == 0 {
		return nil
	}
	switch t {
	case trevni.Boolean:
		return raw[0]&1 == 1
	case trevni.Int, trevni.Long:
		v, _ := block.ReadLong(raw)
		return v
	case trevni.Fixed32:
		return binary.LittleEndian.Uint32(raw)
	case trevni.Fixed64:
		return binary.LittleEndian.Uint64(raw)
	case trevni.Float:
		return number(float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
	case trevni.Double:
		return number(math.Float64frombits(binary.LittleEndian.Uint64(raw)))
	default:
		_, n := block.ReadLong(raw)
		return colfile.TextOrBase64(raw[n:])
	}
}

// number returns a number as JSON has it.
func number(v float64) any {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	}
	return json.Number(fmt.Sprint(v))
}
