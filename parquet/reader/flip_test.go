package reader

import (
	"math/rand/v2"
	"slices"
	"testing"

	"avro2trevni/parquet"
)

// TestFlippedBytes changes every byte of small files in turn. In a page's body the checksum finds
// it. Elsewhere the file is refused, or its values are read as they were: only names can be others.
func TestFlippedBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(seedOf(t), 9))
	for _, o := range []parquet.EncoderOptions{versions()[1], versions()[2]} {
		file, _ := randomFile(t, r, o, parquet.WriterOptions{}, 1, 2, 8)
		body := bodies(t, file)
		_, want, err := readAllColumns(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		var renamed, outside int
		for at := range file {
			changed := slices.Clone(file)
			changed[at] ^= 1 << r.IntN(8)
			_, got, err := readAllColumns(changed, nil)
			switch {
			case err != nil && !known(err):
				t.Fatalf("byte %d: %v", at, err)
			case err == nil && body[at]:
				t.Errorf("byte %d of a page was changed: it was not found", at)
			case !body[at]:
				if outside++; err == nil && !slices.Equal(got, want) {
					renamed++
				}
				if err == nil && !slices.EqualFunc(got, want, func(a, b [3]any) bool { return a[1] == b[1] && a[2] == b[2] }) {
					t.Errorf("byte %d was changed: other values were read: %v, not %v", at, got, want)
				}
			}
		}
		t.Logf("v%d %q: %d of %d bytes are in pages: all found; %d of %d others gave columns other names",
			o.PageVersion, o.Codec.Name, len(file)-outside, len(file), renamed, outside)
	}
}

// bodies returns which bytes of a file are those of pages with checksums.
func bodies(t *testing.T, file []byte) []bool {
	t.Helper()
	in := make([]bool, len(file))
	for _, group := range open(t, file, nil).RowGroups {
		for _, chunk := range group.Chunks {
			p, err := chunk.Pages()
			if err != nil {
				t.Fatal(err)
			}
			for h, err := p.Next(); err == nil; h, err = p.Next() {
				for at := h.Offset + int64(h.Length); at < h.End(); at++ {
					in[at] = h.Checked
				}
			}
		}
	}
	return in
}

// TestCutFiles cuts small files at every length, and small files of other writers.
func TestCutFiles(t *testing.T) {
	for _, file := range smallFiles(t) {
		for n := range file {
			readSome(t, file[:n], &fuzzLimits)
			if n > 8 { // with a footer that ends where the file does
				cut := append(slices.Clone(file[:n-8]), file[len(file)-8:]...)
				readSome(t, cut, &fuzzLimits)
			}
		}
	}
}
