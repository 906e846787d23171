package block

import (
	"bytes"
	stdflate "compress/flate"
	"errors"
	"io"
	"testing"

	"github.com/klauspost/compress/s2"
)

// FuzzDecode: a codec's decoder and an independent one agree on bytes and on error,
// but for what only ours must check.
func FuzzDecode(f *testing.F) {
	for _, raw := range payloads() {
		raw = raw[:min(len(raw), 1000)]
		for i, codec := range []string{"snappy", "deflate"} {
			enc, err := Codec{Name: codec}.open().Encode(nil, raw)
			must(f, err)
			f.Add(byte(i), enc, len(raw))
		}
	}
	f.Fuzz(func(t *testing.T, codec byte, src []byte, size int) {
		size &= 1<<20 - 1
		name, want, other := "snappy", []byte(nil), error(nil)
		if codec%2 == 0 {
			if n, err := s2.DecodedLen(src); err != nil || n > 1<<20 {
				return
			}
			want, other = s2.Decode(nil, src)
		} else {
			name = "deflate"
			rest := bytes.NewReader(src)
			want, other = io.ReadAll(io.LimitReader(stdflate.NewReader(rest), 1<<20))
			if other == nil && rest.Len() > 0 {
				other = errors.New("bytes after the end")
			}
		}
		got, err := Codec{Name: name}.open().Decode(nil, src, size)
		switch {
		case err != nil && !errors.Is(err, ErrCorrupt):
			t.Fatalf("%s: error of no kind: %v", name, err)
		case err == nil && (other != nil || !bytes.Equal(got, want)):
			t.Fatalf("%s: %d bytes, another decoder reads %d, error %v", name, len(got), len(want), other)
		case err != nil && other == nil && len(want) == size && size < 1<<20-1:
			t.Fatalf("%s: error %v, another decoder reads %d bytes", name, err, len(want))
		}
	})
}
