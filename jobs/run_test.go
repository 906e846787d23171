package jobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/linkedin/goavro/v2"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/jobs/publish"
	"avro2trevni/jobs/report"
	"avro2trevni/trevni"
)

// shapes are tables that differ in what is hard about them.
var shapes = map[string]struct {
	schema string
	rows   int
	row    func(r *rand.Rand, i int) map[string]any
}{
	"flat": {`{"type":"record","name":"flat","fields":[{"name":"id","type":"long"},{"name":"price","type":"double"},
		{"name":"name","type":"string"},{"name":"ok","type":"boolean"}]}`, 30000,
		func(r *rand.Rand, i int) map[string]any {
			return map[string]any{"id": int64(i), "price": r.Float64(), "name": words(r, 6), "ok": i%3 == 0}
		}},
	"nullable": {`{"type":"record","name":"nullable","fields":[{"name":"id","type":["null","long"]},
		{"name":"note","type":["string","null"]},{"name":"never","type":["null","int"]}]}`, 120000,
		func(r *rand.Rand, i int) map[string]any {
			row := map[string]any{"id": nil, "note": nil, "never": nil}
			if r.IntN(50) > 0 {
				row["id"] = goavro.Union("long", int64(i))
			}
			if i/1000%2 == 0 {
				row["note"] = goavro.Union("string", words(r, 4))
			}
			return row
		}},
	"nested": {`{"type":"record","name":"nested","fields":[{"name":"id","type":"long"},
		{"name":"items","type":{"type":"array","items":{"type":"record","name":"item","fields":[
			{"name":"sku","type":"string"},{"name":"sold","type":"boolean"},
			{"name":"tags","type":{"type":"array","items":"string"}}]}}},
		{"name":"attrs","type":{"type":"map","values":"int"}}]}`, 12000,
		func(r *rand.Rand, i int) map[string]any {
			items := make([]any, r.IntN(6))
			for k := range items {
				tags := make([]any, r.IntN(4))
				for t := range tags {
					tags[t] = words(r, 1)
				}
				items[k] = map[string]any{"sku": words(r, 2), "sold": r.IntN(2) == 0, "tags": tags}
			}
			return map[string]any{"id": int64(i), "items": items, "attrs": map[string]any{"a": r.IntN(99)}}
		}},
	"wide": {wideSchema(200), 1500,
		func(r *rand.Rand, i int) map[string]any {
			row := map[string]any{}
			for k := range 200 {
				row[fmt.Sprintf("c%d", k)] = r.Int64N(int64(1) << (1 + k%60))
			}
			return row
		}},
}

