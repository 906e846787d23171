package readback

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"avro2trevni/internal/avrotest"
	"avro2trevni/internal/colsum"
)

// The digest of values is that of their PLAIN encoding, however they are given and cut; that of
// booleans, and of levels, is of a byte each.
func TestSummer(t *testing.T) {
	r := rand.New(rand.NewPCG(avrotest.Seed(t), 1))
	names := []string{"", "a", strings.Repeat("long", flushAt), "bcd"}
	for range 50 {
		n := r.IntN(3000)
		var plain, numbers, bits, data, levels []byte
		var indexes []int32
		offsets := []uint32{0}
		def, rep, one := make([]byte, n), make([]byte, n), make([]byte, n)
		bits = make([]byte, (n+7)/8)
		long := 0
		for i := range n {
			k := r.IntN(len(names))
			if k == 2 {
				if long++; long > 3 {
					k = 3
				}
			}
			plain = append(binary.LittleEndian.AppendUint32(plain, uint32(len(names[k]))), names[k]...)
			numbers = binary.LittleEndian.AppendUint32(numbers, uint32(k))
			indexes = append(indexes, int32(k))
			data = append(data, names[k]...)
			offsets = append(offsets, uint32(len(data)))
			one[i], def[i], rep[i] = byte(k&1), byte(k), byte(i&1)
			bits[i/8] |= one[i] << (i % 8)
			levels = append(levels, rep[i], def[i])
		}
		var want colsum.Sum
		want.Write(plain)
		cut := r.IntN(n + 1)
		for what, sum := range map[string]func(s *Summer){
			"plain":   func(s *Summer) { s.Plain(plain[:cut]); s.Plain(plain[cut:]) },
			"texts":   func(s *Summer) { s.Texts(data, offsets[:cut+1]); s.Texts(data, offsets[cut:]) },
			"indexed": func(s *Summer) { s.Indexed(Symbols(names), indexes[:cut]); s.Indexed(Symbols(names), indexes[cut:]) },
			"numbered": func(s *Summer) {
				s.Numbered(Symbols(names), numbers[:4*cut])
				s.Numbered(Symbols(names), numbers[4*cut:])
			},
		} {
			var s Summer
			sum(&s)
			if s.Values != want {
				t.Errorf("%d values, %s: %+v, want %+v", n, what, s.Values, want)
			}
		}
		var s, bare Summer
		s.Booleans(bits, n)
		s.Levels(def, rep)
		bare.Levels(def, nil)
		var trues, both, alone colsum.Sum
		trues.Write(one)
		both.Write(levels)
		alone.Write(def)
		if s.Values != trues || s.Lengths != both || bare.Lengths != alone {
			t.Errorf("%d booleans or levels have another digest", n)
		}
	}
}

// What is no file is an error, and not a panic.
func TestSumsOfNothing(t *testing.T) {
	for _, b := range []string{"", "PAR1", "PAR1PAR1", strings.Repeat("x", 100), "PAR1\x00\x00\x00\x00PAR1"} {
		if _, err := Sums(bytes.NewReader([]byte(b)), int64(len(b)), func(int64) {}); err == nil {
			t.Errorf("%q has digests", b)
		}
	}
}
