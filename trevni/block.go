package trevni

import "fmt"

// Block is a block's descriptor (section File Format).
type Block struct {
	Rows  uint32 // rows of the table, also in columns with a parent, at most MaxBlockRows
	Raw   uint32 // bytes before compression, without the checksum, at most MaxBlockRaw
	Size  uint32 // bytes after compression, without the checksum
	First []byte // in a column with Values: its first value, as the column's type is written
}

// Coding is how the blocks of a column are made: compressed, and summed.
type Coding struct {
	Codec    CodecSpec
	Checksum Checksum
}

// BlockEncoder compresses and sums blocks, one goroutine at a time.
type BlockEncoder struct {
	codec Codec
	sum   Checksum
}

// NewBlockEncoder returns an encoder for blocks of a codec and a checksum. Like
// [CodecSpec.New] it panics on a spec that [ParseCodec] would refuse, and on a checksum
// that is none of the constants.
func NewBlockEncoder(spec CodecSpec, sum Checksum) *BlockEncoder {
	for _, err := range []error{spec.check(), sum.check()} {
		if err != nil {
			panic(err)
		}
	}
	return &BlockEncoder{codec: spec.New(), sum: sum}
}

// MaxLen returns the most bytes that Append appends for a block of raw bytes.
func (e *BlockEncoder) MaxLen(raw int) int { return e.codec.MaxEncodedLen(raw) + e.sum.Size() }

// Append appends the block, compressed, and its checksum to dst, and returns it;
// what was appended without the checksum's [Checksum.Size] is [Block.Size]. With room
// for MaxLen more bytes in dst it does not allocate. They must not overlap.
func (e *BlockEncoder) Append(dst, raw []byte) ([]byte, error) {
	if len(raw) > MaxBlockRaw {
		return dst, fmt.Errorf("trevni: block of %d bytes; the most is %d", len(raw), MaxBlockRaw)
	}
	dst, err := e.codec.Encode(dst, raw)
	if err != nil {
		return dst, err
	}
	return e.sum.AppendSum(dst, raw), nil
}

// BlockDecoder checks and decompresses blocks, one goroutine at a time.
type BlockDecoder struct {
	codec  Codec
	sum    Checksum
	zeros  bool // accept a sum of zeros under codec null
	zeroed int  // blocks so accepted
}

// NewBlockDecoder returns a decoder for blocks of a codec, by its name on the wire,
// and a checksum. One that is unknown is [ErrUnsupported].
func NewBlockDecoder(codec string, sum Checksum) (*BlockDecoder, error) {
	if err := readable(codec); err != nil {
		return nil, fmt.Errorf("trevni: %w", err)
	}
	if err := sum.check(); err != nil {
		return nil, err
	}
	return &BlockDecoder{codec: CodecSpec{Name: codec}.New(), sum: sum}, nil
}

// Decode appends the raw bytes of block, the compressed bytes with the checksum
// behind them, to dst, and returns it. A block that isn't raw bytes long, or whose
// checksum differs, is [ErrCorrupt].
func (d *BlockDecoder) Decode(dst, block []byte, raw int) ([]byte, error) {
	dst, err := d.decode(dst, block, raw)
	if err != nil {
		return dst, fmt.Errorf("trevni: block: %w", err)
	}
	return dst, nil
}

func (d *BlockDecoder) decode(dst, block []byte, raw int) ([]byte, error) {
	size := len(block) - d.sum.Size()
	if size < 0 {
		return dst, corruptf("block of %d bytes is shorter than its checksum", len(block))
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

// verify checks the sum. The Java implementation, which under codec null writes
// zeros for its sum, is let pass where that was asked for.
func (d *BlockDecoder) verify(sum, raw []byte) error {
	err := d.sum.verify(sum, raw)
	if err != nil && d.zeros && d.codec.Name() == "null" && string(sum) == "\x00\x00\x00\x00" {
		d.zeroed++
		return nil
	}
	return err
}
