package run

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"avro2trevni/bench/internal/report"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// Answer is what a conversion made, told so that two of them can be compared
// although their blocks and files are cut at different rows.
type Answer struct {
	Rows    int64          `json:"rows"`
	Columns []columnAnswer `json:"columns"`
}

// columnAnswer is a column's content, over all files of the output.
type columnAnswer struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Raw    int64  `json:"raw"`    // bytes before compression
	Digest string `json:"digest"` // of lengths and values, however runs and blocks are cut
	// Values tells that each row has one value, and that who wrote the file may have
	// noted lengths or not: the second half of the digest is the answer.
	Values bool `json:"values,omitempty"`

	digest  *digester
	parquet *parquetColumn // of a Parquet file; nil of Trevni
}

// AnswerVerb prints the answer that a file or folder of Trevni files holds. It is a
// process of its own, so that the harness stays small: see measure.
func AnswerVerb(_ context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("usage: answer FILE.trv | FOLDER")
	}
	a, err := readAnswer(args[0])
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(a)
}

func (h *Harness) AnswerOf(ctx context.Context, path string) (*Answer, error) {
	cmd := exec.CommandContext(ctx, h.Self, "answer", path)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	a := &Answer{}
	return a, json.Unmarshal(out, a)
}

// readAnswer reads a file of Trevni or Parquet, or those below a folder in the order
// of their paths, as one table.
func readAnswer(path string) (*Answer, error) {
	files, err := TableFiles(path)
	if err != nil {
		return nil, err
	}
	a := &Answer{}
	for _, name := range files {
		add := a.addFile
		if filepath.Ext(name) == ".parquet" {
			add = a.addParquet
		}
		if err := add(name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for i := range a.Columns {
		a.Columns[i].finish()
	}
	return a, nil
}

// TableFiles are the files of a table: path itself, or those below it. There is at
// least one.
func TableFiles(path string) (files []string, err error) {
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		ext := filepath.Ext(p)
		if err == nil && !d.IsDir() && (p == path || ext == ".trv" || ext == ".parquet") {
			files = append(files, p)
		}
		return err
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("bench: no files of a table below %s", path)
	}
	return files, err
}

func (a *Answer) addFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	r, err := trevni.NewReader(f, info.Size(), nil)
	if err != nil {
		return err
	}
	columns := r.Header().Columns
	if a.Columns == nil {
		for _, c := range columns {
			a.Columns = append(a.Columns, columnAnswer{Name: c.Name, Type: c.Type.String(), digest: newDigester(c)})
		}
	}
	if len(columns) != len(a.Columns) {
		return fmt.Errorf("%d columns, %d in the files before", len(columns), len(a.Columns))
	}
	a.Rows += int64(r.Header().Rows)
	return eachColumn(len(columns), func(i int) error {
		if err := a.Columns[i].add(r, i); err != nil {
			return fmt.Errorf("column %s: %w", columns[i].Name, err)
		}
		return nil
	})
}

// eachColumn calls do for n columns, as many at a time as there are processors.
func eachColumn(n int, do func(i int) error) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error { return do(i) })
	}
	return group.Wait()
}

// add takes in column i of a file.
func (c *columnAnswer) add(r *trevni.Reader, i int) error {
	blocks, err := r.Blocks(i)
	if err != nil {
		return err
	}
	var raw []byte
	for n, b := range blocks {
		if raw, err = r.ReadBlock(i, n, raw[:0]); err != nil {
			return err
		}
		c.Raw += int64(b.RawSize)
		if err := c.digest.block(raw, int(b.Rows)); err != nil {
			return fmt.Errorf("block %d: %w", n, err)
		}
	}
	return nil
}

// Same returns what differs between two answers, or nil.
func (a *Answer) Same(b *Answer) error {
	if a.Rows != b.Rows || len(a.Columns) != len(b.Columns) {
		return fmt.Errorf("answers differ: %d rows of %d columns, %d rows of %d", a.Rows, len(a.Columns), b.Rows, len(b.Columns))
	}
	for i, x := range a.Columns {
		y := b.Columns[i]
		if !x.same(y) {
			return fmt.Errorf("answers differ: column %d is %s %s %s, and %s %s %s", i, x.Name, x.Type, x.Digest, y.Name, y.Type, y.Digest)
		}
	}
	return nil
}

// same compares two columns. A nullable field's column is called FIELD/TYPE.
func (c *columnAnswer) same(d columnAnswer) bool {
	if !c.Values && !d.Values {
		return c.Name == d.Name && c.Type == d.Type && c.Digest == d.Digest
	}
	cName, _, _ := strings.Cut(c.Name, "/")
	dName, _, _ := strings.Cut(d.Name, "/")
	_, cValues, _ := strings.Cut(c.Digest, "-")
	_, dValues, _ := strings.Cut(d.Digest, "-")
	return cName == dName && c.Type == d.Type && cValues == dValues
}

func compareColumns(ours, theirs *Answer) []report.ColumnResult {
	all := make([]report.ColumnResult, len(ours.Columns))
	for i, c := range ours.Columns {
		all[i] = report.ColumnResult{Name: c.Name, Rows: ours.Rows, Ours: c.Raw, Theirs: theirs.Columns[i].Raw}
	}
	return all
}

// digester sums a column's lengths and values apart from how they were cut: equal
// lengths are counted over runs and blocks, bits are unpacked to a byte each.
type digester struct {
	column        trevni.Column
	lengths       hash.Hash
	values        hash.Hash
	length, count int // the run of equal lengths not yet summed
	bits          []byte
}

func newDigester(c trevni.Column) *digester {
	return &digester{column: c, lengths: sha256.New(), values: sha256.New()}
}

// block takes in a block, before compression, of rows of the table.
func (d *digester) block(raw []byte, rows int) error {
	switch {
	case d.column.Array:
		return d.array(raw)
	case d.column.Type != trevni.Boolean:
		d.values.Write(raw)
	case d.column.Parent != "":
		return errors.New("booleans in an array are not compared: their number stands in another column")
	default:
		d.unpack(raw, rows)
	}
	return nil
}

func (d *digester) array(raw []byte) error {
	var r block.LengthReader
	r.Reset(raw, d.column.Type)
	for r.Next() {
		if r.Length != d.length {
			d.flush()
			d.length = r.Length
		}
		d.count += r.Count
		switch {
		case d.column.Type != trevni.Boolean || r.Length == 1:
			d.values.Write(r.Data)
		case r.Length > 1:
			d.unpack(r.Data, r.Length)
		}
	}
	return r.Err()
}

func (d *digester) flush() {
	if d.count == 0 {
		return
	}
	var b []byte
	b = binary.AppendUvarint(b, uint64(d.length))
	b = binary.AppendUvarint(b, uint64(d.count))
	d.lengths.Write(b)
	d.count = 0
}

// unpack sums n booleans, packed with the least significant bit first.
func (d *digester) unpack(raw []byte, n int) {
	d.bits = d.bits[:0]
	for i := range min(n, 8*len(raw)) {
		d.bits = append(d.bits, raw[i/8]>>(i%8)&1)
	}
	d.values.Write(d.bits)
}

func (d *digester) sum() string {
	d.flush()
	return fmt.Sprintf("%x-%x", d.lengths.Sum(nil)[:8], d.values.Sum(nil)[:8])
}
