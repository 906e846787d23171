package ocf

import (
	"compress/bzip2"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
)

// decoder decompresses a block from its window's source.
type decoder interface {
	begin() error               // at the start of a block's data
	Read(p []byte) (int, error) // io.EOF at the data's end, all checksums right
	drop()                      // gives up what was taken from Memory
}

// atOnce is a decoder that can do without a stream where a block is small.
type atOnce interface {
	// atOnce decodes the whole block into the window, checksums and all, and
	// reports whether it did.
	atOnce() (bool, error)
}

func newDecoder(codec string, w *window) (decoder, error) {
	switch codec {
	case "null":
		return &nullDecoder{w: w}, nil
	case "snappy":
		return &snappyDecoder{w: w}, nil
	case "deflate":
		return &deflateDecoder{w: w, r: flate.NewReader(&w.src.mem)}, nil
	case "bzip2":
		return &bzip2Decoder{w: w}, nil
	case "zstandard":
		return newZstdDecoder(w)
	case "xz":
		return &xzDecoder{w: w}, nil
	}
	return nil, &fault{ErrCodec, fmt.Errorf("codec %q is unknown", codec)}
}

// nullDecoder passes the data on: large blocks, straight from the file.
type nullDecoder struct{ w *window }

func (d *nullDecoder) begin() error { return nil }
func (d *nullDecoder) drop()        {}

func (d *nullDecoder) Read(p []byte) (int, error) {
	if !d.w.src.big {
		return d.w.src.mem.Read(p)
	}
	return d.w.src.file.Read(p)
}

// deflateDecoder reads raw deflate (RFC 1951), as Avro has it.
type deflateDecoder struct {
	w *window
	r io.ReadCloser
}

func (d *deflateDecoder) begin() error {
	return d.r.(flate.Resetter).Reset(d.w.src.input(), nil)
}

func (d *deflateDecoder) Read(p []byte) (int, error) { return d.r.Read(p) }
func (d *deflateDecoder) drop()                      {}

// bzip2Decoder allocates a new reader a block, of up to 4 MB: the library has no
// other way.
type bzip2Decoder struct {
	w *window
	r io.Reader
}

func (d *bzip2Decoder) begin() error {
	d.r = bzip2.NewReader(d.w.src.input())
	return nil
}

func (d *bzip2Decoder) Read(p []byte) (int, error) { return d.r.Read(p) }
func (d *bzip2Decoder) drop()                      { d.r = nil }
