package thriftscan

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

const (
	maxDepth  = 32  // of structures and lists; the format's go to 9
	maxGrowth = 64  // what lists may take in memory for each byte that is there
	listRoom  = 512 // what they may always take
	elemBytes = 24  // of an element that is no structure
)

// ErrShort reports that a structure does not end where the bytes do.
var ErrShort = errors.New("structure is cut short")

// A Shape says what the library allocates for a structure: the size of the elements of each
// list of structures, by the numbers of fields.
type Shape struct {
	size   int64 // of the structure in memory
	fields map[int]*Shape
}

// ShapeOf derives the shape of structures of type T from their tags.
func ShapeOf[T any]() *Shape { return shapeOf(reflect.TypeFor[T]()) }

// shapeOf is nil for what is no structure, or list of them.
func shapeOf(t reflect.Type) *Shape {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	s := &Shape{size: int64(t.Size()), fields: make(map[int]*Shape)}
	for i := range t.NumField() {
		f := t.Field(i)
		number, _, _ := strings.Cut(f.Tag.Get("thrift"), ",")
		if id, err := strconv.Atoi(number); err == nil {
			s.fields[id] = shapeOf(f.Type)
		}
	}
	return s
}

// A scan goes over a structure in the compact protocol.
type scan struct {
	b     []byte
	at    int
	depth int
	lists int64 // bytes that lists will take
}

// Measure returns the length of the structure that b begins with. The error is [ErrShort] if it
// does not end in b.
func Measure(b []byte, s *Shape) (int, error) {
	c := scan{b: b}
	if err := c.structure(s); err != nil {
		return 0, err
	}
	if c.lists > listRoom+maxGrowth*int64(c.at) {
		return 0, errors.New("lists of empty structures")
	}
	return c.at, nil
}

func (c *scan) structure(s *Shape) error {
	if c.depth++; c.depth > maxDepth {
		return fmt.Errorf("structures more than %d deep", maxDepth)
	}
	defer func() { c.depth-- }()
	id := 0
	for {
		if c.at >= len(c.b) {
			return ErrShort
		}
		head := c.b[c.at]
		c.at++
		if head == 0 {
			return nil
		}
		if delta := int(head >> 4); delta != 0 {
			id += delta
		} else {
			v, err := c.uvarint()
			if err != nil {
				return err
			}
			id = int(int16(v>>1) ^ -int16(v&1))
		}
		var field *Shape
		if s != nil {
			field = s.fields[id]
		}
		if err := c.value(thrift.Type(head&15), field); err != nil {
			return err
		}
	}
}

// value goes over the value of a field. That of a boolean is its type.
func (c *scan) value(t thrift.Type, s *Shape) error {
	switch t {
	case thrift.TRUE, thrift.FALSE:
		return nil
	case thrift.I8:
		return c.skip(1)
	case thrift.I16, thrift.I32, thrift.I64:
		_, err := c.uvarint()
		return err
	case thrift.DOUBLE:
		return c.skip(8)
	case thrift.UUID:
		return c.skip(16)
	case thrift.BINARY:
		n, err := c.uvarint()
		if err != nil {
			return err
		}
		return c.skip(n)
	case thrift.LIST, thrift.SET:
		return c.list(s)
	case thrift.MAP:
		return c.dict()
	case thrift.STRUCT:
		return c.structure(s)
	}
	return fmt.Errorf("field of type %d", t)
}

// item goes over an element of a list or map, where a boolean takes a byte.
func (c *scan) item(t thrift.Type, s *Shape) error {
	if t == thrift.TRUE || t == thrift.FALSE {
		return c.skip(1)
	}
	return c.value(t, s)
}

func (c *scan) list(s *Shape) error {
	if c.at >= len(c.b) {
		return ErrShort
	}
	head := c.b[c.at]
	c.at++
	n := uint64(head >> 4)
	if n == 15 {
		var err error
		if n, err = c.uvarint(); err != nil {
			return err
		}
	}
	size := int64(elemBytes)
	t := thrift.Type(head & 15)
	if t == thrift.STRUCT && s != nil {
		size = s.size
	}
	c.lists += size * int64(n)
	if c.depth++; c.depth > maxDepth {
		return fmt.Errorf("lists more than %d deep", maxDepth)
	}
	defer func() { c.depth-- }()
	for range n {
		if err := c.item(t, s); err != nil {
			return err
		}
	}
	return nil
}

// dict goes over a map. The format has none, but unknown fields can be anything.
func (c *scan) dict() error {
	n, err := c.uvarint()
	if err != nil || n == 0 {
		return err
	}
	if c.at >= len(c.b) {
		return ErrShort
	}
	head := c.b[c.at]
	c.at++
	if c.depth++; c.depth > maxDepth {
		return fmt.Errorf("maps more than %d deep", maxDepth)
	}
	defer func() { c.depth-- }()
	for range n {
		if err := c.item(thrift.Type(head>>4), nil); err != nil {
			return err
		}
		if err := c.item(thrift.Type(head&15), nil); err != nil {
			return err
		}
	}
	return nil
}

func (c *scan) skip(n uint64) error {
	if n > uint64(len(c.b)-c.at) {
		return ErrShort
	}
	c.at += int(n)
	return nil
}

func (c *scan) uvarint() (uint64, error) {
	v, n := binary.Uvarint(c.b[c.at:])
	switch {
	case n > 0:
		c.at += n
		return v, nil
	case n < 0:
		return 0, errors.New("number of more than 64 bits")
	}
	return 0, ErrShort
}

var compact thrift.CompactProtocol

// Unmarshal decodes the structure that b begins with into v, a pointer to a structure of shape s.
func Unmarshal(b []byte, s *Shape, v any) error {
	n, err := Measure(b, s)
	if err != nil {
		return err
	}
	return Decode(b[:n], v)
}

// Decode decodes bytes that were measured. That the library panics is not known of any bytes.
func Decode(b []byte, v any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return thrift.Unmarshal(&compact, b, v)
}
