package ocf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cespare/xxhash/v2"
	"github.com/google/go-cmp/cmp"
)

func header(b []byte, lim Limits) (*Header, error) {
	return ReadHeader(bytes.NewReader(b), int64(len(b)), "t.avro", lim)
}

func TestReadHeader(t *testing.T) {
	plain := appendHeader(nil, "snappy", "user", "x", "empty", "")
	want := &Header{Schema: `"bytes"`, Codec: "snappy", Sync: testSync, Size: int64(len(plain)),
		Meta: []Meta{{"user", []byte("x")}, {"empty", []byte{}}}}
	split := append([]byte(magic), negativeBlock(keySchema, `"int"`)...)
	split = append(split, negativeBlock(keySchema, `"bytes"`, "user", "w", keyCodec, "snappy")...)
	split = append(split, negativeBlock("user", "x", "empty", "")...)
	split = append(appendLong(split, 0), testSync[:]...)
	splitWant := *want
	splitWant.Size = int64(len(split))
	long := appendHeader(nil, "null", "pad", strings.Repeat("x", 5*firstRead))
	none := append(append([]byte(magic), 2), appendBytes(appendBytes(nil, keySchema), `"int"`)...)
	none = append(append(none, 0), testSync[:]...)
	tests := []struct {
		name string
		file []byte
		want *Header
	}{
		{"plain", plain, want},
		{"blocks after", append(bytes.Clone(plain), "more"...), want},
		{"several map blocks, sized, with keys again", split, &splitWant},
		{"longer than the first read", long, &Header{Schema: `"bytes"`, Codec: "null", Sync: testSync,
			Size: int64(len(long)), Meta: []Meta{{"pad", bytes.Repeat([]byte("x"), 5*firstRead)}}}},
		{"no codec", none, &Header{Schema: `"int"`, Codec: "null", Sync: testSync, Size: int64(len(none))}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := header(tt.file, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Digest = xxhash.Sum64(tt.file[:got.Size])
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// negativeBlock is a block of a map with its size in front.
func negativeBlock(meta ...string) []byte {
	var body []byte
	for _, s := range meta {
		body = appendBytes(body, s)
	}
	return append(appendLong(appendLong(nil, -int64(len(meta)/2)), int64(len(body))), body...)
}

func TestReadHeaderErrors(t *testing.T) {
	good := appendHeader(nil, "null")
	meta := func(b ...byte) []byte { return append([]byte(magic), b...) }
	long := func(vs ...int64) []byte {
		b := []byte(magic)
		for _, v := range vs {
			b = appendLong(b, v)
		}
		return b
	}
	var many []byte
	for i := range maxMeta + 2 {
		many = append(many, negativeBlock(fmt.Sprint(i), "")...)
	}
	tests := []struct {
		name string
		file []byte
		kind error
		has  string
	}{
		{"empty", nil, ErrCorrupt, "empty (0 bytes)"},
		{"one byte", []byte("O"), io.ErrUnexpectedEOF, "ends inside its header"},
		{"magic only", []byte(magic), io.ErrUnexpectedEOF, "ends inside its header"},
		{"text", []byte("id,name\n1,Zoë\n"), ErrCorrupt, "as if text"},
		{"short text", []byte("a\n"), ErrCorrupt, "as if text"},
		{"zeros", make([]byte, 4096), ErrCorrupt, "zeros only"},
		{"old Avro", []byte("Obj\x00rest"), ErrCorrupt, "Avro before 1.3"},
		{"newer Avro", []byte("Obj\x02rest"), ErrCorrupt, "another version"},
		{"Trevni", []byte("Trv\x02rest"), ErrCorrupt, "a Trevni file"},
		{"Parquet", []byte("PAR1rest"), ErrCorrupt, "a Parquet file"},
		{"gzip", []byte("\x1f\x8b\x08\x00"), ErrCorrupt, "gzip"},
		{"binary", []byte{0xff, 0xfe, 0, 1}, ErrCorrupt, `begins with "\xff\xfe\x00\x01"`},
		{"no schema", append(meta(0), testSync[:]...), ErrCorrupt, "no avro.schema"},
		{"unknown codec", appendHeader(nil, "lzo"), ErrCodec, `codec "lzo" is unknown`},
		{"number too long", meta(bytes.Repeat([]byte{0xff}, 11)...), ErrCorrupt, "more than 64 bits"},
		{"least count", long(-1 << 63), ErrCorrupt, "entries"},
		{"negative size of a map block", long(-1, -1), ErrCorrupt, "has -1 bytes"},
		{"negative length", long(1, -5), ErrCorrupt, "length of -5"},
		{"huge length", long(1, 1<<62), io.ErrUnexpectedEOF, "begins at"},
		{"huge count", long(1<<62, 0, 0), io.ErrUnexpectedEOF, "ends inside its header"},
		{"too many entries", append([]byte(magic), many...), ErrLimit, "more than 65536"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := header(tt.file, Limits{})
			checkError(t, err, tt.kind)
			if !strings.Contains(err.Error(), tt.has) || !strings.Contains(err.Error(), "t.avro") {
				t.Errorf("%q does not say %q", err, tt.has)
			}
		})
	}
	t.Run("limit", func(t *testing.T) {
		_, err := header(append(good, make([]byte, 100)...), Limits{HeaderBytes: int64(len(good)) - 1})
		checkError(t, err, ErrLimit)
		if _, err := header(good, Limits{HeaderBytes: int64(len(good))}); err != nil {
			t.Errorf("a header as large as the limit: %v", err)
		}
	})
	t.Run("cut anywhere", func(t *testing.T) {
		for n := range good {
			_, err := header(good[:n], Limits{})
			checkError(t, err, io.ErrUnexpectedEOF)
			checkError(t, err, ErrCorrupt)
		}
	})
}

// readerAt is an io.ReaderAt of a function.
type readerAt func(p []byte, off int64) (int, error)

func (f readerAt) ReadAt(p []byte, off int64) (int, error) { return f(p, off) }

func TestReadFailures(t *testing.T) {
	file := container(t, "null", piece{1, lines(100)})
	disk := errors.New("disk on fire")
	for _, tt := range []struct {
		name string
		src  readerAt
		want error
	}{
		{"fails", func([]byte, int64) (int, error) { return 0, disk }, disk},
		{"shrunk", bytes.NewReader(file[:20]).ReadAt, io.ErrUnexpectedEOF},
		{"nothing", func([]byte, int64) (int, error) { return 0, nil }, io.ErrNoProgress},
		{"times out", func(p []byte, off int64) (int, error) { return 1, iotest.ErrTimeout }, iotest.ErrTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadHeader(tt.src, int64(len(file)), "t.avro", Limits{})
			checkError(t, err, tt.want)
			if errors.Is(err, ErrCorrupt) {
				t.Errorf("%v is called corrupt", err)
			}
		})
	}
	t.Run("a byte at a time", func(t *testing.T) {
		src := readerAt(func(p []byte, off int64) (int, error) { return bytes.NewReader(file).ReadAt(p[:min(1, len(p))], off) })
		h, err := ReadHeader(src, int64(len(file)), "t.avro", Limits{})
		if err != nil || h.Codec != "null" {
			t.Error(h, err)
		}
	})
}

// FuzzHeader: any bytes are a header or an error with its place, and no byte past the
// header has a part in it.
func FuzzHeader(f *testing.F) {
	for _, pattern := range []string{"avro/*.avro", "broken/*.avro"} {
		names, err := filepath.Glob("../../testdata/" + pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range names {
			b := testdata(f, name)
			f.Add(b[:min(len(b), 2048)])
		}
	}
	f.Add(appendHeader(nil, "xz", "user", "x"))
	f.Fuzz(func(t *testing.T, b []byte) {
		lim := Limits{HeaderBytes: 1 << 20}
		h, err := header(b, lim)
		if err != nil {
			checkError(t, err, nil)
			return
		}
		again, err := header(b[:h.Size], lim)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(h, again); d != "" {
			t.Fatal(d)
		}
	})
}
