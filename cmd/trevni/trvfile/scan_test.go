package trvfile

import (
	"testing"

	"avro2trevni/cmd/trevni/tally"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// longs returns numbers as varints.
func longs(numbers ...int64) (b []byte) {
	for _, n := range numbers {
		b = block.AppendLong(b, n)
	}
	return b
}

// FuzzTally feeds bytes as values of each type.
func FuzzTally(f *testing.F) {
	for typ := trevni.Null; typ <= trevni.Bytes; typ++ {
		f.Add(uint8(typ), longs(5, 300, -1, 2), longs(3, 1, 2, 3, -4, 1, 2, 3))
	}
	f.Fuzz(func(t *testing.T, typ uint8, plain, array []byte) {
		kind := trevni.Type(typ % 10)
		if kind > trevni.Boolean {
			one := tally.Tally{Type: types[kind]}
			n := len(plain) // more than there are values
			if err := addValues(&one, kind, plain); err == nil {
				n = int(one.Values)
			}
			if size, err := block.SkipValues(plain, kind, n); one.Values > 0 && int(one.Values) == n && err == nil && size != len(plain) && kind != trevni.Int {
				t.Fatalf("%d values in %d bytes, not in %d", n, size, len(plain))
			}
		}
		two := tally.Tally{Type: types[kind]}
		var lengths block.LengthReader
		for lengths.Reset(array, kind); lengths.Next(); {
			if addRun(&two, kind, &lengths) != nil {
				return
			}
		}
	})
}
