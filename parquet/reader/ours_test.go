package reader

import (
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"avro2trevni/parquet"
)

// TestOwnFiles reads what the writer of this module writes, with all its options, in batches
// of several sizes.
func TestOwnFiles(t *testing.T) {
	seed := seedOf(t)
	for _, codec := range []string{"", "snappy", "gzip", "zstd"} {
		for _, version := range []int{1, 2} {
			for _, how := range []string{"compatible", "modern", "plain"} {
				name := fmt.Sprintf("codec=%s/v%d/%s", codec, version, how)
				t.Run(name, func(t *testing.T) {
					o := parquet.EncoderOptions{Codec: parquet.Codec{Name: codec}, PageVersion: version, Modern: how == "modern"}
					if how != "compatible" {
						o.DictionaryBytes = -1
					}
					r := rand.New(rand.NewPCG(seed, 1))
					file, want := randomFile(t, r, o, parquet.WriterOptions{}, 2, 3, 200)
					for _, ro := range []*Options{nil, {BatchEntries: 7}, {BatchBytes: 50, ReadAhead: 1}, {BatchEntries: 1, BatchBytes: 1}} {
						same(t, open(t, file, ro), want)
					}
				})
			}
		}
	}
}

// same compares all columns of a file.
func same(t *testing.T, f *File, want [][]entries) {
	t.Helper()
	if len(f.RowGroups) != len(want) {
		t.Fatalf("%d row groups, not %d", len(f.RowGroups), len(want))
	}
	for g, group := range f.RowGroups {
		for i, chunk := range group.Chunks {
			c, err := chunk.Column()
			if err != nil {
				t.Fatal(err)
			}
			got, err := collect(c)
			if err != io.EOF {
				t.Fatal(err)
			}
			if d := got.equal(&want[g][i]); d != "" {
				t.Errorf("row group %d, column %s: %s", g, chunk.Leaf, d)
			}
		}
	}
}
