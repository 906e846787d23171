package reader

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
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
	gzip   *gzip.Reader
	zstd   *zstd.Decoder
	brotli *brotli.Reader
	frames *lz4.Reader
}

// How many times its size a block can become: room for more is not made. Codecs with other
// bounds, or none, get growLeast, or growRatio times the block, and more while output comes.
const (
	snappyRatio = 22  // a copy of 64 bytes takes 3
	lz4Ratio    = 256 // a byte of a length stands for 255
	growRatio   = 64
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
	case Brotli:
		dst, err = d.decodeBrotli(dst, src, n)
	case LZ4Raw:
		dst, err = decodeLZ4(dst, src, n)
	case LZ4:
		dst, err = d.decodeFrames(dst, src, n)
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

func (d *decompressor) decodeBrotli(dst, src []byte, n int) ([]byte, error) {
	if d.brotli == nil {
		d.brotli = brotli.NewReader(bytes.NewReader(src))
	} else if err := d.brotli.Reset(bytes.NewReader(src)); err != nil {
		return nil, err
	}
	return readAll(d.brotli, dst, len(src), n)
}

// decodeLZ4 decodes one block of LZ4.
func decodeLZ4(dst, src []byte, n int) ([]byte, error) {
	if n/lz4Ratio > len(src) {
		return nil, fmt.Errorf("%d bytes cannot become %d", len(src), n)
	}
	dst = sized(dst, n)
	m, err := lz4.UncompressBlock(src, dst)
	if err != nil {
		return nil, err
	}
	return dst[:m], nil
}

// The codec LZ4 was never specified. Hadoop's frames are what most writers made of it: a block's
// sizes before compression and after, each four bytes, big-endian, and the block, once or
// more often. Some wrote the LZ4 library's own frames, and some a block alone.
const (
	hadoopHead = 8
	lz4Magic   = 0x184D2204
)

// decodeFrames decodes the codec LZ4, whichever of the three it is.
func (d *decompressor) decodeFrames(dst, src []byte, n int) ([]byte, error) {
	if b, ok := decodeHadoop(dst, src, n); ok {
		return b, nil
	}
	if len(src) >= 4 && binary.LittleEndian.Uint32(src) == lz4Magic {
		if d.frames == nil {
			d.frames = lz4.NewReader(nil)
		}
		d.frames.Reset(bytes.NewReader(src))
		return readAll(d.frames, dst, len(src), n)
	}
	return decodeLZ4(dst, src, n)
}

// decodeHadoop decodes Hadoop's frames. It reports false if src is something else.
func decodeHadoop(dst, src []byte, n int) ([]byte, bool) {
	if n/lz4Ratio > len(src) {
		return nil, false
	}
	dst = sized(dst, n)
	at := 0
	for len(src) > 0 {
		if len(src) < hadoopHead {
			return nil, false
		}
		raw, packed := binary.BigEndian.Uint32(src), binary.BigEndian.Uint32(src[4:])
		src = src[hadoopHead:]
		if uint64(raw) > uint64(n-at) || uint64(packed) > uint64(len(src)) {
			return nil, false
		}
		m, err := lz4.UncompressBlock(src[:packed], dst[at:at+int(raw)])
		if err != nil || m != int(raw) {
			return nil, false
		}
		at += m
		src = src[packed:]
	}
	return dst[:at], at == n
}