func wideSchema(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"record","name":"wide","fields":[`)
	for i := range n {
		fmt.Fprintf(&b, `{"name":"c%d","type":"long"},`, i)
	}
	return strings.TrimSuffix(b.String(), ",") + "]}"
}

func words(r *rand.Rand, n int) string {
	list := []string{"alpha", "bravo", "charlie", "delta", "echo", "foxtrot"}
	out := make([]string, n)
	for i := range out {
		out[i] = list[r.IntN(len(list))]
	}
	return strings.Join(out, " ")
}

// makeInput writes the rows [from, to) of a shape into a file.
func makeInput(t testing.TB, name, shape string, from, to int) {
	t.Helper()
	s := shapes[shape]
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := goavro.NewOCFWriter(goavro.OCFConfig{W: f, Schema: s.schema, CompressionName: "snappy"})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(uint64(from), 1))
	var rows []any
	for i := from; i < to; i++ {
		if rows = append(rows, s.row(r, i)); len(rows) == 200 {
			if err := w.Append(rows); err != nil {
				t.Fatal(err)
			}
			rows = rows[:0]
		}
	}
	if err := w.Append(rows); err != nil {
		t.Fatal(err)
	}
}

// convertWith runs a job with a shuffle of so many bytes (0: as planned).
func convertWith(t testing.TB, o Options, shuffleBytes int64) (*report.Report, error) {
	t.Helper()
	full := o.withDefaults()
	out, err := publish.Open(t.Context(), full.Publishing())
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := out.Close(); err != nil {
			t.Error(err)
		}
	}()
	j, err := planned(context.Background(), full, out, nil)
	if err != nil {
		return nil, err
	}
	if shuffleBytes > 0 {
		j.memory.Shuffle = shuffleBytes
		j.memory.Stage = 1
	}
	rep := newReport(j.plan, full, time.Now())
	return rep, run(context.Background(), j, rep)
}

// The bytes of the files follow from inputs and options, whatever the workers, the
// memory, the number of spills and of temporary folders.
func TestSameBytes(t *testing.T) {
	for shape, s := range shapes {
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			in := filepath.Join(dir, "in")
			if err := os.Mkdir(in, 0o777); err != nil {
				t.Fatal(err)
			}
			makeInput(t, filepath.Join(in, "a.avro"), shape, 0, s.rows)
			for i := range 5 { // small files, in one split
				makeInput(t, filepath.Join(in, fmt.Sprintf("b%d.avro", i)), shape, 10*i, 10*i+7)
			}
			var want []report.Output
			spilled := false
			for i, c := range []struct {
				workers, dirs int
				shuffle       int64
			}{{1, 0, 0}, {2, 0, 0}, {5, 0, 0}, {1, 1, 256 << 10}, {2, 1, 300 << 10}, {5, 2, 512 << 10}, {3, 3, 1 << 20}} {
				o := Options{
					Inputs: []string{in}, Output: filepath.Join(dir, fmt.Sprint("out", i)), Workers: c.workers, Memory: 512 << 20,
					SplitSize: 100_000, BlockSize: 4 << 10, FileSize: 150_000,
				}
				for k := range c.dirs {
					o.TempDirs = append(o.TempDirs, filepath.Join(dir, fmt.Sprint("temp", i, k)))
					if err := os.Mkdir(o.TempDirs[k], 0o777); err != nil {
						t.Fatal(err)
					}
				}
				rep, err := convertWith(t, o, c.shuffle)
				if err != nil {
					t.Fatalf("%+v: %v", c, err)
				}
				checkFiles(t, o, rep, s.rows+35)
				spilled = spilled || rep.Run.SpilledBytes > 0
				if i == 0 {
					want = rep.Outputs
				}
				for k := range want {
					if len(rep.Outputs) != len(want) || rep.Outputs[k] != want[k] {
						t.Fatalf("%+v: outputs differ:\ngot  %+v\nwant %+v", c, rep.Outputs, want)
					}
				}
				for _, d := range o.TempDirs {
					if left, _ := os.ReadDir(d); len(left) > 0 {
						t.Errorf("%+v: left in a temporary folder: %v", c, left)
					}
				}
			}
			if len(want) < 2 {
				t.Errorf("only %d files: nothing was cut", len(want))
			}
			if !spilled {
				t.Error("nothing was spilled: the bound of memory was not tried")
			}
		})
	}
}

// checkFiles checks that the files are as the report says, whole, and full.
func checkFiles(t *testing.T, o Options, rep *report.Report, rows int) {
	t.Helper()
	total := int64(0)
	for i, out := range rep.Outputs {
		total += out.Rows
		name := filepath.Join(o.Output, out.Path)
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() != out.Bytes || out.Bytes > o.FileSize {
			t.Errorf("%s has %d bytes, %d reported, %d allowed", name, info.Size(), out.Bytes, o.FileSize)
		}
		if got := rowsOf(t, name); got != out.Rows {
			t.Errorf("%s has %d rows, %d reported", name, got, out.Rows)
		}
		if last := i == len(rep.Outputs)-1; !last && float64(out.Bytes) < 0.5*float64(o.FileSize) {
			t.Errorf("%s is %d bytes of %d", name, out.Bytes, o.FileSize)
		}
	}
	if total != int64(rows) {
		t.Errorf("%d rows, want %d", total, rows)
	}
	names, err := os.ReadDir(o.Output)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) != len(rep.Outputs)+1 {
		t.Errorf("output holds %v", names)
	}
}

// rowsOf reads all blocks of a file, which checks their sums and sizes.
func rowsOf(t *testing.T, name string) int64 {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	r, err := trevni.NewReader(f, info.Size(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for c := range r.Header().Columns {
		blocks, err := r.Blocks(c)
		if err != nil {
			t.Fatal(err)
		}
		for i := range blocks {
			if _, err := r.ReadBlock(c, i, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	return int64(r.Header().Rows)
}

// A file that holds its own sync marker in its data, even before what looks like a
// block, is converted as any other.
func TestFalseMarkers(t *testing.T) {
	for _, name := range []string{"handmade-sync-in-data.avro", "handmade-false-block-in-data.avro"} {
		in := filepath.Join("..", "testdata", "avro", name)
		info, err := os.Stat(in)
		if err != nil {
			t.Fatal(err)
		}
		one, err := Convert(t.Context(), &Options{Inputs: []string{in}, Output: filepath.Join(t.TempDir(), "out")})
		if err != nil {
			t.Fatal(err)
		}
		for size := int64(1 << 10); size < info.Size(); size += 511 {
			rep, err := Convert(t.Context(), &Options{Inputs: []string{in}, Output: filepath.Join(t.TempDir(), "out"), SplitSize: size})
			if err != nil {
				t.Fatalf("%s in splits of %d: %v", name, size, err)
			}
			if rep.Counters.Rows != one.Counters.Rows || rep.Inputs[0].Rows != one.Counters.Rows {
				t.Errorf("%s in splits of %d: %d rows, %d of the input, want %d",
					name, size, rep.Counters.Rows, rep.Inputs[0].Rows, one.Counters.Rows)
			}
		}
	}
}

// An input that is written over while it is read is no damaged input: try again.
func TestChangedInput(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "a.avro"), filepath.Join(dir, "out")
	makeInput(t, in, "flat", 0, 20000)
	o := (&Options{Inputs: []string{in}, Output: out, SplitSize: 64 << 10}).withDefaults()
	output, err := publish.Open(t.Context(), o.Publishing())
	if err != nil {
		t.Fatal(err)
	}
	j, err := planned(t.Context(), o, output, nil)
	if err != nil {
		t.Fatal(err)
	}
	makeInput(t, in, "flat", 5, 100)
	err = run(t.Context(), j, newReport(j.plan, o, time.Now()))
	if !errors.Is(err, exit.ErrChanged) || exit.Code(err) != exit.StatusRetry || !strings.Contains(err.Error(), in) {
		t.Errorf("got %v, exit %d", err, exit.Code(err))
	}
	if err := output.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("output is left: %v", err)
	}
}

// Every byte of small files of each codec, changed: the same data or an error that
// names the file and an offset; where the bytes are covered by a checksum, never
// other data. Codec null and the header have none, nor has deflate: there other data
// may come out, as they would with any reader. FLIPS=all takes every byte, else some
// 400 of each file are tried.
func TestFlipEveryByte(t *testing.T) {
	for _, name := range []string{
		"fastavro-1.13.1-address-book.avro", "goavro-2.15.0-trades-snappy.avro", "java-1.12.1-maps-deflate.avro",
		"java-1.12.1-nested-snappy.avro", "fastavro-1.13.1-flat-zstandard.avro", "fastavro-1.13.1-events-xz.avro",
		"java-1.12.1-reused-types-bzip2.avro",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole, err := os.ReadFile(filepath.Join("..", "testdata", "avro", name))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			in := filepath.Join(dir, "in.avro")
			try := func(data []byte, n int) ([]byte, error) {
				if err := os.WriteFile(in, data, 0o666); err != nil {
					t.Fatal(err)
				}
				out := filepath.Join(dir, fmt.Sprint("out", n, ".trv"))
				defer os.Remove(out)
				if _, err := Convert(t.Context(), &Options{Inputs: []string{in}, Output: out, Workers: 1, Memory: 256 << 20}); err != nil {
					return nil, err
				}
				got, err := os.ReadFile(out)
				if err != nil {
					t.Fatal(err)
				}
				return got, nil
			}
			want, err := try(whole, 0)
			if err != nil {
				t.Fatal(err)
			}
			header := bytes.LastIndex(whole, whole[len(whole)-16:])
			header = bytes.Index(whole, whole[header:]) + 16
			step := 1 + len(whole)/400
			if os.Getenv("FLIPS") == "all" {
				step = 1
			}
			refused := 0
			for i := 0; i < len(whole); i += step {
				bad := bytes.Clone(whole)
				bad[i] ^= byte(1 + i%255)
				got, err := try(bad, i)
				switch {
				case err != nil:
					refused++
					if !strings.Contains(err.Error(), in) {
						t.Errorf("byte %d: the error does not name the file: %v", i, err)
					}
					if exit.Code(err) != exit.StatusFailed && exit.Code(err) != exit.StatusRefused {
						t.Errorf("byte %d: exit %d: %v", i, exit.Code(err), err)
					}
				case i >= header && strings.Contains(name, "snappy") && !bytes.Equal(got, want):
					t.Errorf("byte %d: other data, under a checksum", i)
				}
			}
			if refused == 0 {
				t.Error("no damage was noticed")
			}
		})
	}
}

// fullFS has no room for files of the output, and by the time that is known an input has
// changed.
type fullFS struct{ *storagetest.Mem }

// Create implements [storage.FS].
func (f fullFS) Create(name string, size int64) (storage.Writer, error) {
	if strings.HasSuffix(name, ".trv") {
		f.Write("/in.avro", "longer")
		return nil, fmt.Errorf("create %s: %w", name, syscall.ENOSPC)
	}
	return f.Mem.Create(name, size)
}

// An input that changed does not hide a failure that is not of the data, nor its exit status.
func TestChangedHidesNoFailure(t *testing.T) {
	m := storagetest.NewMem()
	data, _ := blocksOf(t, "snappy", 0, 30)
	m.Write("/in.avro", string(data))
	_, err := Convert(t.Context(), &Options{Inputs: []string{"/in.avro"}, Output: "/out", FS: fullFS{m}, TempDirs: []string{t.TempDir()}})
	wantExit(t, err, exit.StatusFailed, "no space left")
	if !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, exit.ErrChanged) {
		t.Errorf("one of the two is not told: %v", err)
	}
}
