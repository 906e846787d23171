package reader

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// The library's decoder allocates a list by its declared length, and follows nested structures
// as deep as they go, so that a few bytes end the process. A scan of the bytes goes before it:
// it bounds the depth, compares every length with what is there, adds up what the library will
// allocate for lists of structures, and finds where the structure ends.

const (
	maxDepth  = 32  // of structures and lists; the format's go to 9
	maxGrowth = 64  // what lists may take in memory for each byte that is there
	listRoom  = 512 // what they may always take
	elemBytes = 24  // of an element that is no structure
)

// errShort reports that a structure does not end where the bytes do.
var errShort = errors.New("structure is cut short")

// A shape says what the library allocates for a structure: the size of the elements of each
// list of structures, by the numbers of fields.
type shape struct {
	size   int64 // of the structure in memory
	fields map[int]*shape
}

// shapeOf derives the shape of structures of type t, or of lists of them, from their tags. It
// is nil for everything else.
func shapeOf(t reflect.Type) *shape {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	s := &shape{size: int64(t.Size()), fields: make(map[int]*shape)}
	for i := range t.NumField() {
		f := t.Field(i)
		number, _, _ := strings.Cut(f.Tag.Get("thrift"), ",")
		if id, err := strconv.Atoi(number); err == nil {
			s.fields[id] = shapeOf(f.Type)
		}
	}
	return s
}

var (
	fileMetaDataShape = shapeOf(reflect.TypeFor[fileMetaData]())
	pageHeaderShape   = shapeOf(reflect.TypeFor[pageHeader]())
	offsetIndexShape  = shapeOf(reflect.TypeFor[offsetIndex]())
	columnIndexShape  = shapeOf(reflect.TypeFor[columnIndex]())
)

// A scan goes over a structure in the compact protocol.
type scan struct {
	b     []byte
	at    int
	depth int
	lists int64 // bytes that lists will take
}

// measure returns the length of the structure that b begins with. The error is errShort if it
// does not end in b.
func measure(b []byte, s *shape) (int, error) {
	c := scan{b: b}
	if err := c.structure(s); err != nil {
		return 0, err
	}
	if c.lists > listRoom+maxGrowth*int64(c.at) {
		return 0, errors.New("lists of empty structures")
	}
	return c.at, nil
}

func (c *scan) structure(s *shape) error {
	if c.depth++; c.depth > maxDepth {
		return fmt.Errorf("structures more than %d deep", maxDepth)
	}
	defer func() { c.depth-- }()
	id := 0
	for {
		if c.at >= len(c.b) {
			return errShort
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
		var field *shape
		if s != nil {
			field = s.fields[id]
		}
		if err := c.value(thrift.Type(head&15), field); err != nil {
			return err
		}
	}
}

// value goes over the value of a field. That of a boolean is its type.
func (c *scan) value(t thrift.Type, s *shape) error {
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
func (c *scan) item(t thrift.Type, s *shape) error {
	if t == thrift.TRUE || t == thrift.FALSE {
		return c.skip(1)
	}
	return c.value(t, s)
}

func (c *scan) list(s *shape) error {
	if c.at >= len(c.b) {
		return errShort
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
		return errShort
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
		return errShort
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
	return 0, errShort
}

var compact thrift.CompactProtocol

// unmarshal decodes the structure that b begins with.
func unmarshal(b []byte, s *shape, v any) error {
	n, err := measure(b, s)
	if err != nil {
		return corruptf("%w", err)
	}
	return decode(b[:n], v)
}

// decode decodes bytes that were measured. That the library panics is not known of any bytes.
func decode(b []byte, v any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = corruptf("%v", p)
		}
	}()
	if err := thrift.Unmarshal(&compact, b, v); err != nil {
		return corruptf("%w", err)
	}
	return nil
}
