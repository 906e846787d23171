package ocf

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// SyncSize is the bytes of a sync marker.
const SyncSize = 16

// Keys of the specification.
const (
	keySchema = "avro.schema"
	keyCodec  = "avro.codec"
)

// maxMeta is the largest number of metadata entries of a header. It bounds the memory of
// many small entries, beyond their bytes.
const maxMeta = 1 << 16

// codecs are the codecs known, the specification's names.
var codecs = []string{"null", "deflate", "snappy", "bzip2", "xz", "zstandard"}

// Header is a file's header. It is not changed after it was read.
type Header struct {
	Schema string         // avro.schema, verbatim
	Codec  string         // avro.codec, "null" where there is none; always a known one
	Meta   []Meta         // all other metadata, in order; of a key given twice, the last value
	Sync   [SyncSize]byte // the marker after each block
	Size   int64          // bytes of the header: the offset of the first block
	Digest uint64         // XXH64 of these bytes, which a random marker makes the file's own
}

// Meta is one entry of metadata.
type Meta struct {
	Key   string
	Value []byte
}

// firstRead is what ReadHeader reads at first; most headers are smaller.
const firstRead = 16 << 10

// ReadHeader reads the header of a file of size bytes; name is for errors, which are of
// type *[Error]: [ErrCorrupt] for a file that is not an Avro data file, with a guess what
// it is, [ErrCodec] for an unknown codec, [ErrLimit], or the failure of src.
func ReadHeader(src io.ReaderAt, size int64, name string, lim Limits) (*Header, error) {
	lim = lim.withDefaults()
	var buf []byte
	for n := int64(firstRead); ; n *= 4 {
		n = min(n, size, lim.HeaderBytes)
		had := len(buf)
		buf = slices.Grow(buf, int(n)-had)[:n]
		if err := readFull(src, buf[had:], int64(had)); err != nil {
			return nil, place(name, -1, int64(had), err)
		}
		h, at, err := parseHeader(buf)
		switch {
		case err == nil:
			return h, nil
		case !errors.Is(err, errShort):
			return nil, place(name, -1, at, err)
		case n == size:
			return nil, place(name, -1, size, cutShort(buf, at))
		case n == lim.HeaderBytes:
			return nil, place(name, -1, n, limitf("the header is larger than the limit of %d bytes", n))
		}
	}
}

// cutShort is the error for a file that ends in its header; at is the place of the
// incomplete part.
func cutShort(file []byte, at int64) error {
	if len(file) == 0 {
		return cutf(`the file is empty (0 bytes), an Avro data file begins with "Obj" 1`)
	}
	return cutf("the file ends inside its header: what begins at %d is not whole", at)
}

// parseHeader parses the header at the start of b, and returns with an error the
// offset of what it is about; errShort if b is a part of a header.
func parseHeader(b []byte) (*Header, int64, error) {
	if err := checkMagic(b); err != nil {
		return nil, 0, err
	}
	c := cursor{b: b, at: len(magic)}
	h := &Header{Codec: "null"}
	seen := make(map[string]int)
	for n := c.count(); n > 0 && c.err == nil; n = c.count() {
		for ; n > 0 && c.err == nil; n-- {
			c.entry(h, seen)
		}
	}
	copy(h.Sync[:], c.take(SyncSize))
	if c.err != nil {
		return nil, int64(c.item), c.err
	}
	h.Size = int64(c.at)
	h.Digest = xxhash.Sum64(b[:c.at])
	_, schema := seen[keySchema]
	switch {
	case !schema:
		return nil, 0, corruptf("the header has no %s", keySchema)
	case !slices.Contains(codecs, h.Codec):
		return nil, 0, &fault{ErrCodec, fmt.Errorf("codec %q is unknown, those known are %q", h.Codec, codecs)}
	}
	return h, 0, nil
}

// entry reads one entry of metadata into h.
func (c *cursor) entry(h *Header, seen map[string]int) {
	key, value := string(c.bytes()), c.bytes()
	if c.err != nil {
		return
	}
	i, again := seen[key]
	switch {
	case key == keySchema:
		h.Schema = string(value)
	case key == keyCodec:
		h.Codec = string(value)
	case again:
		h.Meta[i].Value = slices.Clone(value)
		return
	case len(seen) >= maxMeta:
		c.err = limitf("the header has more than %d metadata entries", maxMeta)
		return
	default:
		i = len(h.Meta)
		h.Meta = append(h.Meta, Meta{Key: key, Value: slices.Clone(value)})
	}
	seen[key] = i
}
