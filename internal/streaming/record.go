package streaming

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// ErrRecords is returned for records that are not what map tasks write: missing, twice,
// out of order, or malformed.
var ErrRecords = errors.New("streaming: bad records")

func recordsError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrRecords, fmt.Sprintf(format, args...))
}

// bufferBytes is the number of bytes that are read and written at a time.
const bufferBytes = 1 << 20

// Writer writes records. One goroutine; Flush must be called.
type Writer struct {
	w   *bufio.Writer
	buf []byte
}

// NewWriter returns a writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: bufio.NewWriterSize(w, bufferBytes)} }

// Write writes a record whose value is the parts one after another.
func (w *Writer) Write(k Key, parts ...[]byte) error {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	if n > math.MaxInt32 {
		return fmt.Errorf("streaming: a record of %d bytes, Hadoop takes %d at the most", n, math.MaxInt32)
	}
	w.buf = binary.BigEndian.AppendUint32(w.buf[:0], uint32(k.size()))
	w.buf = k.append(w.buf)
	w.buf = binary.BigEndian.AppendUint32(w.buf, uint32(n))
	_, err := w.w.Write(w.buf)
	for _, p := range parts {
		if err == nil {
			_, err = w.w.Write(p)
		}
	}
	if err != nil {
		return fmt.Errorf("streaming: write a record: %w", err)
	}
	return nil
}

// Flush writes buffered bytes.
func (w *Writer) Flush() error {
	if err := w.w.Flush(); err != nil {
		return fmt.Errorf("streaming: write records: %w", err)
	}
	return nil
}

// Reader reads records. One goroutine.
type Reader struct {
	r    *bufio.Reader
	left int // bytes of the value that were not read
}

// NewReader returns a reader of r.
func NewReader(r io.Reader) *Reader { return &Reader{r: bufio.NewReaderSize(r, bufferBytes)} }

// Next moves to the next record, and returns its key and the bytes of its value; io.EOF
// after the last. The value of the record before must have been read.
func (r *Reader) Next() (k Key, size int, err error) {
	if r.left > 0 {
		return k, 0, fmt.Errorf("streaming: %d bytes of a value were not read", r.left)
	}
	var buf [maxKey]byte
	n, err := r.length()
	if err != nil {
		return k, 0, err // io.EOF as it is
	}
	if n > maxKey {
		return k, 0, recordsError("a key of %d bytes", n)
	}
	if _, err := io.ReadFull(r.r, buf[:n]); err != nil {
		return k, 0, readError(err)
	}
	if k, err = parseKey(buf[:n]); err != nil {
		return k, 0, err
	}
	if r.left, err = r.length(); err != nil {
		return k, 0, readError(err)
	}
	return k, r.left, nil
}

// length reads a length, io.EOF if nothing is there.
func (r *Reader) length() (int, error) {
	var b [4]byte
	if _, err := io.ReadFull(r.r, b[:]); errors.Is(err, io.EOF) {
		return 0, io.EOF
	} else if err != nil {
		return 0, readError(err)
	}
	n := binary.BigEndian.Uint32(b[:])
	if n > math.MaxInt32 {
		return 0, recordsError("a length of %d bytes", n)
	}
	return int(n), nil
}

// Value appends the record's value to dst and returns it. It is called once a record,
// if its value has bytes. Memory grows as bytes come, not as a length says.
func (r *Reader) Value(dst []byte) ([]byte, error) {
	for r.left > 0 {
		step := min(r.left, max(cap(dst)-len(dst), bufferBytes))
		at := len(dst)
		if cap(dst)-at < step {
			grown := make([]byte, at, max(at+step, min(2*cap(dst), at+r.left)))
			copy(grown, dst)
			dst = grown
		}
		dst = dst[:at+step]
		if _, err := io.ReadFull(r.r, dst[at:]); err != nil {
			return dst[:at], readError(err)
		}
		r.left -= step
	}
	return dst, nil
}

// readError is the error for records that cannot be read to their end.
func readError(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("streaming: read a record: %w", err)
}
