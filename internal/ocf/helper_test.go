package ocf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"testing"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// written are the codecs that tests can write; bzip2 has no encoder in Go's library.
var written = []string{"null", "deflate", "snappy", "xz", "zstandard"}

var testSync = [SyncSize]byte{0xf0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0x80}

// piece is a block of a test's file, before it is compressed.
type piece struct {
	rows int64
	raw  []byte
}

func appendLong(b []byte, v int64) []byte { return binary.AppendVarint(b, v) }

func appendBytes(b []byte, s string) []byte { return append(appendLong(b, int64(len(s))), s...) }

// appendHeader appends a header of a codec and whatever other metadata, in pairs.
func appendHeader(b []byte, codec string, meta ...string) []byte {
	meta = append([]string{keySchema, `"bytes"`, keyCodec, codec}, meta...)
	b = appendLong(append(b, magic...), int64(len(meta)/2))
	for _, s := range meta {
		b = appendBytes(b, s)
	}
	return append(appendLong(b, 0), testSync[:]...)
}

func appendBlock(b []byte, rows int64, data []byte) []byte {
	b = appendLong(appendLong(b, rows), int64(len(data)))
	return append(append(b, data...), testSync[:]...)
}

func container(t testing.TB, codec string, pieces ...piece) []byte {
	t.Helper()
	b := appendHeader(nil, codec)
	for _, p := range pieces {
		b = appendBlock(b, p.rows, compress(t, codec, p.raw))
	}
	return b
}

func compress(t testing.TB, codec string, raw []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	var err error
	switch codec {
	case "null":
		return raw
	case "snappy":
		return binary.BigEndian.AppendUint32(snappy.Encode(nil, raw), crc32.ChecksumIEEE(raw))
	case "deflate":
		w, err = flate.NewWriter(&out, 5)
	case "zstandard":
		w, err = zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
	case "xz":
		w, err = xz.WriterConfig{DictCap: 1 << 20}.NewWriter(&out)
	default:
		t.Fatalf("codec %s cannot be written here", codec)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// lines is the text that testdata's bzip2 files hold, n lines of it.
func lines(n int) []byte {
	var b []byte
	for i := range n {
		b = fmt.Appendf(b, "%d\n", i*i%1000003)
	}
	return b
}

// got is a block as it was read.
type got struct {
	Block
	raw string
}

// readAll reads a segment and gives data out window by window, keeping what keep says
// of each.
func readAll(r *Reader, keep func(data []byte) int) ([]got, error) {
	var all []got
	for {
		b, err := r.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		raw, err := readBlock(r, keep)
		if err != nil {
			return all, err
		}
		all = append(all, got{b, string(raw)})
	}
}

func readBlock(r *Reader, keep func([]byte) int) ([]byte, error) {
	var raw []byte
	for unread := 0; ; {
		data, last, err := r.Window(unread)
		if err != nil {
			return nil, err
		}
		if last {
			return append(raw, data...), nil
		}
		unread = keep(data)
		raw = append(raw, data[:len(data)-unread]...)
	}
}

func keepNone([]byte) int     { return 0 }
func keepAll(data []byte) int { return len(data) }

// readFile reads a whole file.
func readFile(file []byte, lim Limits) ([]got, error) {
	h, err := ReadHeader(bytes.NewReader(file), int64(len(file)), "t.avro", lim)
	if err != nil {
		return nil, err
	}
	r := NewReader(lim, nil)
	defer r.Close()
	if err := r.Open(bytes.NewReader(file), "t.avro", int64(len(file)), h, 0, int64(len(file))); err != nil {
		return nil, err
	}
	all, err := readAll(r, keepNone)
	if err == nil {
		err = CheckSpans("t.avro", h, int64(len(file)), []Span{{r.First(), r.End()}})
	}
	if len(all) == 0 && errors.Is(err, ErrCorrupt) && h.Size == int64(len(file)) {
		err = nil // a file without blocks
	}
	return all, err
}

// checkError checks that an error has its place: a test's errors are all *Errors.
func checkError(t testing.TB, err, kind error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v (%T), want an *Error", err, err)
	}
	if kind != nil && !errors.Is(err, kind) {
		t.Errorf("got %v, which is not of kind %v", err, kind)
	}
	if e.Path == "" || e.Offset < 0 || e.Block > e.Offset {
		t.Errorf("%v has no place: %+v", err, e)
	}
}

func testdata(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// account is a Memory that counts, with a limit.
type account struct{ limit, now, most int64 }

var errFull = errors.New("no memory")

func (a *account) Acquire(n int64) error {
	if n <= 0 {
		panic(fmt.Sprintf("acquire %d", n))
	}
	if a.now+n > a.limit {
		return errFull
	}
	a.now += n
	a.most = max(a.most, a.now)
	return nil
}

func (a *account) Release(n int64) {
	if a.now -= n; n <= 0 || a.now < 0 {
		panic(fmt.Sprintf("release %d, leaves %d", n, a.now))
	}
}
