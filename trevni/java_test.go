package trevni

import (
	"bytes"
	"errors"
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
			data = append(data, file[at:at+int64(bs[b].Size)+int64(c.sum.Size())])
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
