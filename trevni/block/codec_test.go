package block

import (
	"bytes"
	stdflate "compress/flate"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/s2"
)

// payloads are blocks of different kinds, some at the edges of codecs' own blocks.
func payloads() map[string][]byte {
	rnd := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 200_000)
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	words := []byte(strings.Repeat("furiously ironic deposits; quickly ", 6000))
	for i := 0; i < len(words); i += 97 {
		words[i] = byte('a' + rnd.IntN(26))
	}
	return map[string][]byte{
		"empty": nil, "byte": {7}, "words": words, "noise": noise, "zeros": make([]byte, 1<<20),
		"64 KiB - 1": words[:1<<16-1], "64 KiB": noise[:1<<16], "64 KiB + 1": words[:1<<16+1],
	}
}

// specs are all codecs that can be written, at all levels.
var specs = []string{
	"null", "snappy", "snappy:better", "deflate", "deflate:1", "deflate:2", "deflate:3", "deflate:4",
	"deflate:5", "deflate:6", "deflate:7", "deflate:8", "deflate:9",
}

// independent decodes with other code than the codec's own.
func independent(t *testing.T, codec string, src []byte) []byte {
	t.Helper()
	out, err := src, error(nil)
	switch codec {
	case "snappy":
		out, err = s2.Decode(nil, src)
	case "deflate":
		out, err = io.ReadAll(stdflate.NewReader(bytes.NewReader(src)))
	}
	must(t, err)
	return out
}

