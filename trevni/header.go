package trevni

import (
	"encoding/binary"
	"fmt"
)

// Column is a column's metadata (section Column Metadata).
type Column struct {
	Name     string
	Type     Type
	Parent   string   // the array column whose lengths this one shares; "" if none
	Array    bool     // values come in sequences, each with its length in front
	Values   bool     // each block's descriptor holds its first value; not with Array or Parent
	Codec    string   // "": the file's
	Checksum string   // "": the file's
	Meta     Metadata // all other properties, as they stand in the file
}

// Header is what a file starts with: all but the columns' offsets (section File
// Format).
type Header struct {
	Rows    uint64
	Meta    Metadata // with the file's own trevni.codec and trevni.checksum in it
	Columns []Column
}

// Codec returns the name of the file's codec, "null" where it is absent.
func (h *Header) Codec() string { return orNull(h.Meta.text(keyCodec)) }

// Checksum returns the name of the file's checksum, "null" where it is absent.
func (h *Header) Checksum() string { return orNull(h.Meta.text(keyChecksum)) }

// SetCodec names the file's codec.
func (h *Header) SetCodec(name string) { h.Meta = h.Meta.Set(keyCodec, []byte(name)) }

// SetChecksum names the file's checksum.
func (h *Header) SetChecksum(c Checksum) { h.Meta = h.Meta.Set(keyChecksum, []byte(c.String())) }

// ColumnCodec returns the name of column i's codec: its own, else the file's.
func (h *Header) ColumnCodec(i int) string {
	if own := h.Columns[i].Codec; own != "" {
		return own
	}
	return h.Codec()
}

// ColumnChecksum returns column i's checksum: its own, else the file's. An unknown
// name is [ErrUnsupported].
func (h *Header) ColumnChecksum(i int) (Checksum, error) {
	if own := h.Columns[i].Checksum; own != "" {
		return ParseChecksum(own)
	}
	return ParseChecksum(h.Checksum())
}

// Index returns the number of the named column, -1 if there is none.
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

func orNull(name string) string {
	if name == "" {
		return "null"
	}
	return name
}

// metadata returns the column's properties in the order in which the Java
// implementation writes them, the others behind.
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
	if c.Values {
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

// check reports what the format does not allow, or this package cannot read, in a
// header to be written or one that was read. Its errors are of no kind yet.
func (h *Header) check() error {
	if err := readable(h.Codec()); err != nil {
		return err
	}
	if _, err := parseChecksum(h.Checksum()); err != nil {
		return err
	}
	arrays := make(map[string]bool, len(h.Columns))
	for i := range h.Columns {
		c := &h.Columns[i]
		if _, twice := arrays[c.Name]; twice {
			return fmt.Errorf("column %q stands twice", c.Name)
		}
		if err := c.check(arrays); err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
		arrays[c.Name] = c.Array
	}
	return nil
}

// check reports what is wrong with a column, given those before it and whether they
// are arrays.
func (c *Column) check(before map[string]bool) error {
	if c.Type >= types {
		return fmt.Errorf("type %d is unknown", c.Type)
	}
	if c.Values && !c.plain() {
		return fmt.Errorf("first values are not permitted with an array or a parent")
	}
	if array, ok := before[c.Parent]; c.Parent != "" && !array {
		if !ok {
			return fmt.Errorf("parent %q is not among the columns before it", c.Parent)
		}
		return fmt.Errorf("parent %q is not an array", c.Parent)
	}
	if err := readable(c.Codec); err != nil {
		return err
	}
	_, err := parseChecksum(c.Checksum)
	return err
}

// checkMeta reports what must not be written: keys twice, or one of the column's own
// keys among its other properties.
func (h *Header) checkMeta() error {
	if err := h.Meta.unique(); err != nil {
		return err
	}
	for i := range h.Columns {
		if err := h.Columns[i].metadata().unique(); err != nil {
			return fmt.Errorf("column %q: %w", h.Columns[i].Name, err)
		}
	}
	return nil
}
