package parquet

import (
	"bytes"
	"strings"
	"testing"
)

// TestPlace makes pages after something else, with room for them, and with almost enough: they
// are the same as without, and MaxPage is room enough not to allocate.
func TestPlace(t *testing.T) {
	for _, codec := range []string{"null", "snappy", "gzip", "zstd"} {
		for version := 1; version <= 2; version++ {
			c, _ := ParseCodec(codec)
			s := one(t, Column("", Repeated, ByteArray, Logical{}))
			v := strings1(repeat(300, 200, strings.Repeat("v", 20))...)
			v.Rows, v.Def, v.Rep = 200, bytes.Repeat([]byte{1}, 300), make([]byte, 300)
			for i := range 100 {
				v.Rep[3*i+1] = 1
			}
			var want []byte
			for _, less := range []int{1 << 20, 0, 1, 2, 50, 100, 150, 200, 1000} {
				e, err := NewEncoder(s, EncoderOptions{Codec: c, PageVersion: version, DictionaryBytes: -1})
				if err != nil {
					t.Fatal(err)
				}
				room := max(0, e.MaxPage(0, len(v.Data), 300, 300)-less)
				dst := append(make([]byte, 0, 5+room), "front"...)
				page, _, err := e.Page(dst, 0, v)
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = page
				}
				if !bytes.Equal(page, want) {
					t.Errorf("%s, version %d: with room for %d bytes the page is another", codec, version, room)
				}
				if less == 0 && &page[0] != &dst[0] {
					t.Errorf("%s, version %d: a page of %d bytes has no room in %d", codec, version, len(page), room)
				}
			}
		}
	}
}

// TestLargeValues shows that an encoder does not keep what large values took.
func TestLargeValues(t *testing.T) {
	s := one(t, Column("", Optional, ByteArray, Logical{}))
	e, err := NewEncoder(s, EncoderOptions{Codec: Codec{Name: "snappy"}, Modern: true})
	if err != nil {
		t.Fatal(err)
	}
	v := strings1(strings.Repeat("x", 20<<20))
	v.Def = []byte{1}
	if _, _, err := e.Page(nil, 0, v); err != nil {
		t.Fatal(err)
	}
	if n := e.Memory(); n > 1<<20 {
		t.Errorf("%d bytes are kept", n)
	}
}
