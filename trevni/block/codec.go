package block

import (
	"fmt"
	"slices"
	"strings"

	"avro2trevni/trevni/internal/fault"
)

// codec compresses and decompresses blocks (section Codecs). It has state: one
// goroutine at a time.
type codec interface {
	// Name returns the codec's name on the wire.
	Name() string
	// MaxEncodedLen returns the most bytes that Encode appends for n bytes.
	MaxEncodedLen(n int) int
	// Encode appends src compressed to dst, and returns it. With room for
	// MaxEncodedLen more bytes in dst it does not allocate. They must not overlap.
	Encode(dst, src []byte) ([]byte, error)
	// Decode appends src decompressed to dst, and returns it. It must come to size
	// bytes exactly, or the error is ErrCorrupt. What is allocated is in proportion to
	// src and to what really comes out of it, whatever size says.
	Decode(dst, src []byte, size int) ([]byte, error)
}

// Codec names a codec and its level.
type Codec struct {
	Name  string // as on the wire: null, snappy, deflate; bzip2 only reads; "" is null
	Level string // "" is the default; better for snappy, 1 to 9 for deflate
}

// codecs lists, for each codec, the levels that can be asked for, "" among them if
// it can encode at all, and how to make one of a legal level.
var codecs = []struct {
	name   string
	levels []string
	make   func(level string) codec
}{
	{"null", []string{""}, func(string) codec { return nullCodec{} }},
	{"snappy", []string{"", "better"}, func(level string) codec { return snappyCodec{better: level == "better"} }},
	{"deflate", []string{"", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, newDeflate},
	{"bzip2", nil, func(string) codec { return bzip2Codec{} }},
}

// ParseCodec reads "name" or "name:level", and returns an error for what cannot be
// written, which is [ErrUnsupported].
func ParseCodec(s string) (Codec, error) {
	name, level, has := strings.Cut(s, ":")
	spec := Codec{Name: name, Level: level}
	if has && level == "" || name == "" {
		return Codec{}, fault.Unsupportedf("trevni: codec %q is not NAME or NAME:LEVEL", s)
	}
	if err := spec.check(); err != nil {
		return Codec{}, err
	}
	return spec, nil
}

// check reports whether the spec can be written.
func (s Codec) check() error {
	for _, c := range codecs {
		switch {
		case c.name != s.WireName():
		case c.levels == nil:
			return fault.Unsupportedf("trevni: codec %q is only read, not written", s.Name)
		case !slices.Contains(c.levels, s.Level):
			return fault.Unsupportedf("trevni: codec %q has no level %q; there are %s",
				s.Name, s.Level, strings.Join(c.levels[1:], ", "))
		default:
			return nil
		}
	}
	return fault.Unsupportedf("trevni: codec %q; written are null, snappy, snappy:better, deflate and deflate:1 to 9", s.Name)
}

// String returns the spec as [ParseCodec] takes it.
func (s Codec) String() string {
	if s.Level == "" {
		return s.WireName()
	}
	return s.WireName() + ":" + s.Level
}

// WireName returns the name for the file, which always has one.
func (s Codec) WireName() string {
	if s.Name == "" {
		return "null"
	}
	return s.Name
}

// open returns a codec of what check or readable let pass.
func (s Codec) open() codec {
	for _, c := range codecs {
		if c.name == s.WireName() {
			return c.make(s.Level)
		}
	}
	panic(fmt.Sprintf("trevni: no codec %q", s.Name))
}

// readable reports whether blocks of the named codec can be decoded.
func readable(name string) error {
	for _, c := range codecs {
		if c.name == name || name == "" {
			return nil
		}
	}
	return fault.Unsupportedf("codec %q; known are null, snappy, deflate and bzip2", name)
}

// nullCodec copies.
type nullCodec struct{}

func (nullCodec) Name() string                           { return "null" }
func (nullCodec) MaxEncodedLen(n int) int                { return n }
func (nullCodec) Encode(dst, src []byte) ([]byte, error) { return append(dst, src...), nil }

func (nullCodec) Decode(dst, src []byte, size int) ([]byte, error) {
	if len(src) != size {
		return dst, fault.Corruptf("null: block of %d bytes, its descriptor says %d", len(src), size)
	}
	return append(dst, src...), nil
}
