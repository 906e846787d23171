package trevni

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"avro2trevni/trevni/block"
	"avro2trevni/trevni/internal/fault"
)

// Column is a column's metadata (section Column Metadata).
type Column struct {
	Name        string
	Type        Type
	Parent      string   // the array column whose lengths this one shares; "" if none
	Array       bool     // values come in sequences, each with its length in front
	FirstValues bool     // each block's descriptor holds its first value; not with Array or Parent
	Codec       string   // "": the file's
	Checksum    string   // "": the file's
	Meta        Metadata // all other properties, as they stand in the file
}

// Header is the header of a file, except the columns' offsets (section File Format).
type Header struct {
	Rows    uint64
	Meta    Metadata // with the file's own trevni.codec and trevni.checksum in it
	Columns []Column
}

// clone returns a copy that shares no properties with h, only their values.
func (h *Header) clone() Header {
	c := Header{Rows: h.Rows, Meta: slices.Clone(h.Meta), Columns: slices.Clone(h.Columns)}
	for i := range c.Columns {
		c.Columns[i].Meta = slices.Clone(c.Columns[i].Meta)
	}
	return c
}

// Codec returns the name of the file's codec, "null" if it is absent.
func (h *Header) Codec() string { return orNull(h.Meta.text(keyCodec)) }

// Checksum returns the file's checksum, [ChecksumNull] if it is absent. An unknown name is
// [ErrUnsupported]; a [Reader] opens no file with one.
func (h *Header) Checksum() (Checksum, error) { return block.ParseChecksum(h.checksum()) }

func (h *Header) checksum() string { return h.Meta.text(keyChecksum) }

// SetCodec names the file's codec; "" is null. A level is no part of a file: see
// [WriterOptions].
func (h *Header) SetCodec(name string) { h.Meta = h.Meta.Set(keyCodec, []byte(orNull(name))) }

// SetChecksum sets the file's checksum.
func (h *Header) SetChecksum(c Checksum) { h.Meta = h.Meta.Set(keyChecksum, []byte(c.String())) }

// Coding returns the codec and the checksum of column i's blocks: its own, else the file's.
// An unknown name is [ErrUnsupported].
func (h *Header) Coding(i int) (block.Coding, error) {
	return h.Columns[i].coding(h.Codec(), h.checksum())
}

// Index returns the number of the named column, -1 if there is none, by a search of all
// columns.
func (h *Header) Index(name string) int {
	for i := range h.Columns {
		if h.Columns[i].Name == name {
			return i
		}
	}
	return -1
}

// plain reports whether the column has one value in each row.
func (c *Column) plain() bool { return !c.Array && c.Parent == "" }

// text returns the type that a column must have to be read as bytes: string or bytes.
func (c *Column) text() Type {
	if c.Type == String {
		return String
	}
	return Bytes
}

func orNull(name string) string {
	if name == "" {
		return "null"
	}
	return name
}

// metadata returns the column's properties in the order in which the Java
// implementation writes them, the others last.
func (c *Column) metadata() Metadata {
	m := Metadata{
		{keyName, []byte(c.Name)},
		{keyType, []byte(c.Type.String())},
	}
	if c.Parent != "" {
		m = append(m, Property{keyParent, []byte(c.Parent)})
	}
	if c.Array {
		m = append(m, Property{Key: keyArray})
	}
	if c.FirstValues {
		m = append(m, Property{Key: keyValues})
	}
	if c.Codec != "" {
		m = append(m, Property{keyCodec, []byte(c.Codec)})
	}
	if c.Checksum != "" {
		m = append(m, Property{keyChecksum, []byte(c.Checksum)})
	}
	return append(m, c.Meta...)
}

// append appends the header's wire form up to the columns' offsets.
func (h *Header) append(dst []byte) []byte {
	dst = append(dst, magic...)
	dst = binary.LittleEndian.AppendUint64(dst, h.Rows)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(h.Columns)))
	dst = h.Meta.append(dst)
	for i := range h.Columns {
		dst = h.Columns[i].metadata().append(dst)
	}
	return dst
}

// maxDepth is the most columns above a column, each the next one's parent: to go to a
// row takes time in proportion to the square of that.
const maxDepth = 1024

// above is what is known of a column that others may have as a parent.
type above struct {
	column int
	array  bool
	depth  int // columns above it
}

// resolved is what follows for a column from all of a header.
type resolved struct {
	parent int // the parent's number, -1 without one
	coding block.Coding
}

// check reports what the format does not allow, or this package cannot read, in a
// header to be written or one that was read. Its errors are of no kind, but for limits
// and unknown names.
//
// The file's own codec and checksum are looked up once: there may be as many columns,
// and as many properties to look through, as the header has room for.
func (h *Header) check() ([]resolved, error) {
	codec, checksum := h.Codec(), h.checksum()
	if _, err := block.ParseCoding(codec, checksum); err != nil {
		return nil, err
	}
	all := make([]resolved, len(h.Columns))
	before := make(map[string]above, len(h.Columns))
	for i := range h.Columns {
		c := &h.Columns[i]
		if _, twice := before[c.Name]; twice {
			return nil, fmt.Errorf("column %q stands twice", c.Name)
		}
		own, err := c.check(before)
		if err == nil {
			all[i].parent = own.column
			all[i].coding, err = c.coding(codec, checksum)
		}
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name, err)
		}
		own.column = i
		before[c.Name] = own
	}
	return all, nil
}

// check reports what is wrong with a column, given those before it. It returns what
// the columns after it must know, with the number of its parent, -1 without one.
func (c *Column) check(before map[string]above) (above, error) {
	own := above{column: -1, array: c.Array}
	if c.Type > Bytes {
		return own, fmt.Errorf("type %d is unknown", c.Type)
	}
	if c.FirstValues && !c.plain() {
		return own, fmt.Errorf("first values are not permitted with an array or a parent")
	}
	if c.Parent == "" {
		return own, nil
	}
	p, ok := before[c.Parent]
	switch {
	case !ok:
		return own, fmt.Errorf("parent %q is not among the columns before it", c.Parent)
	case !p.array:
		return own, fmt.Errorf("parent %q is not an array", c.Parent)
	case p.depth == maxDepth:
		return own, fault.Limitf("more than %d columns above it", maxDepth)
	}
	own.column, own.depth = p.column, p.depth+1
	return own, nil
}

// coding returns what the column's blocks are made with, in a file of the given ones.
func (c *Column) coding(codec, checksum string) (block.Coding, error) {
	return block.ParseCoding(cmp.Or(c.Codec, codec), cmp.Or(c.Checksum, checksum))
}

// checkMeta reports what must not be written: a key that stands twice, or one that
// belongs to a field of Column among its other properties. Reserved keys that this
// package does not know may have come from a file, and are written again.
func (h *Header) checkMeta() error {
	if err := h.Meta.unique(); err != nil {
		return err
	}
	for i := range h.Columns {
		c := &h.Columns[i]
		err := c.Meta.unique()
		for _, kv := range c.Meta {
			if err == nil && slices.Contains(columnKeys, kv.Key) {
				err = fmt.Errorf("metadata key %q is not for Column.Meta: a field of Column stands for it", kv.Key)
			}
		}
		if err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
	}
	return nil
}
