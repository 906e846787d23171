package trevni

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// javaFiles returns the files that the Java implementation wrote, by name.
func javaFiles(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("../testdata/trevni/*/*.trv")
	must(t, err)
	if len(paths) < 20 {
		t.Fatalf("%d fixtures found", len(paths))
	}
	files := map[string][]byte{}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		must(t, err)
		files[strings.TrimPrefix(filepath.ToSlash(p), "../testdata/trevni/")] = b
	}
	return files
}

// rewrite writes a file anew from its header, descriptors and blocks as they stand.
func rewrite(t testing.TB, r *Reader, file []byte) []byte {
	t.Helper()
	var blocks [][]Block
	var data [][]byte
	for i := range r.Header().Columns {
		bs, err := r.Blocks(i)
		must(t, err)
		blocks = append(blocks, bs)
		c := &r.columns[i]
		for b := range bs {
			at := c.index.at[b]
			data = append(data, file[at:at+int64(bs[b].Size)+int64(c.coding.Checksum.Size())])
		}
	}
	return write(t, r.Header(), blocks, data)
}

// TestJavaFiles reads every value that Java wrote, and writes each file again: it
// must be the same byte for byte, so that ours and Java's are laid out alike.
func TestJavaFiles(t *testing.T) {
	values := 0
	for name, file := range javaFiles(t) {
		t.Run(name, func(t *testing.T) {
			r := open(t, file, &ReaderOptions{Path: name})
			tb, err := readTable(r, 1<<24)
			must(t, err)
			for i := range tb.columns {
				for _, v := range tb.columns[i].values {
					values += len(v)
				}
			}
			if !bytes.Equal(rewrite(t, r, file), file) {
				t.Error("written again it differs")
			}
		})
	}
	if values < 10_000 {
		t.Errorf("only %d values", values)
	}
}

// TestJavaZeroChecksum reads a file whose checksums Java left zero.
func TestJavaZeroChecksum(t *testing.T) {
	file, err := os.ReadFile("../testdata/broken/java-1.12.1-null-crc32-of-zeros.trv")
	must(t, err)
	if _, err := readTable(open(t, file, nil), 1<<20); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "checksum mismatch") {
		t.Errorf("error is %v, want a checksum mismatch", err)
	}
	r := open(t, file, &ReaderOptions{ZeroChecksums: true})
	_, err = readTable(r, 1<<20)
	must(t, err)
	if r.Unchecked() == 0 {
		t.Error("no block is counted as unchecked")
	}
	// Any other wrong sum is still refused.
	bs, err := r.Blocks(0)
	must(t, err)
	file[r.columns[0].index.at[0]+int64(bs[0].Size)] = 1
	if _, err := r.ReadBlock(0, 0, nil); !errors.Is(err, ErrCorrupt) {
		t.Errorf("error is %v, want ErrCorrupt", err)
	}
}

// TestZeroChecksumNotElsewhere: zeros are let pass under codec null only.
func TestZeroChecksumNotElsewhere(t *testing.T) {
	file := small(t, "snappy", "crc32")
	r := open(t, file, &ReaderOptions{ZeroChecksums: true})
	bs, err := r.Blocks(0)
	must(t, err)
	end := r.columns[0].index.at[0] + int64(bs[0].Size)
	clear(file[end : end+4])
	if _, err := r.ReadBlock(0, 0, nil); !errors.Is(err, ErrCorrupt) || r.Unchecked() != 0 {
		t.Errorf("error is %v, want ErrCorrupt", err)
	}
}

// TestJavaFirstValues reads a file that Java wrote with trevni.values in all of its
// columns, of 530,000 rows: r%3 == 0, r/50000, "s" and r/50000, null. Java itself
// can't read the boolean one, which has two blocks.
func TestJavaFirstValues(t *testing.T) {
	file, err := os.ReadFile("testdata/java-1.12.1-values-deflate.trv")
	must(t, err)
	r := open(t, file, nil)
	if !bytes.Equal(rewrite(t, r, file), file) {
		t.Error("written again it differs")
	}
	tb, err := readTable(r, 1<<23)
	must(t, err)
	for row := range tb.rows {
		n := row / 50000
		for i, want := range []any{row%3 == 0, int32(n), fmt.Sprint("s", n), nil} {
			if got := tb.columns[i].values[row][0]; got != want {
				t.Fatalf("column %d row %d: %v, want %v", i, row, got, want)
			}
		}
	}
	for i := range tb.columns {
		bs, err := r.Blocks(i)
		must(t, err)
		row := 0
		for b := range bs {
			if want := tb.columns[i].first(row); !bytes.Equal(bs[b].FirstValue, want) {
				t.Errorf("column %d block %d: first value %x, want %x", i, b, bs[b].FirstValue, want)
			}
			row += int(bs[b].Rows)
		}
		if typ := tb.columns[i].Type; typ != Null && len(bs) < 2 {
			t.Errorf("column %d has %d blocks", i, len(bs))
		}
	}
}
