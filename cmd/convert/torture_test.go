package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"avro2trevni/internal/ocf"
	"avro2trevni/parquet/reader"
	"avro2trevni/trevni"
)

// kills is how many times a job is killed; KILLS asks for more.
func kills(t *testing.T) int {
	text := os.Getenv("KILLS")
	if text == "" {
		return 12
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("KILLS=%s: %v", text, err)
	}
	return n
}

// tortured is a job that is killed again and again.
type tortured struct {
	name  string
	args  []string
	out   string   // its output's name
	old   []string // of a job that was done before, and left an output: its arguments
	olds  int      // how often that was done, if not once, with other rows each time
	adds  bool     // whether the rows of before stay
	bare  bool     // whether it takes no input
	large bool     // whether the input is too large for the memory, so that it spills

	inputs []string
	was    []int64 // ids of the rows that are there before
	rows   []int64 // and of those that it is to leave
	parts  int     // files that it leaves
	took   time.Duration
	calls  int
}

// Options of outputs that are made in several runs.
var (
	oneByOne  = []string{"--if-exists", "append", "--file-size", "64KiB", "--block-size", "4KiB"}
	inOneFile = []string{"--if-exists", "append"}
	replaced  = []string{"--file-size", "32KiB", "--block-size", "1KiB"}
	inParquet = []string{"--format", "parquet", "--file-size", "100KiB", "--row-group-size", "64KiB", "--page-size", "4KiB"}
	summed    = append(slices.Clip(inParquet), "--if-exists", "append", "--summary")
)

func torturedJobs() []*tortured {
	return []*tortured{
		{name: "new folder", out: "out", args: []string{"--file-size", "64KiB", "--block-size", "4KiB", "--workers", "2"}},
		{name: "replaced folder", out: "out", old: replaced, args: []string{"--file-size", "100KiB", "--block-size", "4KiB", "--workers", "2", "--if-exists", "replace"}},
		{name: "new file", out: "out.trv", args: []string{"--workers", "2"}},
		{name: "replaced file", out: "out.trv", old: []string{}, args: []string{"--workers", "1", "--if-exists", "replace"}},
		{name: "append files", out: "out", old: oneByOne, olds: 2, adds: true, args: oneByOne},
		{name: "append a file", out: "out", old: inOneFile, olds: 3, adds: true, args: inOneFile},
		{name: "compact", out: "out", old: oneByOne, olds: 8, adds: true, bare: true, args: []string{"--compact"}},
		{name: "sorted", out: "out", old: replaced, args: []string{"--sort-by", "id", "--file-size", "64KiB", "--block-size", "4KiB", "--workers", "2", "--if-exists", "replace"}},
		{name: "partitions", out: "out", old: replaced, args: []string{"--partition-by", "part", "--file-size", "32KiB", "--block-size", "4KiB", "--workers", "2", "--if-exists", "replace"}},
		{name: "parquet folder", out: "out", old: replaced, args: append(slices.Clip(inParquet), "--workers", "2", "--if-exists", "replace", "--verify")},
		{name: "parquet file", out: "out.parquet", old: []string{}, args: []string{"--workers", "1", "--if-exists", "replace"}},
		{name: "parquet append", out: "out", old: summed, olds: 2, adds: true, args: summed},
		{name: "parquet compact", out: "out", old: summed, olds: 8, adds: true, bare: true, args: []string{"--compact"}},
		{name: "parquet partitions", out: "out", args: append(slices.Clip(inParquet), "--partition-by", "part", "--sort-by", "id")},
		{name: "spills", out: "out", old: replaced, large: true, args: []string{"--file-size", "4MiB", "--memory", "40MiB", "--workers", "1", "--if-exists", "replace"}},
	}
}

// ids returns n numbers from first on.
func ids(first, n int64) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = first + int64(i)
	}
	return all
}

// textOf returns what goes with an id: so each row shows whether it is torn.
func textOf(id int64, size int) string {
	r := rand.New(rand.NewPCG(uint64(id), 7))
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(' ' + r.IntN(90))
	}
	return string(b)
}

const textSize = 24