func TestCodecs(t *testing.T) {
	for _, name := range specs {
		t.Run(name, func(t *testing.T) {
			spec, err := ParseCodec(name)
			must(t, err)
			if spec.String() != name {
				t.Errorf("spec is %q", spec)
			}
			c := spec.open()
			for kind, raw := range payloads() {
				enc, err := c.Encode([]byte("before"), raw)
				must(t, err)
				if most := c.MaxEncodedLen(len(raw)); len(enc)-6 > most {
					t.Errorf("%s: %d bytes encoded to %d, MaxEncodedLen is %d", kind, len(raw), len(enc)-6, most)
				}
				if !bytes.Equal(independent(t, spec.Name, enc[6:]), raw) {
					t.Errorf("%s: another decoder reads something else", kind)
				}
				dec, err := c.Decode([]byte("kept"), enc[6:], len(raw))
				must(t, err)
				if string(dec[:4]) != "kept" || !bytes.Equal(dec[4:], raw) || string(enc[:6]) != "before" {
					t.Errorf("%s: comes back changed", kind)
				}
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	words := payloads()["words"]
	for _, codec := range []string{"null", "snappy", "deflate"} {
		c := Codec{Name: codec}.open()
		enc, err := c.Encode(nil, words)
		must(t, err)
		for name, bad := range map[string]struct {
			src  []byte
			size int
		}{
			"size less by one":  {enc, len(words) - 1},
			"size more by one":  {enc, len(words) + 1},
			"size of 2 GiB":     {enc, MaxRaw},
			"size zero":         {enc, 0},
			"cut by one":        {enc[:len(enc)-1], len(words)},
			"cut to nothing":    {nil, len(words)},
			"a byte after it":   {append(bytes.Clone(enc), 0), len(words)},
			"itself after it":   {append(bytes.Clone(enc), enc...), len(words)},
			"bytes of all ones": {bytes.Repeat([]byte{0xff}, 100), 1000},
		} {
			if _, err := c.Decode(nil, bad.src, bad.size); !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s, %s: error is %v, want ErrCorrupt", codec, name, err)
			}
		}
		if out, err := c.Decode(nil, enc, len(words)); err != nil || !bytes.Equal(out, words) {
			t.Errorf("%s: does not work after errors: %v", codec, err)
		}
	}
}

// bzip2Hello is "hello, hello, hello\n" as bzip2 1.0.8 compresses it.
const bzip2Hello = "425a6839314159265359cb52e5670000055100001040040244a00021243108602f1844c715178bb9229c284865a972b380"

func TestBzip2(t *testing.T) {
	src, err := hex.DecodeString(bzip2Hello)
	must(t, err)
	c := Codec{Name: "bzip2"}.open()
	const want = "hello, hello, hello\n"
	if out, err := c.Decode(nil, src, len(want)); err != nil || string(out) != want {
		t.Errorf("decoded to %q, %v", out, err)
	}
	for _, size := range []int{0, len(want) - 1, len(want) + 1} {
		if _, err := c.Decode(nil, src, size); !errors.Is(err, ErrCorrupt) {
			t.Errorf("size %d: error is %v, want ErrCorrupt", size, err)
		}
	}
	if _, err := c.Encode(nil, nil); !errors.Is(err, ErrUnsupported) {
		t.Errorf("encoding: error is %v, want ErrUnsupported", err)
	}
}

func TestParseCodecRefuses(t *testing.T) {
	for _, s := range []string{"", ":", ":1", "zstd", "bzip2", "null:1", "snappy:", "snappy:worse", "deflate:0", "deflate:10", "deflate:x", "Snappy"} {
		if spec, err := ParseCodec(s); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%q gives %v, %v; want ErrUnsupported", s, spec, err)
		}
	}
}

// leastAllocs returns the fewest allocations of f in a few measurements: a codec's tables are in a
// pool, from which the collector and the race detector take some.
func leastAllocs(f func()) float64 {
	least := testing.AllocsPerRun(10, f)
	for range 4 {
		least = min(least, testing.AllocsPerRun(10, f))
	}
	return least
}

// TestAppendDoesNotAllocate holds Encoder to its word, and Decoder to its
// own: once warm, with room, nothing is allocated.
func TestAppendDoesNotAllocate(t *testing.T) {
	raw := payloads()["64 KiB + 1"]
	for _, name := range specs {
		spec, err := ParseCodec(name)
		must(t, err)
		e := newEncoder(spec, ChecksumCRC32)
		d, err := NewDecoder(Coding{Codec{Name: spec.Name}, ChecksumCRC32})
		must(t, err)
		dst, back := make([]byte, 0, e.MaxLen(len(raw))), make([]byte, 0, len(raw))
		block, err := e.Append(dst, raw)
		must(t, err)
		if n := leastAllocs(func() { _, _ = e.Append(dst, raw) }); n != 0 {
			t.Errorf("%s: Append allocates %v times", name, n)
		}
		most := 0.0
		if spec.Name == "deflate" {
			most = 1 // the decoder's Huffman tables, for some blocks
		}
		if n := leastAllocs(func() { _, _ = d.Decode(back, block, len(raw)) }); n > most {
			t.Errorf("%s: Decode allocates %v times", name, n)
		}
		if &block[0] != &dst[:1][0] {
			t.Errorf("%s: Append made a slice of its own", name)
		}
	}
}

// TestSnappyIsPlain checks that encoded blocks have no extension that only s2 reads.
func TestSnappyIsPlain(t *testing.T) {
	for kind, raw := range payloads() {
		for _, level := range []string{"", "better"} {
			enc, err := Codec{Name: "snappy", Level: level}.open().Encode(nil, raw)
			must(t, err)
			if out, err := snappy.Decode(nil, enc); err != nil || !bytes.Equal(out, raw) {
				t.Errorf("%s, level %q: %v", kind, level, err)
			}
		}
	}
}

func TestChecksums(t *testing.T) {
	for _, c := range []struct {
		name string
		sum  Checksum
		want string
	}{
		{"", ChecksumNull, ""},
		{"null", ChecksumNull, ""},
		{"crc32", ChecksumCRC32, "cbf43926"}, // the check value of ISO 3309's CRC-32
		{"crc-32", ChecksumCRC32LE, "2639f4cb"},
	} {
		got, err := ParseChecksum(c.name)
		if err != nil || got != c.sum {
			t.Errorf("%q gives %v, %v", c.name, got, err)
		}
		if s := hex.EncodeToString(got.AppendSum(nil, []byte("123456789"))); s != c.want || got.Size() != len(c.want)/2 {
			t.Errorf("%q: sum %s, want %s", c.name, s, c.want)
		}
	}
	if _, err := ParseChecksum("md5"); !errors.Is(err, ErrUnsupported) {
		t.Errorf("md5: error is %v, want ErrUnsupported", err)
	}
}

func TestBlockDecoderRefuses(t *testing.T) {
	raw := []byte("some bytes of a block")
	for sum := ChecksumCRC32; sum < checksums; sum++ {
		block, err := newEncoder(Codec{}, sum).Append(nil, raw)
		must(t, err)
		d, err := NewDecoder(Coding{Codec{Name: ""}, sum})
		must(t, err)
		for i := range block {
			bad := bytes.Clone(block)
			bad[i] ^= 0x10
			if _, err := d.Decode(nil, bad, len(raw)); !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s: byte %d changed: error is %v, want ErrCorrupt", sum, i, err)
			}
			if _, err := d.Decode(nil, block[:i], len(raw)); !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s: cut at %d: error is %v, want ErrCorrupt", sum, i, err)
			}
		}
	}
	if _, err := NewDecoder(Coding{Codec{Name: "lzo"}, ChecksumNull}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("lzo: error is %v, want ErrUnsupported", err)
	}
}
