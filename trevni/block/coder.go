package block

import (
	"fmt"

	"avro2trevni/trevni/internal/fault"
)

// Coding is how the blocks of a column are made: compressed, and summed.
type Coding struct {
	Codec    Codec
	Checksum Checksum
}

// ParseCoding returns the coding that two names on the wire stand for, where "" is
// null. A name that is unknown is [ErrUnsupported].
func ParseCoding(codec, checksum string) (Coding, error) {
	if err := readable(codec); err != nil {
		return Coding{}, err
	}
	sum, err := parseChecksum(checksum)
	return Coding{Codec{Name: codec}, sum}, err
}

// Encoder compresses and sums blocks, one goroutine at a time.
type Encoder struct {
	codec codec
	sum   Checksum
}

// NewEncoder returns an encoder. A codec that [ParseCodec] would refuse, and a checksum
// that is none of the constants, are [ErrUnsupported].
func NewEncoder(c Coding) (*Encoder, error) {
	if err := c.Codec.check(); err != nil {
		return nil, err
	}
	if err := c.Checksum.check(); err != nil {
		return nil, err
	}
	return &Encoder{codec: c.Codec.open(), sum: c.Checksum}, nil
}

// MaxLen returns the most bytes that Append appends for a block of raw bytes.
func (e *Encoder) MaxLen(raw int) int { return e.codec.MaxEncodedLen(raw) + e.sum.Size() }

// Append appends the block, compressed, and its checksum to dst, and returns it. Its
// compressed size is what was appended less the checksum's [Checksum.Size]. With room
// for MaxLen more bytes in dst it does not allocate. They must not overlap.
func (e *Encoder) Append(dst, raw []byte) ([]byte, error) {
	if len(raw) > MaxRaw {
		return dst, fmt.Errorf("trevni: block of %d bytes; the most is %d", len(raw), MaxRaw)
	}
	dst, err := e.codec.Encode(dst, raw)
	if err != nil {
		return dst, err
	}
	return e.sum.AppendSum(dst, raw), nil
}

// Decoder checks and decompresses blocks, one goroutine at a time.
type Decoder struct {
	// ZeroChecksums accepts a checksum of four zero bytes under codec null, whatever the
	// block: the Java implementation writes that where it should write the sum.
	ZeroChecksums bool
	// Unchecked counts the blocks so accepted.
	Unchecked int64

	codec codec
	sum   Checksum
}

// NewDecoder returns a decoder; the codec's level does not matter. A codec or a checksum
// that is unknown is [ErrUnsupported].
func NewDecoder(c Coding) (*Decoder, error) {
	if err := readable(c.Codec.Name); err != nil {
		return nil, fmt.Errorf("trevni: %w", err)
	}
	if err := c.Checksum.check(); err != nil {
		return nil, err
	}
	return &Decoder{codec: Codec{Name: c.Codec.Name}.open(), sum: c.Checksum}, nil
}

// Decode appends the raw bytes of block, the compressed bytes with the checksum after
// them, to dst, and returns it. A block that isn't raw bytes long, or whose checksum
// differs, is [ErrCorrupt].
func (d *Decoder) Decode(dst, block []byte, raw int) ([]byte, error) {
	size := len(block) - d.sum.Size()
	if size < 0 {
		return dst, fault.Corruptf("block of %d bytes is shorter than its checksum", len(block))
	}
	out, err := d.codec.Decode(dst, block[:size], raw)
	if err != nil {
		return dst, err
	}
	if err := d.verify(block[size:], out[len(dst):]); err != nil {
		return dst, err
	}
	return out, nil
}

// verify checks the sum.
func (d *Decoder) verify(sum, raw []byte) error {
	err := d.sum.verify(sum, raw)
	if err != nil && d.ZeroChecksums && d.codec.Name() == "null" && string(sum) == "\x00\x00\x00\x00" {
		d.Unchecked++
		return nil
	}
	return err
}
