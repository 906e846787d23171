package mapper_test

import (
	"bytes"
	"slices"
	"testing"

	"avro2trevni/internal/avrotest"
	"avro2trevni/internal/schema"
	"avro2trevni/mapper"
)

// Values of every length are copied as they are, with much source after them or none, and into
// buffers that have room or must grow; what is no value is an error wherever it stands.
func TestValuesOfAllLengths(t *testing.T) {
	for _, b := range avrotest.Boundaries() {
		for _, text := range []string{b.Type, `["null",` + b.Type + `]`} {
			p := compileText(t, `{"type":"record","name":"r","fields":[{"name":"v","type":`+text+`}]}`)
			option := text != b.Type
			last := len(p.Columns()) - 1
			for i, v := range b.Values {
				var rows, want []byte
				n := 2 + 600/len(v) // the first buffer is smaller
				for range n {
					if option {
						rows = append(rows, 2)
					}
					rows = append(rows, v...)
					if p.Columns()[last].Kind == schema.Fixed {
						want = appendLength(want, len(v))
					}
					want = append(want, v...)
				}
				for _, window := range []int{0, max(1, len(v)/2)} {
					tuples, _ := run(t, p, mapper.Options{BlockSize: 1 << 20}, []testBlock{{rows: int64(n), data: rows}}, window)
					var got []byte
					for _, tp := range tuples {
						if int(tp.Column) == last {
							got = append(got, tp.Value...)
						}
					}
					if option {
						got = bytes.TrimPrefix(got, got[:len(got)-len(want)]) // the lengths of a run stand in front
					}
					if !bytes.Equal(got, want) {
						t.Fatalf("%.60s: value %d, windows of %d: %d bytes, want %d", text, i, window, len(got), len(want))
					}
				}
			}
			for i, bad := range b.Bad {
				if option {
					bad = append([]byte{2}, bad...)
				}
				for _, after := range []int{0, 100} {
					rows := slices.Concat(bad, make([]byte, after))
					m := newMapper(p, mapper.Options{}, &dropSink{})
					m.Begin(0)
					if _, _, done, err := m.Walk(rows, 0, len(rows), 1); err == nil {
						t.Errorf("%.60s: bad value %d: no error, %d rows", text, i, done)
					}
				}
			}
		}
	}
}

// appendLength appends what Trevni writes before the bytes of a fixed.
func appendLength(b []byte, n int) []byte {
	u := uint(n) << 1
	for ; u >= 0x80; u >>= 7 {
		b = append(b, byte(u)|0x80)
	}
	return append(b, byte(u))
}
