package interop

import (
	"path/filepath"
	"testing"
)

// The plain form is what Java's totrevni writes: no compression, no checksum.
var plain = []string{"--codec", "null", "--checksum", "null"}

// TestWeReadJavas compares each file that Java wrote with our own of the same rows:
// names, types and parents of the columns in order, and every value.
func TestWeReadJavas(t *testing.T) {
	avro := avroFixtures(t)
	eachJavaFile(t, func(t *testing.T, base, path string) {
		if base == missesRows {
			return // Java missed rows when it wrote this file
		}
		ours := convert(t, nil, []string{avro[base]}, filepath.Join(t.TempDir(), "ours.trv"))
		compareTables(t, readTable(t, ours[0]), readTable(t, path))
	})
}

// TestNoLargerThanJavas compares columns' sizes, blocks and descriptors, without
// compression: runs of lengths make nullable columns smaller, and nothing is larger.
func TestNoLargerThanJavas(t *testing.T) {
	avro := avroFixtures(t)
	files := byBase(t, filepath.Join(testdata, "trevni", "java-1.12.1-null", "*.trv"))
	smaller := 0
	for _, base := range sorted(files) {
		if base == missesRows || base == "handmade-long-varints" {
			continue // Java misses all rows of the one, and writes the other's padded numbers anew
		}
		ours := convert(t, plain, []string{avro[base]}, filepath.Join(t.TempDir(), "ours.trv"))
		got, want := columnSizes(t, ours[0]), columnSizes(t, files[base])
		for column, size := range want {
			if got[column] > size {
				t.Errorf("%s: column %q has %d bytes, Java's has %d", base, column, got[column], size)
			}
			if got[column] < size {
				smaller++
			}
		}
	}
	if smaller < 100 {
		t.Errorf("only %d columns are smaller than Java's", smaller)
	}
}

// columnSizes returns the bytes of each column: its count, descriptors and blocks.
func columnSizes(t *testing.T, path string) map[string]int64 {
	t.Helper()
	r := openTable(t, path)
	sizes := map[string]int64{}
	for i, c := range r.Header().Columns {
		blocks, err := r.Blocks(i)
		if err != nil {
			t.Fatal(err)
		}
		size := int64(4)
		for _, b := range blocks {
			size += 12 + int64(len(b.FirstValue)) + int64(b.Size)
		}
		sizes[c.Name] = size
	}
	return sizes
}
