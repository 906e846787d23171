package ocf

import (
	"errors"

	"github.com/klauspost/compress/zstd"
)

const (
	zstdWindow = 8 << 20   // what the base has room for, as the format's specification recommends
	zstdMost   = 128 << 20 // more than this no encoder uses unless told to: window log 27
	zstdHeader = 18        // the most bytes of a frame's header with its magic
)

// zstdDecoder reads zstd frames. Frames with a window past the base's have a decoder
// of their own, whose memory is taken.
type zstdDecoder struct {
	w     *window
	small *zstd.Decoder
	big   *zstd.Decoder
	room  int // taken for big
	r     *zstd.Decoder
	head  zstd.Header
}

func newZstdDecoder(w *window) (*zstdDecoder, error) {
	small, err := newZstd(zstdWindow)
	return &zstdDecoder{w: w, small: small}, err
}

// newZstd returns a decoder that works in its caller's goroutine.
func newZstd(window uint64) (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecodeBuffersBelow(0), zstd.WithDecoderMaxWindow(window))
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
	if errors.Is(err, zstd.ErrWindowSizeExceeded) {
		err = limitf("%w", err)
	}
	return n, err
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
