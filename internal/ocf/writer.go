package ocf

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/s2"
)

// WriterOptions are a writer's. All but the schema have defaults.
type WriterOptions struct {
	Schema     string         // JSON text, goes into the header as it is; must not be empty
	Codec      string         // null, deflate or snappy; default null
	Level      int            // of deflate, 1 to 9; default 6
	Meta       []Meta         // further metadata; keys that begin with "avro." are refused
	Sync       [SyncSize]byte // the marker; default a random one
	BlockBytes int            // bytes of rows at which a block ends; default 64,000, which Java has too
}

// maxBlockRows is the largest number of rows in a block: rows may take no bytes.
const maxBlockRows = 1 << 20

// deflateLevel is the default: that of zlib.
const deflateLevel = 6

// Writer writes a data file: rows that are Avro already, in blocks. It holds one
// block, and what that is compressed to. After an error it stays failed. One
// goroutine at a time.
//
//	rows, n -> | rows of a block | -> compressed -> count, size, data, marker
type Writer struct {
	w    io.Writer
	o    WriterOptions
	rows []byte // of the block in work
	n    int64  // and how many
	out  []byte // the block as written, from room for its head on
	defl *flate.Writer
	err  error
}

// NewWriter writes the header to w. Each header and block is one Write.
func NewWriter(w io.Writer, o *WriterOptions) (*Writer, error) {
	x := &Writer{w: w, o: *o}
	if err := x.o.prepare(); err != nil {
		return nil, err
	}
	if x.o.Codec == "deflate" {
		var err error
		if x.defl, err = flate.NewWriter(nil, x.o.Level); err != nil {
			return nil, fmt.Errorf("ocf: deflate: %w", err)
		}
	}
	if _, err := w.Write(x.o.header()); err != nil {
		return nil, fmt.Errorf("ocf: write header: %w", err)
	}
	return x, nil
}

// prepare checks options and fills in defaults.
func (o *WriterOptions) prepare() error {
	switch o.Codec {
	case "":
		o.Codec = "null"
	case "null", "deflate", "snappy":
	default:
		return fmt.Errorf("%w: %q cannot be written; null, deflate and snappy can", ErrCodec, o.Codec)
	}
	if o.Level == 0 {
		o.Level = deflateLevel
	}
	if o.BlockBytes == 0 {
		o.BlockBytes = 64000
	}
	for _, m := range o.Meta {
		if len(m.Key) >= 5 && m.Key[:5] == "avro." {
			return fmt.Errorf("ocf: metadata key %q: keys that begin with avro. are reserved", m.Key)
		}
	}
	switch {
	case o.Schema == "":
		return errors.New("ocf: WriterOptions.Schema is empty")
	case o.Level < 1 || o.Level > 9:
		return fmt.Errorf("ocf: WriterOptions.Level is %d, and must be 1 to 9", o.Level)
	case o.BlockBytes < 1 || o.BlockBytes > math.MaxInt32:
		return fmt.Errorf("ocf: WriterOptions.BlockBytes is %d, and must be 1 to %d", o.BlockBytes, math.MaxInt32)
	}
	if o.Sync == [SyncSize]byte{} {
		if _, err := rand.Read(o.Sync[:]); err != nil {
			return fmt.Errorf("ocf: sync marker: %w", err)
		}
	}
	return nil
}

// header returns the file's header.
func (o *WriterOptions) header() []byte {
	b := binary.AppendVarint([]byte(magic), int64(2+len(o.Meta)))
	put := func(key, value string) {
		b = append(binary.AppendVarint(b, int64(len(key))), key...)
		b = append(binary.AppendVarint(b, int64(len(value))), value...)
	}
	put("avro.schema", o.Schema)
	put("avro.codec", o.Codec)
	for _, m := range o.Meta {
		put(m.Key, string(m.Value))
	}
	return append(append(b, 0), o.Sync[:]...)
}

// Append adds n rows, which must be of the schema: they are not looked at. They stay
// in one block. rows is not kept.
func (w *Writer) Append(rows []byte, n int) error {
	if w.err != nil {
		return w.err
	}
	if n < 0 || n == 0 && len(rows) > 0 {
		return fmt.Errorf("ocf: %d bytes of %d rows", len(rows), n)
	}
	if w.n > 0 && len(w.rows)+len(rows) > 2*w.o.BlockBytes || w.n+int64(n) > maxBlockRows {
		w.err = w.flush()
	}
	w.rows = append(w.rows, rows...)
	w.n += int64(n)
	if w.err == nil && len(w.rows) >= w.o.BlockBytes {
		w.err = w.flush()
	}
	return w.err
}

// Close writes the last block. It does not close the underlying writer.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	w.err = w.flush()
	if w.err != nil {
		return w.err
	}
	w.err = errors.New("ocf: writer is closed")
	return nil
}

// head is the room for a block's count and size.
const head = 2 * binary.MaxVarintLen64

// flush writes the current block, if it has rows.
func (w *Writer) flush() error {
	if w.n == 0 {
		return nil
	}
	if cap(w.out) < head {
		w.out = make([]byte, head)
	}
	w.out = w.out[:head]
	if err := w.compress(); err != nil {
		return fmt.Errorf("ocf: compress block: %w", err)
	}
	size := len(w.out) - head
	w.out = append(w.out, w.o.Sync[:]...)
	var h [head]byte
	b := binary.AppendVarint(binary.AppendVarint(h[:0], w.n), int64(size))
	start := head - len(b)
	copy(w.out[start:], b)
	if _, err := w.w.Write(w.out[start:]); err != nil {
		return fmt.Errorf("ocf: write block: %w", err)
	}
	w.rows, w.n = w.rows[:0], 0
	return nil
}

// compress appends the block's data to out.
func (w *Writer) compress() error {
	switch w.o.Codec {
	case "deflate":
		w.defl.Reset((*tail)(w))
		if _, err := w.defl.Write(w.rows); err != nil {
			return err
		}
		return w.defl.Close()
	case "snappy":
		n := s2.MaxEncodedLen(len(w.rows))
		if n < 0 {
			return fmt.Errorf("%w: a block of %d bytes", ErrLimit, len(w.rows))
		}
		if cap(w.out) < head+n+crc32.Size {
			w.out = make([]byte, head, head+n+crc32.Size+SyncSize)
		}
		data := s2.EncodeSnappy(w.out[head:head+n], w.rows)
		w.out = binary.BigEndian.AppendUint32(w.out[:head+len(data)], crc32.ChecksumIEEE(w.rows))
		return nil
	}
	w.out = append(w.out, w.rows...)
	return nil
}

// tail is a writer whose Write appends to its out.
type tail Writer

func (t *tail) Write(p []byte) (int, error) {
	t.out = append(t.out, p...)
	return len(p), nil
}