// writeRows writes a file of rows.
func writeRows(t *testing.T, name string, rows []int64) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := ocf.NewWriter(f, &ocf.WriterOptions{
		Schema: `{"type":"record","name":"r","fields":[{"name":"id","type":"long"},{"name":"text","type":"string"},{"name":"part","type":"int"}]}`, Codec: "snappy", BlockBytes: 16 << 10,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range rows {
		row := binary.AppendVarint(binary.AppendVarint(nil, id), textSize)
		if err := w.Append(append(append(row, textOf(id, textSize)...), byte(id%5*2)), 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// readRows checks every row of a file, and returns their ids.
func readRows(name string) ([]int64, error) {
	if filepath.Ext(name) == ".parquet" {
		return readParquet(name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	r, err := trevni.NewReader(f, info.Size(), nil)
	if err != nil {
		return nil, err
	}
	idColumn, err1 := r.Column(0)
	textColumn, err2 := r.Column(1)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	var all []int64
	for {
		var id [1]int64
		var text [1][]byte
		_, err1 := idColumn.ReadLongs(id[:])
		_, err2 := textColumn.ReadBytes(text[:])
		if err1 == io.EOF && err2 == io.EOF {
			return all, nil
		}
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		if string(text[0]) != textOf(id[0], textSize) {
			return nil, fmt.Errorf("%s: row %d is torn: %q", name, id[0], text[0])
		}
		all = append(all, id[0])
	}
}

// readParquet is readRows of a .parquet file.
func readParquet(name string) (all []int64, err error) {
	f, err := reader.OpenFile(name, nil)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for _, g := range f.RowGroups {
		var texts []string
		first := len(all)
		for leaf, take := range []func(v *reader.Values){
			func(v *reader.Values) {
				for b := v.Data; len(b) > 0; b = b[8:] {
					all = append(all, int64(binary.LittleEndian.Uint64(b)))
				}
			},
			func(v *reader.Values) {
				for i := range v.N {
					texts = append(texts, string(v.Data[v.Offsets[i]:v.Offsets[i+1]]))
				}
			},
		} {
			c, err := g.Column(leaf)
			var b reader.Batch
			for err == nil {
				if err = c.Next(&b); err == nil {
					take(&b.Values)
				}
			}
			if err != io.EOF {
				return nil, err
			}
		}
		if len(texts) != len(all)-first {
			return nil, fmt.Errorf("%s: %d ids and %d texts", name, len(all)-first, len(texts))
		}
		for i, text := range texts {
			if id := all[first+i]; text != textOf(id, textSize) {
				return nil, fmt.Errorf("%s: row %d is torn: %q", name, id, text)
			}
		}
	}
	return all, nil
}

// partFiles returns the part files of a folder of the output, or of those of a pattern.
func (j *tortured) partFiles(folder string) (names []string) {
	for _, ext := range []string{".trv", ".parquet"} {
		some, _ := filepath.Glob(filepath.Join(j.out, folder, "part-*"+ext)) // the pattern is legal
		names = append(names, some...)
	}
	return names
}

// visible returns the rows that a reader finds: nil if there is no complete output.
func (j *tortured) visible(t *testing.T) []int64 {
	t.Helper()
	names := []string{j.out}
	if filepath.Ext(j.out) == "" {
		if _, err := os.Stat(filepath.Join(j.out, "_SUCCESS")); err != nil {
			return nil
		}
		if names = append(j.partFiles("."), j.partFiles("part=*")...); len(names) == 0 {
			return []int64{}
		}
	} else if _, err := os.Stat(j.out); err != nil {
		return nil
	}
	var all []int64
	for _, name := range names {
		rows, err := readRows(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rows...)
	}
	if strings.Contains(names[len(names)-1], "part=") {
		slices.Sort(all) // in order within each folder
	}
	return all
}

// left returns what is there beside inputs and a complete output.
func (j *tortured) left(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		base := filepath.Base(path)
		if base == "_temporary" || base != "." && strings.HasPrefix(base, ".") {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// before is the name of a copy of the output that is there before the job.
func (j *tortured) before() string { return "before " + j.name + filepath.Ext(j.out) }

// prepare makes what is there before the job.
func (j *tortured) prepare(t *testing.T) {
	t.Helper()
	for i := range max(1, j.olds) {
		rows := ids(int64(900_000+10_000*i), 3000/int64(max(1, j.olds)))
		name := fmt.Sprintf("old %s %d.avro", j.name, i)
		writeRows(t, name, rows)
		j.was = append(j.was, rows...)
		if text, err := exec.Command("convert", append(slices.Clone(j.old), name, j.before())...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	if j.adds {
		j.rows = slices.Concat(j.was, j.rows)
	}
}

// begin sets the scene for a run: no output, or an old one.
func (j *tortured) begin(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(j.out); err != nil {
		t.Fatal(err)
	}
	var err error
	switch {
	case j.old == nil:
	case filepath.Ext(j.out) == "":
		err = os.CopyFS(j.out, os.DirFS(j.before()))
	default:
		var data []byte
		if data, err = os.ReadFile(j.before()); err == nil {
			err = os.WriteFile(j.out, data, 0o666)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// command is the job's, by one of its programs.
func (j *tortured) command(program string) *exec.Cmd {
	return exec.Command(program, slices.Concat(j.args, j.inputs, []string{j.out})...)
}

// files counts the files of the output.
func (j *tortured) files() int { return len(j.partFiles(".")) }

// run runs the job to its end, with or without deaths, and returns what it printed.
func (j *tortured) run(t *testing.T, program string) string {
	t.Helper()
	cmd := j.command(program)
	cmd.Env = append(os.Environ(), "DIE_AT=0")
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", j.name, err, text)
	}
	return string(text)
}

// measure learns how long the job takes, and how many calls of the storage it makes.
func (j *tortured) measure(t *testing.T) {
	t.Helper()
	for range 2 {
		j.begin(t)
		start := time.Now()
		text := j.run(t, "convert-mortal")
		j.took = time.Since(start)
		if _, err := fmt.Sscan(text, &j.calls); err != nil || j.calls < 10 {
			t.Fatalf("%s: %d calls: %s", j.name, j.calls, text)
		}
	}
	if !slices.Equal(j.visible(t), j.rows) {
		t.Fatalf("%s: a run that is not killed does not write the rows", j.name)
	}
	j.parts = j.files()
}

// kill runs the job, kills it at a random instant or before a random call of its storage,
// and returns whether it was in time, and when that was.
func (j *tortured) kill(t *testing.T, r *rand.Rand) (hit bool, when string) {
	t.Helper()
	cmd := j.command("convert-mortal")
	if r.IntN(2) == 0 {
		at := 1 + r.IntN(j.calls)
		cmd.Env = append(os.Environ(), fmt.Sprint("DIE_AT=", at))
		return cmd.Run() != nil, fmt.Sprint("before call ", at)
	}
	cmd.Env = append(os.Environ(), "DIE_AT=-1")
	var calls bytes.Buffer
	cmd.Stdout = &calls
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	after := time.Duration(r.Int64N(int64(j.took) * 11 / 10))
	time.Sleep(after)
	_ = cmd.Process.Kill()
	err := cmd.Wait()
	return err != nil, fmt.Sprintf("after %v, at call %d", after, calls.Len())
}

// Jobs are killed again and again: at random instants, and before random calls of their
// storage. Each time a reader sees the old output or the new one, every row of it, or that
// there is none; the lock is free, and the same command then ends with all rows and
// nothing left. KILLS says how often, JOBS which, by a part of their names, and SEED which
// draws; `make torture N=2000`, `JOBS=append make torture N=500`.
func TestTorture(t *testing.T) {
	t.Chdir(t.TempDir())
	seed := uint64(1)
	if os.Getenv("KILLS") != "" {
		seed = rand.Uint64()
	}
	if text := os.Getenv("SEED"); text != "" {
		if _, err := fmt.Sscan(text, &seed); err != nil {
			t.Fatalf("SEED=%s: %v", text, err)
		}
	}
	r := rand.New(rand.NewPCG(seed, 0))
	small, large := ids(0, 12_000), ids(0, 700_000)
	writeRows(t, "small.avro", small)
	all := slices.DeleteFunc(torturedJobs(), func(j *tortured) bool { return !strings.Contains(j.name, os.Getenv("JOBS")) })
	if testing.Short() || kills(t) < 100 {
		all = slices.DeleteFunc(all, func(j *tortured) bool { return j.large })
	} else {
		writeRows(t, "large.avro", large)
	}
	for _, j := range all {
		switch {
		case j.bare:
		case j.large:
			j.inputs, j.rows = []string{"large.avro"}, large
		default:
			j.inputs, j.rows = []string{"small.avro"}, small
		}
		if j.old != nil {
			j.prepare(t)
		}
		j.measure(t)
		t.Logf("%s: %v, %d calls", j.name, j.took, j.calls)
	}
	hits := map[string]int{}
	for i := range kills(t) {
		j := all[i%len(all)]
		if j.large && i%50 >= len(all) { // each takes as long as twenty of the others
			j = all[i%max(1, len(all)-1)]
		}
		j.begin(t)
		hit, when := j.kill(t, r)
		if hit {
			hits[j.name+", "+strings.Fields(when)[0]]++
		}
		what := fmt.Sprintf("seed %d, kill %d: %s, %s", seed, i, j.name, when)
		if seen := j.visible(t); seen != nil && !slices.Equal(seen, j.rows) && !(j.old != nil && slices.Equal(seen, j.was)) {
			t.Fatalf("%s: a reader sees %d rows, neither the old ones nor the new", what, len(seen))
		}
		if seen := j.visible(t); seen != nil && j.old == nil { // done, and killed then: it would be refused
			if err := os.RemoveAll(j.out); err != nil {
				t.Fatal(err)
			}
		}
		j.run(t, "convert")
		if seen := j.visible(t); !slices.Equal(seen, j.rows) || j.files() != j.parts {
			t.Fatalf("%s: after the next run %d rows in %d files, want %d in %d", what, len(seen), j.files(), len(j.rows), j.parts)
		}
		if names := j.left(t); len(names) > 0 {
			t.Fatalf("%s: after the next run there is left %v", what, names)
		}
	}
	total := 0
	for name, n := range hits {
		t.Logf("%d killed: %s", n, name)
		total += n
	}
	t.Logf("seed %d: %d of %d runs were killed before they ended", seed, total, kills(t))
	if total == 0 {
		t.Error("no run was killed: nothing was tried")
	}
}
