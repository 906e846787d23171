package run

import (
	"bytes"
	"context"
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

	"avro2trevni/bench/internal/data"
	"avro2trevni/trevni/block"
)

// limitBlock is the raw bytes in a block that the limit writes: our --block-size.
const limitBlock = 64 << 10

// LimitVerb does the part of a conversion that no program gets round: it decodes
// every block and encodes the raw bytes again in blocks of 64 KiB. No row is looked
// at, no checksum made, nothing written. Its time is the limit that a conversion
// can be held against.
func LimitVerb(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("limit", flag.ContinueOnError)
	workers := flags.Int("workers", runtime.GOMAXPROCS(0), "threads")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("usage: limit [-workers N] FILE.avro ... FILE.avro")
	}
	for _, path := range flags.Args() {
		if err := limitFile(ctx, path, *workers); err != nil {
			return fmt.Errorf("bench: limit of %s: %w", path, err)
		}
	}
	return nil
}

func limitFile(ctx context.Context, path string, workers int) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	codec, spans, err := data.AvroBlocks(f)
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
func recodeAll(ctx context.Context, f *os.File, spans []data.Span, next *atomic.Int64, r recoder) error {
	var in []byte
	for ctx.Err() == nil {
		i := next.Add(1) - 1
		if i >= int64(len(spans)) {
			return nil
		}
		s := spans[i]
		in = grow(in, int(s.Size))
		if _, err := f.ReadAt(in, s.Offset); err != nil {
			return err
		}
		if err := r.recode(in); err != nil {
			return fmt.Errorf("block at %d: %w", s.Offset, err)
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
		enc, err := block.NewEncoder(block.Coding{Codec: block.Codec{Name: codec}})
		return &deflateRecoder{r: flate.NewReader(nil), w: enc}, err
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
	w   *block.Encoder
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
		if d.out, err = d.w.Append(d.out[:0], rest[:n]); err != nil {
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
