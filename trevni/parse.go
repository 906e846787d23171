package trevni

import (
	"errors"
	"fmt"
	"io"

	"avro2trevni/trevni/block"
	"avro2trevni/trevni/internal/fault"
)

// The least that a header takes, and the metadata of a column with its two keys that
// must be there: as many bytes are read at once.
const (
	leastHeader = magicSize + rowsSize + columnsSize + 1
	leastColumn = 1 + (1 + len(keyName) + 1) + (1 + len(keyType) + 1 + len("int"))
)

// parser reads a file's header.
type parser struct {
	*cursor
	size       int64 // of the file
	properties int   // that may still come
	column     string
	columns    []resolved
}

// newParser returns a parser of a file of size bytes.
func newParser(src io.ReaderAt, size int64, opt *ReaderOptions) *parser {
	end, why := size, fault.Corruptf("file of %d bytes ends inside the header: %w", size, io.ErrUnexpectedEOF)
	if size > opt.MaxHeader {
		end, why = opt.MaxHeader, fault.Limitf("header of more than %d bytes", opt.MaxHeader)
	}
	return &parser{
		cursor:     newCursor(src, 0, end, leastHeader, why),
		size:       size,
		properties: opt.MaxProperties,
	}
}

// left returns the bytes left in the file, past the header's limit too.
func (p *parser) left() uint64 { return uint64(p.size - p.at) }

// header reads all up to the first column's descriptors and returns the header and
// the columns' offsets.
func (p *parser) header() (*Header, []int64) {
	p.magic()
	h := &Header{Rows: p.u64()}
	if h.Rows > 1<<63-1 {
		p.fail(fault.Corruptf("%d rows", h.Rows))
	}
	n := p.u32()
	if least := uint64(n) * (startSize + 1); least > p.left() {
		p.fail(fault.Corruptf("%d columns in the %d bytes left", n, p.left()))
	}
	h.Meta = p.metadata(leastColumns(n, n))
	for i := range n {
		if p.err != nil {
			return h, nil
		}
		p.atLeast(leastColumns(n-i, n))
		h.Columns = append(h.Columns, p.columnMeta(leastColumns(n-i-1, n)))
	}
	p.column = ""
	if p.err == nil {
		var err error
		p.columns, err = h.check()
		p.check(err)
	}
	return h, p.starts(int(n))
}

// leastColumns returns the least bytes of the metadata of some columns and the
// offsets of all.
func leastColumns(metas, starts uint32) int64 {
	return int64(metas)*int64(leastColumn) + int64(starts)*startSize
}

// magic reads the first four bytes.
func (p *parser) magic() {
	m := make([]byte, min(magicSize, p.size))
	p.full(m)
	found := string(m)
	if p.err != nil || found == magic {
		return
	}
	p.at = 0
	switch {
	case len(found) == magicSize && found[:3] == magic[:3]:
		p.fail(fault.Unsupportedf("version %d of the format, magic %q; only %q is read", found[3], found, magic))
	default:
		p.fail(fault.Corruptf("not a Trevni file: magic is %q, want %q", found, magic))
	}
}

// check fails with an error of Header's or Column's checks.
func (p *parser) check(err error) {
	switch {
	case err == nil:
	case errors.Is(err, ErrUnsupported), errors.Is(err, ErrLimit):
		p.fail(err)
	default:
		p.fail(fault.Corruptf("%w", err))
	}
}

// metadata reads a count and as many properties, after which after bytes follow or
// more.
func (p *parser) metadata(after int64) Metadata {
	n := p.long()
	switch {
	case p.err != nil:
	case n < 0 || uint64(n) > p.left()/2:
		p.fail(fault.Corruptf("%d metadata properties in the %d bytes left", n, p.left()))
	case n > int64(p.properties):
		p.fail(fault.Limitf("more metadata properties than the limit"))
	}
	var m Metadata
	for ; n > 0 && p.err == nil; n-- {
		after := after + 2*(n-1) // each property has two lengths, of a byte or more
		p.atLeast(2 + after)
		m = append(m, Property{string(p.bytes(1 + after)), p.bytes(after)})
		p.properties--
	}
	return m
}

// columnMeta reads a column's metadata, after which after bytes follow or more.
func (p *parser) columnMeta(after int64) Column {
	var c Column
	p.column = ""
	seen := map[string]bool{}
	for _, kv := range p.metadata(after) {
		if p.err == nil && ReservedKey(kv.Key) && seen[kv.Key] {
			p.fail(fault.Corruptf("metadata key %q stands twice", kv.Key))
		}
		if len(kv.Value) == 0 && (kv.Key == keyParent || kv.Key == keyCodec || kv.Key == keyChecksum) {
			p.fail(fault.Corruptf("metadata key %q is empty", kv.Key))
		}
		seen[kv.Key] = ReservedKey(kv.Key)
		p.property(&c, kv)
	}
	p.column = c.Name
	for _, key := range []string{keyName, keyType} {
		if !seen[key] {
			p.fail(fault.Corruptf("column without metadata key %q", key))
		}
	}
	return c
}

// property puts one property of a column where it belongs.
func (p *parser) property(c *Column, kv Property) {
	switch kv.Key {
	case keyName:
		c.Name = string(kv.Value)
	case keyType:
		t, err := block.ParseType(string(kv.Value))
		if err != nil {
			p.fail(fault.Corruptf("%w", err))
		}
		c.Type = t
	case keyParent:
		c.Parent = string(kv.Value)
	case keyArray:
		c.Array = true
	case keyValues:
		c.FirstValues = true
	case keyCodec:
		c.Codec = string(kv.Value)
	case keyChecksum:
		c.Checksum = string(kv.Value)
	default:
		c.Meta = append(c.Meta, kv)
	}
}

// starts reads the columns' offsets, which must rise, each leaving room for the
// count of blocks of the one before.
func (p *parser) starts(n int) []int64 {
	if p.err != nil {
		return nil
	}
	var starts []int64
	least := p.at + startSize*int64(n)
	for i := range n {
		start := p.u64()
		if p.err != nil {
			return nil
		}
		if start > uint64(p.size-blockCountSize) {
			p.fail(fault.Corruptf("column %d starts at %d, and the file has %d bytes: it is cut short, or its header is wrong", i, start, p.size))
			return nil
		}
		if start < uint64(least) {
			p.fail(fault.Corruptf("column %d starts at %d, not in %d to %d", i, start, least, p.size-blockCountSize))
			return nil
		}
		least = int64(start) + blockCountSize
		starts = append(starts, int64(start))
	}
	return starts
}

// error returns what failed, and where, or nil.
func (p *parser) error(path string) error {
	if p.err == nil {
		return nil
	}
	return &Error{Path: path, Column: p.column, Block: -1, Offset: p.at, Err: fmt.Errorf("header: %w", p.err)}
}
