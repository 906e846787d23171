package parquet

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/rle"
)

// FuzzLevels writes levels as runs, and reads them back: with the library, and with a reader of
// a few lines that was written from the specification.
func FuzzLevels(f *testing.F) {
	f.Add([]byte{0, 1, 0, 1}, byte(1))
	f.Add(bytes.Repeat([]byte{3}, 100), byte(3))
	f.Add(append(bytes.Repeat([]byte{0}, 17), 5, 4, 3, 2, 1, 0, 0, 0, 0), byte(5))
	f.Fuzz(func(t *testing.T, levels []byte, most byte) {
		if most == 0 || len(levels) == 0 {
			return
		}
		for i := range levels {
			levels[i] %= byte(max(1, (int(most)+1)&0xff))
		}
		b, err := appendLevels([]byte("front"), levels, int(most), true)
		if err != nil {
			t.Fatal(err)
		}
		if string(b[:5]) != "front" || int(binary.LittleEndian.Uint32(b[5:])) != len(b)-9 {
			t.Fatalf("%x", b)
		}
		width := bits.Len8(most)
		if got := readRuns(t, b[9:], width, len(levels)); !bytes.Equal(got, levels) {
			t.Fatalf("%x, want %x", got, levels)
		}
		enc := rle.Encoding{BitWidth: width}
		if got, err := enc.DecodeLevels(nil, b[9:]); err != nil || !bytes.Equal(got[:len(levels)], levels) {
			t.Fatalf("%x, %v; want %x", got, err, levels)
		}
	})
}

// readRuns reads n numbers of up to 8 bits (Encodings.md, "RLE/Bit-Packing Hybrid").
func readRuns(t *testing.T, b []byte, width, n int) []byte {
	t.Helper()
	var got []byte
	for len(b) > 0 {
		head, size := binary.Uvarint(b)
		if size <= 0 {
			t.Fatal("no run")
		}
		b = b[size:]
		if head&1 == 0 {
			got = append(got, bytes.Repeat(b[:1], int(head>>1))...)
			b = b[1:]
			continue
		}
		packed := int(head>>1) * width
		for i := range int(head>>1) * 8 {
			v := byte(0)
			for bit := range width {
				at := i*width + bit
				v |= b[at/8] >> (at % 8) & 1 << bit
			}
			got = append(got, v)
		}
		b = b[packed:]
	}
	if len(got) < n {
		t.Fatalf("%d numbers, want %d", len(got), n)
	}
	return got[:n]
}

func TestHistogram(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for most := 1; most <= maxLevel; most++ {
		levels := make([]byte, 300)
		want := make([]int64, most+1)
		for i := range levels {
			levels[i] = byte(r.IntN(most + 1))
			want[levels[i]]++
		}
		if got, err := histogram(levels, most); err != nil || !slices.Equal(got, want) {
			t.Fatalf("up to %d: %v, %v; want %v", most, got, err, want)
		}
		if most == maxLevel {
			break
		}
		levels[7] = byte(most + 1)
		if got, err := histogram(levels, most); err == nil {
			t.Fatalf("up to %d, and one higher: %v", most, got)
		}
	}
}
