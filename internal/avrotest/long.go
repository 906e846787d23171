package avrotest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
)

// Boundary is a type with values in Avro's encoding whose sizes are around those at which a
// reader of words goes another way, and bytes that are no value of it.
type Boundary struct {
	Type   string
	Values [][]byte
	Bad    [][]byte
}

// Boundaries returns the types with such values.
func Boundaries() []Boundary {
	all := []Boundary{numbers("int", 31), numbers("long", 63), texts("string"), texts("bytes")}
	all[0].Bad = [][]byte{binary.AppendVarint(nil, 1<<31), binary.AppendVarint(nil, -1<<31-1), binary.AppendVarint(nil, 1<<40),
		binary.AppendVarint(nil, math.MaxInt64), {0x80, 0x80, 0x80, 0x80, 0x10}, {0x80, 0x80, 0x80, 0x80, 0x80, 0}}
	all[1].Bad = [][]byte{bytes.Repeat([]byte{0xff}, 10), append(bytes.Repeat([]byte{0x80}, 9), 2), append(bytes.Repeat([]byte{0x80}, 10), 0)}
	for _, n := range []int{1, 63, 64, 65, 128, 8191, 8192, 8193} {
		all = append(all, enum(n))
	}
	for _, n := range []int{1, 15, 16, 31, 32, 33, 63, 64, 65, 127, 8190, 8191, 8192, 8193} {
		all = append(all, Boundary{
			Type:   fmt.Sprintf(`{"type":"fixed","name":"f","size":%d}`, n),
			Values: [][]byte{bytes.Repeat([]byte{0xa5}, n), bytes.Repeat([]byte{0x80}, n)},
		})
	}
	return all
}

// numbers has each power of two of a signed number with so many bits beside its sign, and what is
// next to it; and forms that are longer than they need to be.
func numbers(name string, bits int) Boundary {
	b := Boundary{Type: `"` + name + `"`, Values: [][]byte{{0}, {0x80, 0}, {0x81, 0x80, 0x80, 0x80, 0}}}
	for i := range bits + 1 {
		top := int64(uint64(1)<<i - 1) // of 63 bits the largest
		for _, v := range []int64{top, top - 1, -top, -top - 1} {
			b.Values = append(b.Values, binary.AppendVarint(nil, v))
		}
	}
	return b
}

func texts(name string) Boundary {
	b := Boundary{Type: `"` + name + `"`, Bad: [][]byte{{0x81, 0x01}, {1}, binary.AppendVarint(nil, math.MaxInt32)}}
	for _, n := range []int{0, 1, 14, 15, 16, 17, 30, 31, 32, 33, 62, 63, 64, 65, 127, 128, 8190, 8191, 8192, 8193, 9000} {
		b.Values = append(b.Values, append(binary.AppendVarint(nil, int64(n)), bytes.Repeat([]byte{'x'}, n)...))
	}
	b.Values = append(b.Values, append([]byte{0xc0, 0x80, 0}, bytes.Repeat([]byte{'y'}, 32)...))
	return b
}

// enum has symbols around those whose numbers take more bytes.
func enum(n int) Boundary {
	b := Boundary{Type: `{"type":"enum","name":"e","symbols":[`}
	for i := range n {
		if i > 0 {
			b.Type += ","
		}
		b.Type += fmt.Sprintf(`"S%d"`, i)
	}
	b.Type += "]}"
	for _, i := range []int{0, 62, 63, 64, 65, 127, 8190, 8191, 8192} {
		if value := binary.AppendVarint(nil, int64(i)); i < n {
			b.Values = append(b.Values, value)
		} else {
			b.Bad = append(b.Bad, value)
		}
	}
	b.Bad = append(b.Bad, []byte{1}, []byte{0x81, 0x01})
	return b
}
