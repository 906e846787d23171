package trevni

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// sweepBudget is the most values taken from a file that may be anything.
const sweepBudget = 1 << 14

// paths are the ways to read a column from its first row on, or in its middle.
var paths = []struct {
	name string
	fits func(c *Column) bool
	read func(c *ColumnReader, rows uint64) stream
}{
	{"by value", func(c *Column) bool { return c.Parent == "" }, func(c *ColumnReader, _ uint64) stream {
		return byNext(c, sweepBudget)
	}},
	{"in batches", anyColumn, func(c *ColumnReader, _ uint64) stream { return byValues(c, 5, sweepBudget) }},
	{"by lengths", func(c *Column) bool { return c.Array }, func(c *ColumnReader, _ uint64) stream {
		return byLengths(c, 5, sweepBudget)
	}},
	{"from the middle", anyColumn, func(c *ColumnReader, rows uint64) stream {
		if err := c.SeekRow(rows / 2); err != nil {
			return stream{err: err}
		}
		return byValues(c, 3, sweepBudget)
	}},
	{"some rows", anyColumn, func(c *ColumnReader, rows uint64) stream {
		if err := c.SeekRows(rows/3, rows-rows/3); err != nil {
			return stream{err: err}
		}
		if c.c.Array {
			return byLengths(c, 4, sweepBudget)
		}
		return byValues(c, 4, sweepBudget)
	}},
}

func anyColumn(*Column) bool { return true }

// readings is what each path gives of each column of a file, by column and path.
type readings struct {
	header *Header
	size   int64 // of the header
	got    map[string]stream
}

// readPaths reads a file of which size bytes are said to be there, in all ways. A
// fresh reader is made for each column, so that none profits from another's.
func readPaths(file []byte, size int) (*readings, error) {
	opt := &ReaderOptions{Path: "sweep.trv", MaxBlockRaw: 1 << 20, MaxHeader: 1 << 20}
	r, err := NewReader(bytes.NewReader(file), int64(size), opt)
	if err != nil {
		return nil, err
	}
	all := &readings{r.Header(), r.HeaderSize(), map[string]stream{}}
	for i := range r.Header().Columns {
		column := &r.Header().Columns[i]
		for _, p := range paths {
			if !p.fits(column) {
				continue
			}
			c, err := r.Column(i)
			s := stream{err: err}
			if err == nil {
				s = p.read(c, r.Header().Rows)
			}
			all.got[fmt.Sprint(column.Name, " ", p.name)] = s
		}
	}
	return all, nil
}

// placed reports what is wrong with an error of a bad file of a size: it must be of a
// kind that bytes may give, and tell file and place.
func placed(err error, size int) error {
	var e *Error
	switch {
	case errors.Is(err, errBudget):
		return nil
	case !ours(err):
		return fmt.Errorf("error of no kind: %w", err)
	case !errors.As(err, &e):
		return fmt.Errorf("error without a place: %w", err)
	case e.Path != "sweep.trv" || e.Offset < 0 || e.Offset > int64(size):
		return fmt.Errorf("error at %d of %q, of %d bytes: %w", e.Offset, e.Path, size, err)
	}
	return nil
}

// sweepFiles are small files: ours of each codec, and Java's. Those of more than 1200
// bytes, 4000 with FLIPS=all, or too many values, are left out.
func sweepFiles(t *testing.T) map[string][]byte {
	most := 1200
	if os.Getenv("FLIPS") == "all" {
		most = 4000
	}
	files := map[string][]byte{
		"ours null crc-32":  small(t, "null", "crc-32"),
		"ours snappy crc32": small(t, "snappy", "crc32"),
		"ours deflate null": small(t, "deflate", "null"),
	}
	for name, file := range javaFiles(t) {
		if len(file) > most {
			continue
		}
		all, err := readPaths(file, len(file))
		must(t, err)
		if _, err := all.against(all); !errors.Is(err, errBudget) {
			must(t, err)
			files[name] = file
		}
	}
	return files
}

// summed tells of each byte of a file whether it is a block's that has a checksum, or
// of the sum.
func summed(t *testing.T, file []byte) []bool {
	r := open(t, file, nil)
	in := make([]bool, len(file))
	for i := range r.Header().Columns {
		at, err := r.BlockOffsets(i)
		must(t, err)
		for b := at[0]; b < at[len(at)-1] && r.columns[i].coding.Checksum != ChecksumNull; b++ {
			in[b] = true
		}
	}
	return in
}

// TestFlipsOnAllPaths changes every byte of small files, ours and Java's, and reads
// them in all ways: a column is what it was, or there is an error with its place, or
// no checksum covers the byte.
func TestFlipsOnAllPaths(t *testing.T) {
	flips := []byte{0x01, 0x80, 0xff}
	for name, file := range sweepFiles(t) {
		want, err := readPaths(file, len(file))
		must(t, err)
		sums, refused := summed(t, file), 0
		for i := range file {
			for _, flip := range flips {
				bad := bytes.Clone(file)
				bad[i] ^= flip
				got, err := readPaths(bad, len(bad))
				if err == nil {
					var other []string
					if other, err = got.against(want); len(other) > 0 && sums[i] {
						t.Fatalf("%s: byte %d ^ %#x: other data and no error: %s", name, i, flip, strings.Join(other, ", "))
					}
				}
				if err == nil {
					continue
				}
				refused++
				if err := placed(err, len(bad)); err != nil {
					t.Fatalf("%s: byte %d ^ %#x: %v", name, i, flip, err)
				}
			}
		}
		t.Logf("%s: %d of %d changes refused", name, refused, len(file)*len(flips))
		if strings.Contains(name, "crc") && refused < len(file)*len(flips)/4 {
			t.Errorf("%s: only %d of %d changes refused", name, refused, len(file)*len(flips))
		}
	}
}

// against returns which readings ended well and gave other data than want, and an
// error of one that did not, if there is one.
func (r *readings) against(want *readings) (other []string, failed error) {
	for what, s := range r.got {
		if s.err != io.EOF {
			failed = s.err
		} else if w, ok := want.got[what]; ok && !s.same(w) {
			other = append(other, what)
		}
	}
	return other, failed
}

// same reports whether two streams that ended well are the same, bit for bit.
func (s stream) same(o stream) bool {
	return slices.Equal(s.lengths, o.lengths) && slices.EqualFunc(s.values, o.values, func(a, b any) bool {
		if x, ok := a.(bool); ok {
			return x == b.(bool)
		}
		return bytes.Equal(appendValue(nil, a), appendValue(nil, b))
	})
}

// TestCutsOnAllPaths cuts small files at every length, those whose size tells and
// those that are shorter than their size, as when they are cut while they are read:
// what was read of a column in some way is what it was, and not all can be read.
func TestCutsOnAllPaths(t *testing.T) {
	for name, file := range sweepFiles(t) {
		want, err := readPaths(file, len(file))
		must(t, err)
		for n := range file {
			for _, size := range []int{n, len(file)} {
				got, err := readPaths(file[:n], size)
				if err == nil {
					var other []string
					if other, err = got.against(want); len(other) > 0 {
						t.Fatalf("%s: %d of %d bytes: other data: %s", name, n, size, strings.Join(other, ", "))
					}
				}
				if !errors.Is(err, ErrCorrupt) {
					t.Fatalf("%s: %d of %d bytes: error is %v, want ErrCorrupt", name, n, size, err)
				}
				if err := placed(err, size); err != nil {
					t.Fatalf("%s: %d of %d bytes: %v", name, n, size, err)
				}
			}
		}
	}
}
