package trevni

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// faulty is a spill's file whose operations fail from the k-th on.
type faulty struct {
	spillFile
	ops, k int
	short  bool // writes and reads stop half way
	closed int
}

var errFault = errors.New("no disk today")

func (f *faulty) fail() bool {
	f.ops++
	return f.ops > f.k
}

func (f *faulty) WriteAt(p []byte, off int64) (int, error) {
	if !f.fail() {
		return f.spillFile.WriteAt(p, off)
	}
	if f.short {
		n, _ := f.spillFile.WriteAt(p[:len(p)/2], off)
		return n, errFault
	}
	return 0, errFault
}

func (f *faulty) ReadAt(p []byte, off int64) (int, error) {
	if !f.fail() {
		return f.spillFile.ReadAt(p, off)
	}
	if f.short {
		n, _ := f.spillFile.ReadAt(p[:len(p)/2], off)
		return n, errFault
	}
	return 0, errFault
}

func (f *faulty) Close() error {
	f.closed++
	if err := f.spillFile.Close(); err != nil || !f.fail() {
		return err
	}
	return errFault
}

// spilled builds the table with all blocks in a temporary file whose operations,
// its creation the first, fail from the k-th on. It returns the operations there were.
func (tb *table) spilled(t *testing.T, k int, short bool) (out []byte, ops int, err error) {
	t.Helper()
	var buf bytes.Buffer
	h := &Header{}
	for i := range tb.columns {
		h.Columns = append(h.Columns, tb.columns[i].Column)
	}
	b, err := NewWriter(&buf, h, &WriterOptions{BlockSize: 40, Memory: 1, TempDir: t.TempDir()})
	must(t, err)
	f := &faulty{k: k, short: short}
	create := b.spill.create
	b.spill.create = func() (spillFile, error) {
		if f.fail() {
			return nil, errFault
		}
		f.spillFile, err = create()
		return f, err
	}
	err = tb.give(b)
	if err == nil {
		err = b.Close()
	}
	if again := b.Abort(); again != nil && !errors.Is(again, errFault) {
		t.Errorf("Abort: %v", again)
	}
	if f.spillFile != nil && f.closed != 1 {
		t.Errorf("fault %d: the file was closed %d times", k, f.closed)
	}
	return buf.Bytes(), f.ops, err
}

// give gives all rows to a writer.
func (tb *table) give(b *Writer) error {
	for row := range tb.rows {
		for i := range tb.columns {
			if err := tb.columns[i].giveRow(b.Column(i), row); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestSpillFaults fails each operation on the temporary file, in turn: its creation,
// every write, every read, and its end.
func TestSpillFaults(t *testing.T) {
	tb := typed(Long, 40)
	want, ops, err := tb.spilled(t, 1<<30, false)
	must(t, err)
	if ops < 30 {
		t.Fatalf("only %d operations", ops)
	}
	for k := range ops {
		for _, short := range []bool{false, true} {
			_, _, err := tb.spilled(t, k, short)
			if !errors.Is(err, errFault) || !strings.Contains(err.Error(), "trevni: temporary file: ") {
				t.Errorf("operation %d fails: error is %v", k, err)
			}
		}
	}
	if got, _, err := tb.spilled(t, ops, false); err != nil || !bytes.Equal(got, want) {
		t.Errorf("none fails: %d bytes, want %d, error %v", len(got), len(want), err)
	}
}

// TestSpillHasNoName: where the system allows it, no name is left while the file is in
// use.
func TestSpillHasNoName(t *testing.T) {
	dir := t.TempDir()
	tb := typed(Long, 40)
	h := &Header{}
	for i := range tb.columns {
		h.Columns = append(h.Columns, tb.columns[i].Column)
	}
	b, err := NewWriter(&bytes.Buffer{}, h, &WriterOptions{BlockSize: 40, Memory: 1, TempDir: dir})
	must(t, err)
	must(t, tb.give(b))
	if b.spill.end == 0 {
		t.Fatal("nothing was spilled")
	}
	left, err := os.ReadDir(dir)
	must(t, err)
	if len(left) > 0 && runtime.GOOS != "windows" {
		t.Errorf("%s is there while it is in use", left[0].Name())
	}
	must(t, b.Abort())
}

// TestSpillOfKilledProcess builds in a process that is killed: it leaves no file.
func TestSpillOfKilledProcess(t *testing.T) {
	if dir := os.Getenv("TREVNI_SPILL_DIR"); dir != "" {
		tb := typed(Long, 4000)
		h := &Header{Columns: []Column{tb.columns[0].Column}}
		b, err := NewWriter(&bytes.Buffer{}, h, &WriterOptions{BlockSize: 40, Memory: 1, TempDir: dir})
		must(t, err)
		for row := range tb.rows {
			must(t, tb.columns[0].giveRow(b.Column(0), row))
		}
		fmt.Println("spilled", b.spill.end > 0)
		p, err := os.FindProcess(os.Getpid())
		must(t, err)
		must(t, p.Kill())
		select {}
	}
	if runtime.GOOS == "windows" {
		t.Skip("an open file keeps its name")
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSpillOfKilledProcess$")
	cmd.Env = append(os.Environ(), "TREVNI_SPILL_DIR="+dir)
	out, err := cmd.Output()
	if err == nil || !strings.Contains(string(out), "spilled true") {
		t.Fatalf("error is %v, output %q", err, out)
	}
	left, err := os.ReadDir(dir)
	must(t, err)
	if len(left) > 0 {
		t.Errorf("%s is left", left[0].Name())
	}
}
