package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync/atomic"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/s2"
	"golang.org/x/sync/errgroup"

	"avro2trevni/internal/ocf"
	"avro2trevni/trevni"
)

// limitBlock is the raw bytes in a block that the limit writes: our --block-size.
const limitBlock = 64 << 10

// span is where one Avro block's compressed bytes stand in the file.
type span struct{ offset, size, rows int64 }

// end is where the next block begins, behind the sync marker.
func (s span) end() int64 { return s.offset + s.size + syncSize }

// syncSize is the bytes of a sync marker, which ends the header and each block.
const syncSize = 16

// limitVerb does the part of a conversion that no program gets round: it decodes
// every block and encodes the raw bytes again in blocks of 64 KiB. No row is looked
// at, no checksum made, nothing written. Its time is the limit that a conversion
// can be held against.
func limitVerb(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("limit", flag.ContinueOnError)
	workers := flags.Int("workers", runtime.GOMAXPROCS(0), "threads")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("usage: limit [-workers N] FILE.avro ... FILE.avro")
	}
	for _, path := range flags.Args() {
		if err := limit(ctx, path, *workers); err != nil {
			return fmt.Errorf("bench: limit of %s: %w", path, err)
		}
	}
	return nil
}

func limit(ctx context.Context, path string, workers int) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	codec, spans, err := avroBlocks(f)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range workers {
		recode, err := newRecoder(codec)
		if err != nil {
			return err
		}
		group.Go(func() error { return recodeAll(ctx, f, spans, &next, recode) })
	}
	return group.Wait()
}

// recodeAll takes one block after another until none is left.
func recodeAll(ctx context.Context, f *os.File, spans []span, next *atomic.Int64, r recoder) error {
	var in []byte
	for ctx.Err() == nil {
		i := next.Add(1) - 1
		if i >= int64(len(spans)) {
			return nil
		}
		s := spans[i]
		in = grow(in, int(s.size))
		if _, err := f.ReadAt(in, s.offset); err != nil {
			return err
		}
		if err := r.recode(in); err != nil {
			return fmt.Errorf("block at %d: %w", s.offset, err)
		}
	}
	return ctx.Err()
}

// recoder decodes one block and encodes it again; it belongs to one goroutine.
type recoder interface{ recode(block []byte) error }

func newRecoder(codec string) (recoder, error) {
	switch codec {
	case "snappy":
		return &snappyRecoder{}, nil
	case "null":
		return &rawEncoder{}, nil
	case "deflate":
		return &deflateRecoder{r: flate.NewReader(nil), w: trevni.CodecSpec{Name: codec}.New()}, nil
	default:
		return nil, fmt.Errorf("codec %q has no limit here", codec)
	}
}

// snappyRecoder decodes with golang/snappy and encodes with s2, the fastest pair.
type snappyRecoder struct{ raw, out []byte }

func (s *snappyRecoder) recode(block []byte) (err error) {
	if len(block) < 4 { // a CRC-32 ends each block
		return io.ErrUnexpectedEOF
	}
	if s.raw, err = snappy.Decode(s.raw[:cap(s.raw)], block[:len(block)-4]); err != nil {
		return err
	}
	s.encode(s.raw)
	return nil
}

func (s *snappyRecoder) encode(rest []byte) {
	s.out = grow(s.out, s2.MaxEncodedLen(limitBlock))
	for len(rest) > 0 {
		n := min(len(rest), limitBlock)
		s2.EncodeSnappy(s.out, rest[:n])
		rest = rest[n:]
	}
}

// rawEncoder encodes what needs no decoding.
type rawEncoder struct{ snappyRecoder }

func (r *rawEncoder) recode(block []byte) error {
	r.encode(block)
	return nil
}

// deflateRecoder decodes and encodes as we do, at our default level.
type deflateRecoder struct {
	r   io.ReadCloser
	w   trevni.Codec
	raw bytes.Buffer
	out []byte
}

func (d *deflateRecoder) recode(block []byte) (err error) {
	d.raw.Reset()
	if err := d.r.(flate.Resetter).Reset(bytes.NewReader(block), nil); err != nil {
		return err
	}
	if _, err := d.raw.ReadFrom(d.r); err != nil {
		return err
	}
	for rest := d.raw.Bytes(); len(rest) > 0; {
		n := min(len(rest), limitBlock)
		if d.out, err = d.w.Encode(d.out[:0], rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// avroBlocks finds the codec and the blocks of an Avro container file, by their heads
// alone: what is in the blocks, and behind them, is not looked at.
func avroBlocks(f *os.File) (codec string, spans []span, err error) {
	info, err := f.Stat()
	if err != nil {
		return "", nil, err
	}
	h, err := ocf.ReadHeader(f, info.Size(), info.Name(), ocf.Limits{})
	if err != nil {
		return "", nil, err
	}
	head := make([]byte, 2*binary.MaxVarintLen64)
	offset := h.Size
	for offset < info.Size() {
		n, err := f.ReadAt(head, offset)
		if err != nil && !errors.Is(err, io.EOF) {
			return "", nil, err
		}
		s, err := blockHead(head[:n], offset, info.Size())
		if err != nil {
			return "", nil, fmt.Errorf("block at %d: %w", offset, err)
		}
		spans = append(spans, s)
		offset = s.end()
	}
	return h.Codec, spans, nil
}

// blockHead reads the head of the block at offset of a file of size bytes.
func blockHead(b []byte, offset, size int64) (s span, err error) {
	rows, n := binary.Varint(b)
	bytes, m := binary.Varint(b[max(n, 0):])
	s = span{offset: offset + int64(n) + int64(m), size: bytes, rows: rows}
	switch {
	case n <= 0 || m <= 0:
		return s, io.ErrUnexpectedEOF
	case rows < 0 || bytes < 0 || bytes > size-s.offset-syncSize:
		return s, fmt.Errorf("%d rows in %d bytes, where the file ends at %d", rows, bytes, size)
	default:
		return s, nil
	}
}
