package block

import (
	"bytes"
	"compress/bzip2"
	"fmt"
	"io"
	"slices"
	"strconv"

	"avro2trevni/trevni/internal/fault"

	"github.com/klauspost/compress/flate"
)

// deflateLevel is the default: the fastest whose blocks of TPC-H lineitem are within a
// tenth of the size of those of zlib at its default, 6, which is what the Java
// implementation uses. Level 5 is 11% larger, this is 9%, 7 is 4% and twice as slow.
const deflateLevel = 6

// deflateCodec is raw deflate, RFC 1951, without zlib's or gzip's wrapping. Its
// encoder and decoder, some hundred kilobytes each, are made at first use and kept.
type deflateCodec struct {
	level int
	out   appender
	enc   *flate.Writer
	in    bytes.Reader
	dec   io.ReadCloser
}

func newDeflate(level string) codec {
	if level == "" {
		return &deflateCodec{level: deflateLevel}
	}
	n, err := strconv.Atoi(level)
	if err != nil || n < 1 || n > 9 {
		panic(fmt.Sprintf("trevni: no deflate level %q", level))
	}
	return &deflateCodec{level: n}
}

func (*deflateCodec) Name() string { return "deflate" }

// MaxEncodedLen allows for a block of deflate's own that only stores, with its five
// bytes of header, for every 16 KiB, and a last empty one.
func (*deflateCodec) MaxEncodedLen(n int) int { return n + 5*(n>>14+2) + 16 }

func (c *deflateCodec) Encode(dst, src []byte) ([]byte, error) {
	c.out.buf = dst
	defer func() { c.out.buf = nil }()
	if c.enc == nil {
		enc, err := flate.NewWriter(&c.out, c.level)
		if err != nil {
			return dst, fmt.Errorf("trevni: deflate: %w", err)
		}
		c.enc = enc
	} else {
		c.enc.Reset(&c.out)
	}
	if _, err := c.enc.Write(src); err != nil {
		return dst, fmt.Errorf("trevni: deflate: %w", err)
	}
	if err := c.enc.Close(); err != nil {
		return dst, fmt.Errorf("trevni: deflate: %w", err)
	}
	return c.out.buf, nil
}

func (c *deflateCodec) Decode(dst, src []byte, size int) ([]byte, error) {
	c.in.Reset(src)
	defer c.in.Reset(nil)
	if c.dec == nil {
		c.dec = flate.NewReader(&c.in)
	} else if err := c.dec.(flate.Resetter).Reset(&c.in, nil); err != nil {
		return dst, fmt.Errorf("trevni: deflate: %w", err)
	}
	dst, err := readExactly(dst, c.dec, len(src), size)
	if err != nil {
		return dst, fault.Corruptf("deflate: %w", err)
	}
	if c.in.Len() != 0 {
		return dst, fault.Corruptf("deflate: %d bytes after the end", c.in.Len())
	}
	return dst, nil
}

// appender is an io.Writer to a slice, which unlike a bytes.Buffer can be given
// and taken back.
type appender struct{ buf []byte }

func (a *appender) Write(p []byte) (int, error) {
	a.buf = append(a.buf, p...)
	return len(p), nil
}

// readExactly appends what r has, which must be size bytes, to dst. It makes room as
// bytes come, at most four times as much as there are or were taken in.
func readExactly(dst []byte, r io.Reader, taken, size int) ([]byte, error) {
	start := len(dst)
	for len(dst)-start < size {
		got := len(dst) - start
		dst = slices.Grow(dst, min(size-got, max(3*got, 4*taken, 512)))
		n, err := r.Read(dst[len(dst) : len(dst)+min(size-got, cap(dst)-len(dst))])
		dst = dst[:len(dst)+n]
		if err != nil && (err != io.EOF || len(dst)-start < size) {
			return dst[:start], fmt.Errorf("block ends after %d bytes, its descriptor says %d: %w", len(dst)-start, size, noEOF(err))
		}
	}
	return dst, ended(r)
}

// ended reports whether r has no more.
func ended(r io.Reader) error {
	var more [1]byte
	switch n, err := io.ReadFull(r, more[:]); {
	case n > 0:
		return fmt.Errorf("block is longer than its descriptor says")
	case err != io.EOF:
		return err
	}
	return nil
}

// noEOF turns an end of data into an end too soon.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// bzip2Codec reads what the Java implementation may have written.
type bzip2Codec struct{}

func (bzip2Codec) Name() string            { return "bzip2" }
func (bzip2Codec) MaxEncodedLen(n int) int { return n }

func (bzip2Codec) Encode(dst, src []byte) ([]byte, error) {
	return dst, fault.Unsupportedf("trevni: codec %q is only read, not written", "bzip2")
}

func (bzip2Codec) Decode(dst, src []byte, size int) ([]byte, error) {
	dst, err := readExactly(dst, bzip2.NewReader(bytes.NewReader(src)), len(src), size)
	if err != nil {
		return dst, fault.Corruptf("bzip2: %w", err)
	}
	return dst, nil
}
