package reader

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// A Codec is how pages are compressed, numbered as in files.
type Codec uint8

// The codecs (Compression.md).
const (
	Uncompressed = Codec(format.Uncompressed)
	Snappy       = Codec(format.Snappy)
	Gzip         = Codec(format.Gzip)
	LZO          = Codec(format.LZO) // not supported
	Brotli       = Codec(format.Brotli)
	LZ4          = Codec(format.Lz4) // in Hadoop's frames, or others
	Zstd         = Codec(format.Zstd)
	LZ4Raw       = Codec(format.Lz4Raw)
)

// String returns the name as the specification has it.
func (c Codec) String() string {
	if c > LZ4Raw {
		return fmt.Sprintf("codec %d", uint8(c))
	}
	return format.CompressionCodec(c).String()
}

// A decompressor has a codec's state. The zero value is ready.
type decompressor struct {
	gzip *gzip.Reader
	zstd *zstd.Decoder
}

// maxRatio is how many times its size a block can become in the codecs whose output is allocated at
// once; other output grows while it comes.
const (
	snappyRatio = 22 // a copy of 64 bytes takes 3
	growRatio   = 64 // of codecs without a bound that is worth it
	growLeast   = 1 << 20
)

// decode returns src decompressed, in dst if it has room, n bytes.
func (d *decompressor) decode(c Codec, dst, src []byte, n int) ([]byte, error) {
	var err error
	switch c {
	case Uncompressed:
		dst = src
	case Snappy:
		dst, err = decodeSnappy(dst, src, n)
	case Gzip:
		dst, err = d.decodeGzip(dst, src, n)
	case Zstd:
		dst, err = d.decodeZstd(dst, src, n)
	default:
		return nil, unsupportedf("codec %s", c)
	}
	if err != nil {
		return nil, corruptf("%s: %w", c, err)
	}
	if len(dst) != n {
		return nil, corruptf("%d bytes, where the header says %d", len(dst), n)
	}
	return dst, nil
}

// sized returns room for n bytes, dst's if it is enough.
func sized(dst []byte, n int) []byte {
	if cap(dst) < n+roomAfter {
		dst = make([]byte, n+roomAfter)
	}
	return dst[:n]
}

func decodeSnappy(dst, src []byte, n int) ([]byte, error) {
	size, err := snappy.DecodedLen(src)
	if err != nil {
		return nil, err
	}
	if size != n || n/snappyRatio > len(src) {
		return nil, fmt.Errorf("%d bytes that become %d, where the header says %d", len(src), size, n)
	}
	return snappy.Decode(sized(dst, n), src)
}

func (d *decompressor) decodeGzip(dst, src []byte, n int) ([]byte, error) {
	var err error
	if d.gzip == nil {
		d.gzip, err = gzip.NewReader(bytes.NewReader(src))
	} else {
		err = d.gzip.Reset(bytes.NewReader(src))
	}
	if err != nil {
		return nil, err
	}
	return readAll(d.gzip, dst, len(src), n)
}

func (d *decompressor) decodeZstd(dst, src []byte, n int) ([]byte, error) {
	var err error
	if d.zstd == nil {
		d.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(1<<31))
		if err != nil {
			return nil, err
		}
	}
	if n <= growLeast || n/growRatio <= len(src) {
		return d.zstd.DecodeAll(src, sized(dst, n)[:0])
	}
	if err := d.zstd.Reset(bytes.NewReader(src)); err != nil {
		return nil, err
	}
	return readAll(d.zstd, dst, len(src), n)
}

// readAll reads r to its end, which must come after n bytes: room for them grows as they come,
// unless they are likely, from packed bytes.
func readAll(r io.Reader, dst []byte, packed, n int) ([]byte, error) {
	size := n
	if n > growLeast && n/growRatio > packed {
		size = growLeast
	}
	dst = sized(dst, max(size, min(n, cap(dst)-roomAfter)))
	at := 0
	for {
		m, err := io.ReadFull(r, dst[at:])
		if at += m; err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				err = fmt.Errorf("%d bytes, where the header says %d", at, n)
			}
			return nil, err
		}
		if at == n {
			break
		}
		more := make([]byte, min(2*at, n), min(2*at, n)+roomAfter)
		copy(more, dst)
		dst = more
	}
	var one [1]byte
	if m, err := io.ReadFull(r, one[:]); m > 0 || !errors.Is(err, io.EOF) {
		if err == nil {
			err = fmt.Errorf("more than the %d bytes that the header says", n)
		}
		return nil, err
	}
	return dst, nil
}

// hadoopFrame is the length of what is in front of a block in Hadoop's frames: two numbers,
// big-endian, the sizes before compression and after.
const hadoopFrame = 8

func frame(src []byte) (raw, packed uint64) {
	return uint64(binary.BigEndian.Uint32(src)), uint64(binary.BigEndian.Uint32(src[4:]))
}
