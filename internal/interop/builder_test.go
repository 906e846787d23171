package interop

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/trevni"
)

// copier takes a column's rows from a reader to a builder, after its parent's.
type copier struct {
	trevni.Column
	from     *trevni.ColumnReader
	to       *trevni.ColumnWriter
	ends     map[uint64]bool // rows before which a block ends
	parent   int             // index of the parent's copier, -1 for none
	elements int             // that this row has, for the columns it is the parent of
}

// rebuild gives a file's rows to a Builder, value by value, and ends its blocks where
// they end there.
func rebuild(r *trevni.Reader, w io.Writer, opt *trevni.WriterOptions) error {
	h := r.Header()
	b, err := trevni.NewWriter(w, h, opt)
	if err != nil {
		return err
	}
	defer b.Abort()
	copiers := make([]*copier, len(h.Columns))
	for i, c := range h.Columns {
		from, err := r.Column(i)
		if err != nil {
			return err
		}
		blocks, err := r.Blocks(i)
		if err != nil {
			return err
		}
		copiers[i] = &copier{Column: c, from: from, to: b.Column(i), ends: ends(blocks), parent: h.Index(c.Parent)}
	}
	for row := range h.Rows {
		for _, c := range copiers {
			if err := c.row(row, copiers); err != nil {
				return fmt.Errorf("row %d: %w", row, err)
			}
		}
	}
	return b.Close()
}

// ends returns the rows that are the first of a block.
func ends(blocks []trevni.Block) map[uint64]bool {
	all, row := map[uint64]bool{}, uint64(0)
	for _, b := range blocks {
		all[row] = true
		row += uint64(b.Rows)
	}
	return all
}

// row copies a row.
func (c *copier) row(row uint64, all []*copier) error {
	if c.ends[row] {
		if err := c.to.EndBlock(); err != nil {
			return err
		}
	}
	if err := c.to.Row(); err != nil {
		return err
	}
	lengths := 1
	if c.parent >= 0 {
		lengths = all[c.parent].elements
	}
	c.elements = 0
	for range lengths {
		n := 1
		if c.Array {
			var length [1]int32
			if _, err := c.from.ReadLengths(length[:]); err != nil {
				return err
			}
			n = int(length[0])
			if err := c.to.Length(n); err != nil {
				return err
			}
		}
		c.elements += n
		for range n {
			if err := c.value(); err != nil {
				return err
			}
		}
	}
	return nil
}

// value copies a value. Avro has no fixed32 and no fixed64.
func (c *copier) value() error {
	switch c.Type {
	case trevni.Null:
		if _, err := c.from.ReadNulls(1); err != nil {
			return err
		}
		return c.to.Null()
	case trevni.Boolean:
		return move(c.from.ReadBooleans, c.to.Boolean)
	case trevni.Int:
		return move(c.from.ReadInts, c.to.Int)
	case trevni.Long:
		return move(c.from.ReadLongs, c.to.Long)
	case trevni.Float:
		return move(c.from.ReadFloats, c.to.Float)
	case trevni.Double:
		return move(c.from.ReadDoubles, c.to.Double)
	case trevni.String, trevni.Bytes:
		return move(c.from.ReadBytes, c.to.Bytes)
	}
	return fmt.Errorf("column %q of type %s", c.Name, c.Type)
}

func move[T any](read func([]T) (int, error), give func(T) error) error {
	var v [1]T
	if _, err := read(v[:]); err != nil {
		return err
	}
	return give(v[0])
}

// longer is a fixture whose numbers take more bytes than they need. The job copies
// them; a Writer has the values only.
const longer = "handmade-long-varints"

// TestWriterMakesTheJobsBytes converts each fixture, and gives its rows to a Writer
// that holds its blocks in memory (implementation note 1), and to one that puts them
// all into a file (note 2): the files are the job's, byte for byte. The job looks
// only every so many rows whether a block is full, so the Writer is told where they
// end.
func TestWriterMakesTheJobsBytes(t *testing.T) {
	dir := t.TempDir()
	avro := avroFixtures(t)
	for _, f := range []struct {
		name, level string
		flags       []string
	}{
		{"default", "", nil},
		{"small", "", []string{"--codec", "null", "--checksum", "crc-32", "--block-size", "1KiB"}},
		{"deflate", "9", []string{"--codec", "deflate:9", "--block-size", "4KiB"}},
		{"better", "better", []string{"--codec", "snappy:better", "--checksum", "null", "--block-size", "2KiB"}},
	} {
		blocks := 0
		for _, base := range sorted(avro) {
			if base == longer {
				continue
			}
			made := convert(t, f.flags, []string{avro[base]}, filepath.Join(dir, f.name+"-"+base+".trv"))
			want, err := os.ReadFile(made[0])
			if err != nil {
				t.Fatal(err)
			}
			r := openTable(t, made[0])
			blocks += blocksOf(t, r)
			for _, memory := range []int64{0, 1} {
				var got bytes.Buffer
				opt := &trevni.WriterOptions{BlockSize: 1 << 30, Level: f.level, Memory: memory, TempDir: dir}
				if err := rebuild(r, &got, opt); err != nil {
					t.Fatalf("%s/%s: %v", f.name, base, err)
				}
				if !bytes.Equal(got.Bytes(), want) {
					t.Errorf("%s/%s, memory %d: %d bytes that are not the job's %d", f.name, base, memory, got.Len(), len(want))
				}
			}
		}
		if blocks < 500 {
			t.Errorf("%s: only %d blocks", f.name, blocks)
		}
	}
}

func blocksOf(t *testing.T, r *trevni.Reader) (n int) {
	t.Helper()
	for i := range r.Header().Columns {
		blocks, err := r.Blocks(i)
		if err != nil {
			t.Fatal(err)
		}
		n += len(blocks)
	}
	return n
}

// TestJavaReadsBuiltFiles has Java compare the rows of files that a Builder wrote,
// those with maps among them.
func TestJavaReadsBuiltFiles(t *testing.T) {
	needTools(t, "java", "javac", "mvn")
	dir := t.TempDir()
	avro := avroFixtures(t)
	var jobs []job
	maps := 0
	for _, base := range sorted(avro) {
		made := convert(t, nil, []string{avro[base]}, filepath.Join(dir, "job-"+base+".trv"))
		built := filepath.Join(dir, base+".trv")
		buildFile(t, openTable(t, made[0]), built)
		if strings.Contains(base, "map") {
			maps++
		}
		jobs = append(jobs, job{"compare", base, []string{avro[base], built}})
	}
	if maps < 3 {
		t.Errorf("%d fixtures of maps", maps)
	}
	got := runJava(t, jobs)
	for _, j := range jobs {
		check(t, j.name, got[j.name], knownToFail[j.name])
	}
}

// buildFile rebuilds a file in blocks of 2 KiB, beside a temporary file.
func buildFile(t *testing.T, r *trevni.Reader, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := rebuild(r, f, &trevni.WriterOptions{BlockSize: 2 << 10, Memory: 4 << 10}); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
