package parquet

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// Codec names a codec and how hard it is to try. The zero Codec is null.
type Codec struct {
	Name  string // null, snappy, gzip or zstd; "" is null
	Level string // "" is the default; better for snappy, 1 to 9 for gzip, 1 to 22 for zstd
}

// A codec compresses. It has state: one goroutine at a time.
type codec interface {
	// encode returns src compressed, in dst where it has room. They must not overlap.
	encode(dst, src []byte) ([]byte, error)
	// maxLen returns the largest number of bytes that n bytes can become.
	maxLen(n int) int
}

// A kind is a known codec: its number in files, its legal levels, and a function that makes
// one of a legal level.
type kind struct {
	name   string
	wire   format.CompressionCodec
	levels []string
	make   func(level string) (codec, error)
}

var codecs = []kind{
	{"null", format.Uncompressed, []string{""}, func(string) (codec, error) { return nil, nil }},
	{"snappy", format.Snappy, []string{"", "better"}, newSnappy},
	{"gzip", format.Gzip, upTo(9), newGzip},
	{"zstd", format.Zstd, upTo(22), newZstd},
}

func upTo(n int) []string {
	levels := []string{""}
	for level := 1; level <= n; level++ {
		levels = append(levels, strconv.Itoa(level))
	}
	return levels
}

// ParseCodec reads "name" or "name:level", as [Codec.String] writes it.
func ParseCodec(s string) (Codec, error) {
	name, level, has := strings.Cut(s, ":")
	c := Codec{Name: name, Level: level}
	if has && level == "" || name == "" {
		return Codec{}, fmt.Errorf("parquet: codec %q is not NAME or NAME:LEVEL", s)
	}
	_, err := c.kind()
	return c, err
}

// String returns the codec as [ParseCodec] takes it.
func (c Codec) String() string {
	if c.Level == "" {
		return c.name()
	}
	return c.name() + ":" + c.Level
}

func (c Codec) name() string {
	if c.Name == "" {
		return "null"
	}
	return c.Name
}

// each returns the codec of each of n columns: all are the one for all, unless there are others.
func each(all Codec, own []Codec, n int) ([]Codec, error) {
	if own == nil {
		return slices.Repeat([]Codec{all}, n), nil
	}
	if len(own) != n {
		return nil, fmt.Errorf("parquet: %d codecs for %d columns", len(own), n)
	}
	return own, nil
}

// openAll opens the codec of each column. Columns that have the same share it.
func openAll(all Codec, own []Codec, n int) ([]codec, error) {
	names, err := each(all, own, n)
	if err != nil {
		return nil, err
	}
	codecs, open := make([]codec, n), map[Codec]codec{}
	for i, name := range names {
		c, ok := open[name]
		if !ok {
			if c, err = name.open(); err != nil {
				return nil, err
			}
			open[name] = c
		}
		codecs[i] = c
	}
	return codecs, nil
}

// wireCodecs returns the number of each column's codec.
func wireCodecs(all Codec, own []Codec, n int) ([]format.CompressionCodec, error) {
	names, err := each(all, own, n)
	if err != nil {
		return nil, err
	}
	wire := make([]format.CompressionCodec, n)
	for i, name := range names {
		kind, err := name.kind()
		if err != nil {
			return nil, err
		}
		wire[i] = kind.wire
	}
	return wire, nil
}

// kind returns the codec's entry, and an error if there is no such codec or level.
func (c Codec) kind() (kind, error) {
	for _, k := range codecs {
		switch {
		case k.name != c.name():
		case !slices.Contains(k.levels, c.Level):
			return kind{}, fmt.Errorf("parquet: codec %q has no level %q", c.Name, c.Level)
		default:
			return k, nil
		}
	}
	return kind{}, fmt.Errorf("parquet: codec %q; there are null, snappy, gzip and zstd", c.Name)
}

// open returns a codec, nil if it is null.
func (c Codec) open() (codec, error) {
	k, err := c.kind()
	if err != nil {
		return nil, err
	}
	return k.make(c.Level)
}

// snappyCodec writes Snappy's block format.
type snappyCodec struct{ better bool }

func newSnappy(level string) (codec, error) { return snappyCodec{better: level != ""}, nil }

func (c snappyCodec) encode(dst, src []byte) ([]byte, error) {
	dst = dst[:cap(dst)]
	if c.better {
		return s2.EncodeSnappyBetter(dst, src), nil
	}
	return s2.EncodeSnappy(dst, src), nil
}

func (snappyCodec) maxLen(n int) int { return s2.MaxEncodedLen(n) }

type gzipCodec struct{ w *gzip.Writer }

func newGzip(level string) (codec, error) {
	n := gzip.DefaultCompression
	if level != "" {
		n, _ = strconv.Atoi(level) // one of upTo
	}
	w, err := gzip.NewWriterLevel(nil, n)
	return gzipCodec{w}, err
}

func (c gzipCodec) encode(dst, src []byte) ([]byte, error) {
	b := bytes.NewBuffer(dst[:0])
	c.w.Reset(b)
	_, err := c.w.Write(src)
	if err == nil {
		err = c.w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("parquet: gzip: %w", err)
	}
	return b.Bytes(), nil
}

// maxLen counts headers of blocks of a few KiB that are stored uncompressed.
func (gzipCodec) maxLen(n int) int { return n + n/256 + 64 }

type zstdCodec struct{ enc *zstd.Encoder }

// zstdWindow bounds an encoder's memory, and is what a page has at most by default.
const zstdWindow = 1 << 20

func newZstd(level string) (codec, error) {
	n := 3
	if level != "" {
		n, _ = strconv.Atoi(level) // one of upTo
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
		zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true), zstd.WithZeroFrames(true),
		zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(n)))
	if err != nil {
		return nil, fmt.Errorf("parquet: zstd: %w", err)
	}
	return zstdCodec{enc}, nil
}

func (c zstdCodec) encode(dst, src []byte) ([]byte, error) {
	return c.enc.EncodeAll(src, dst[:0]), nil
}

func (zstdCodec) maxLen(n int) int { return n + n/256 + 64 }
