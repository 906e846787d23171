package parquet

import (
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/avrotest"
	"avro2trevni/internal/ocf"
)

// block gives rows as one block, in one window.
type block struct {
	rows int64
	data []byte
}

func (b *block) Next() (ocf.Block, error) {
	if b.rows == 0 {
		return ocf.Block{}, io.EOF
	}
	n := b.rows
	b.rows = 0
	return ocf.Block{Rows: n, Size: int64(len(b.data))}, nil
}

func (b *block) Window(int) ([]byte, bool, error) { return b.data, true, nil }

// Values of every length become the model's, with much source after them or none; what is no
// value is an error wherever it stands.
func TestValuesOfAllLengths(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	for _, b := range avrotest.Boundaries() {
		for _, text := range []string{b.Type, `["null",` + b.Type + `]`} {
			sel := selection(t, `{"type":"record","name":"r","fields":[{"name":"v","type":`+text+`}]}`)
			l, err := Map(sel, Options{Binary: true})
			if err != nil {
				t.Fatal(err)
			}
			var rows [][]byte
			for _, v := range slices.Concat(b.Values, b.Values) {
				if text != b.Type {
					v = append([]byte{2}, v...)
				}
				rows = append(rows, v)
			}
			got, _, err := mapped(t, r, sel.Text().Schema, sel, l, rows)
			if err != nil {
				t.Fatalf("%.60s: %v", text, err)
			}
			want := shredded(l, sel, rows)
			if d := cmp.Diff(want, got.leaves); d != "" {
				t.Fatalf("%.60s, small windows: %s", text, d)
			}
			whole := &block{int64(len(rows)), slices.Concat(rows...)}
			if got, _, err = mappedBlocks(t, r, sel.Text().Schema, sel, l, whole); err != nil {
				t.Fatalf("%.60s: %v", text, err)
			}
			if d := cmp.Diff(want, got.leaves); d != "" {
				t.Fatalf("%.60s, one window: %s", text, d)
			}
			for i, bad := range b.Bad {
				if text != b.Type {
					bad = append([]byte{2}, bad...)
				}
				for _, after := range []int{0, 100} {
					if _, _, err := mapped(t, r, sel.Text().Schema, sel, l, [][]byte{append(slices.Clip(bad), make([]byte, after)...)}); err == nil {
						t.Errorf("%.60s: bad value %d: no error", text, i)
					}
				}
			}
		}
	}
}
