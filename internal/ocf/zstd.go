package ocf

import (
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

const (
	zstdWindow = 8 << 20   // what the base has room for, as the format's specification recommends
	zstdMost   = 128 << 20 // more than this no encoder uses unless told to: window log 27
	zstdHeader = 18        // the most bytes of a frame's header with its magic
)

// zstdDecoder reads zstd frames. A block that fits the buffers is decoded at once,
// which needs no window; encoders declare far larger ones than their data need. Among
// those streamed, frames with a window past the base's have a decoder of their own,
// whose memory is taken.
type zstdDecoder struct {
	w     *window
	once  *zstd.Decoder
	over  int64 // compressed bytes of the smallest block that did not fit at once, 0 if none
	small *zstd.Decoder
	big   *zstd.Decoder
	room  int // taken for big
	r     *zstd.Decoder
	head  zstd.Header
}

func newZstdDecoder(w *window) (*zstdDecoder, error) {
	once, err1 := newZstd(zstdMost, zstd.WithDecodeAllCapLimit(true))
	small, err2 := newZstd(zstdWindow)
	return &zstdDecoder{w: w, once: once, small: small}, errors.Join(err1, err2)
}

// atOnce decodes a block that the buffers hold, compressed and not.
func (d *zstdDecoder) atOnce() (bool, error) {
	w := d.w
	size := w.r.block.Size
	for w.r.body != nil && (d.over == 0 || size < d.over) {
		out, err := d.once.DecodeAll(w.r.body, w.base[:0:len(w.base)])
		switch {
		case err == nil && int64(len(out)) > w.r.lim.BlockBytes:
			return false, w.overLimit()
		case err == nil:
			w.data = out
			return true, nil
		case !errors.Is(err, zstd.ErrDecoderSizeExceeded):
			return false, nil // the stream has the last word on damage
		case len(w.base) < w.r.lim.WindowBytes:
			w.base = w.growBase(w.base)
		default:
			d.over = size
		}
	}
	return false, nil
}

// newZstd returns a decoder that works in its caller's goroutine.
func newZstd(window uint64, more ...zstd.DOption) (*zstd.Decoder, error) {
	return zstd.NewReader(nil, append(more, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecodeBuffersBelow(0), zstd.WithDecoderMaxWindow(window))...)
}

func (d *zstdDecoder) begin() error {
	window := d.window()
	d.r = d.small
	if window > zstdMost {
		return limitf("zstandard: a window of %d bytes, the most is %d", window, zstdMost)
	}
	if window > zstdWindow {
		if err := d.grow(window); err != nil {
			return err
		}
		d.r = d.big
	}
	return d.r.Reset(d.w.src.input())
}

// window returns the window that the first frame declares, 0 if it is none.
func (d *zstdDecoder) window() uint64 {
	if err := d.head.Decode(d.w.src.peek(zstdHeader)); err != nil || d.head.Skippable {
		return 0
	}
	if d.head.SingleSegment {
		return d.head.FrameContentSize
	}
	return d.head.WindowSize
}

// grow makes a decoder for large windows, unless there is one.
func (d *zstdDecoder) grow(window uint64) error {
	need := int(2 * window)
	if d.big != nil && d.room >= need {
		return nil
	}
	d.drop()
	if err := d.w.room.acquire(need); err != nil {
		return err
	}
	d.room = need
	var err error
	d.big, err = newZstd(window)
	return err
}

func (d *zstdDecoder) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	return n, zstdError(err)
}

// zstdError tells the library's limit from damage; a stream's io.EOF stays.
func zstdError(err error) error {
	switch {
	case err == nil || err == io.EOF:
		return err
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return limitf("zstandard: %w", err)
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	return corruptf("zstandard: %w", err)
}

func (d *zstdDecoder) drop() {
	if d.big != nil {
		d.big.Close()
		d.big = nil
	}
	if d.room > 0 {
		d.w.room.release(d.room)
		d.room = 0
	}
}
