package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"avro2trevni/bench/internal/report"
	"avro2trevni/bench/internal/run"
	"avro2trevni/record"
	"avro2trevni/trevni"
)

// probed is what it takes to read a Trevni table in three ways, on one thread.
type probed struct {
	Anatomy anatomy `json:"anatomy"`
	Scan    access  `json:"scan"`   // all columns whole, one after the other
	Column  access  `json:"column"` // one column whole
	Row     access  `json:"row"`    // the row in the middle of the file in the middle, all its columns
}

// access is reading by io.ReaderAt, counted.
type access struct {
	Seconds float64 `json:"seconds"`
	Reads   int64   `json:"reads"` // calls
	Seeks   int64   `json:"seeks"` // of them, those that didn't begin where the one before ended
	Bytes   int64   `json:"bytes"`
	Values  int64   `json:"values"`
}

// rowTimes is how often the row is read, from opening the file on; its time is the
// median.
const rowTimes = 31

// ProbeVerb is a process of its own, so that the harness stays small: see measure.
func ProbeVerb(_ context.Context, args []string) error {
	flags := flag.NewFlagSet("probe", flag.ContinueOnError)
	column := flags.String("column", "", "the column to read alone (default that of the median size)")
	parts := flags.String("parts", "scan,column,row", "what to measure of these, or none")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("usage: probe [-column NAME] FILE.trv | FOLDER")
	}
	p, err := probe(flags.Arg(0), *column, *parts)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(p)
}

// probe asks a process for what it takes to read the table at path.
func probeBy(ctx context.Context, h *run.Harness, path, column, parts string) (*probed, error) {
	cmd := exec.CommandContext(ctx, h.Self, "probe", "-column", column, "-parts", parts, path)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("bench: probe %s: %w", path, err)
	}
	p := &probed{}
	return p, json.Unmarshal(out, p)
}

func probe(path, column, parts string) (*probed, error) {
	files, err := run.TableFiles(path)
	if err != nil {
		return nil, err
	}
	p := &probed{}
	if p.Anatomy, err = anatomyOf(files); err != nil {
		return nil, err
	}
	if column == "" {
		if column, err = medianColumn(files[0]); err != nil {
			return nil, err
		}
	}
	if parts != "none" {
		if err := intoPageCache(files); err != nil {
			return nil, err
		}
	}
	for part := range strings.SplitSeq(parts, ",") {
		switch part {
		case "column":
			p.Column, err = timed(files, func(r *trevni.Reader) (int64, error) { return readNamed(r, column) })
		case "scan":
			p.Scan, err = timed(files, readAll)
		case "row":
			p.Row, err = timedRow(files[len(files)/2])
		case "none":
		default:
			err = fmt.Errorf("bench: probe has no part %q", part)
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// intoPageCache reads the files, for large ones are written past the page cache.
func intoPageCache(files []string) error {
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// timed opens the files one after the other and reads each with read.
func timed(files []string, read func(*trevni.Reader) (int64, error)) (a access, err error) {
	start := time.Now()
	for _, name := range files {
		if err := a.file(name, read); err != nil {
			return a, fmt.Errorf("%s: %w", name, err)
		}
	}
	a.Seconds = time.Since(start).Seconds()
	return a, nil
}

func timedRow(name string) (a access, err error) {
	var times []float64
	for range rowTimes {
		if a, err = timed([]string{name}, readMiddle); err != nil {
			return a, err
		}
		times = append(times, a.Seconds)
	}
	a.Seconds = report.Median(times)
	return a, nil
}

// file reads one file and adds up what that took.
func (a *access) file(name string, read func(*trevni.Reader) (int64, error)) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	r, err := trevni.NewReader(&countedReads{f: f, a: a, next: -1}, info.Size(), nil)
	if err != nil {
		return err
	}
	n, err := read(r)
	a.Values += n
	return err
}

// countedReads counts reads of one goroutine.
type countedReads struct {
	f    io.ReaderAt
	a    *access
	next int64 // where the last read ended; -1 before the first
}

func (c *countedReads) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.f.ReadAt(p, off)
	c.a.Reads++
	if off != c.next {
		c.a.Seeks++
	}
	c.next = off + int64(n)
	c.a.Bytes += int64(n)
	return n, err
}

// medianColumn names the column that has half the others below it in size, compressed.
func medianColumn(name string) (string, error) {
	f, err := trevni.OpenFile(name, nil)
	if err != nil {
		return "", err
	}
	defer f.Close()
	columns := f.Header().Columns
	if len(columns) == 0 {
		return "", fmt.Errorf("bench: %s has no columns", name)
	}
	sizes := make([]int64, len(columns))
	for i := range columns {
		blocks, err := f.Blocks(i)
		if err != nil {
			return "", err
		}
		for _, b := range blocks {
			sizes[i] += int64(b.Size)
		}
	}
	at := slices.Index(sizes, slices.Sorted(slices.Values(sizes))[len(sizes)/2])
	return columns[at].Name, nil
}

func readNamed(r *trevni.Reader, column string) (int64, error) {
	i := r.Header().Index(column)
	if i < 0 {
		return 0, fmt.Errorf("no column %q", column)
	}
	return readColumn(r, i)
}

func readAll(r *trevni.Reader) (values int64, err error) {
	for i := range r.Header().Columns {
		n, err := readColumn(r, i)
		if err != nil {
			return values, fmt.Errorf("column %s: %w", r.Header().Columns[i].Name, err)
		}
		values += n
	}
	return values, nil
}

// readColumn decodes all values of column i, without their lengths.
func readColumn(r *trevni.Reader, i int) (int64, error) {
	c, err := r.Column(i)
	if err != nil {
		return 0, err
	}
	const n = 4096
	switch r.Header().Columns[i].Type {
	case trevni.Null:
		return count(func() (int, error) { return c.ReadNulls(n) })
	case trevni.Boolean:
		return into(make([]bool, n), c.ReadBooleans)
	case trevni.Int:
		return into(make([]int32, n), c.ReadInts)
	case trevni.Long:
		return into(make([]int64, n), c.ReadLongs)
	case trevni.Fixed32:
		return into(make([]uint32, n), c.ReadFixed32s)
	case trevni.Fixed64:
		return into(make([]uint64, n), c.ReadFixed64s)
	case trevni.Float:
		return into(make([]float32, n), c.ReadFloats)
	case trevni.Double:
		return into(make([]float64, n), c.ReadDoubles)
	default:
		return into(make([][]byte, n), c.ReadBytes)
	}
}

func into[T any](dst []T, read func([]T) (int, error)) (int64, error) {
	return count(func() (int, error) { return read(dst) })
}

// count reads to the end and adds up.
func count(read func() (int, error)) (all int64, err error) {
	for {
		n, err := read()
		all += int64(n)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
	}
}

// readMiddle assembles the row in the middle.
func readMiddle(f *trevni.Reader) (int64, error) {
	if f.Header().Rows == 0 {
		return 0, nil
	}
	r, err := record.NewReader(f, nil)
	if err != nil {
		return 0, err
	}
	if err := r.SeekRow(r.NumRows() / 2); err != nil {
		return 0, err
	}
	_, n, err := r.ReadRows(nil, 1)
	return int64(n), err
}
