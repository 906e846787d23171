package parquettest

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Source is an Avro file.
type Source struct {
	Name string // a part of the names of files
	Avro string // path
	All  bool   // all logical types are written, not the portable ones alone
}

// File is a Parquet file, and the rows that it is to hold.
type File struct {
	Name    string // a part of the names of files
	Parquet string // path
	Want    string // path of the rows, in canonical form

	Parts []string // paths, if the rows are in several files; else nil
}

// parts returns the paths of the files that have the rows.
func (f File) parts() []string {
	if f.Parts == nil {
		return []string{f.Parquet}
	}
	return f.Parts
}

// Readers are the names of the readers that [Check] has read files, More those that it has read
// them with PARQUET_READERS=all in the environment: they take half a gigabyte. Two do not give
// rows: footers compares what pyarrow finds in footers with the values, filters the rows that
// parquet-java finds by a value with those that have it.
var (
	Readers = []string{"pyarrow", "duckdb", "polars", "parquet-java", "parquet-avro", "parquet-go", "arrow-go", "footers", "filters"}
	More    = []string{"datafusion", "spark"}
)

// reader is how a reader is run.
type reader struct {
	tool
	args []string
	allowance
	alone bool // it compares by itself
}

// fastavro makes the rows that are expected, rowsPy reads files.
var (
	fastavro = python("expect.py", required)
	rowsPy   = python("rows.py", required)
	rowsMore = python("rows.py", required, "more.txt")
	rowsJava = java("Rows.java")
)

// required has the packages of Python without which nothing is compared.
const required = "requirements.txt"

var readers = map[string]reader{
	"pyarrow":      {tool: rowsPy, args: []string{"pyarrow"}},
	"duckdb":       {tool: rowsPy, args: []string{"duckdb"}, allowance: allowance{renames: true}},
	"polars":       {tool: rowsPy, args: []string{"polars"}},
	"parquet-java": {tool: rowsJava, args: []string{"parquet-java"}},
	"parquet-avro": {tool: rowsJava, args: []string{"parquet-avro"}, allowance: allowance{unscaled: true, mapped: true}},
	"parquet-go":   {tool: golang, args: []string{"parquet-go"}},
	"arrow-go":     {tool: golang, args: []string{"arrow-go"}},
	"footers":      {tool: python("footers.py", required), alone: true},
	"filters":      {tool: java("Filters.java"), alone: true},
	"datafusion":   {tool: rowsMore, args: []string{"datafusion"}},
	"spark":        {tool: rowsMore, args: []string{"spark"}},
}

// Expect has fastavro read sources, and writes their rows into dir, as Parquet files of them are
// to hold them. The File of a source has its name, and a path in dir for a Parquet file, which is
// not there: the caller makes it. It skips the test where there is no Python.
func Expect(t testing.TB, dir string, sources ...Source) []File {
	t.Helper()
	return expect(t, dir, sources, false)
}

// Written is Expect, and has pyarrow write the Parquet files, by the mapping of
// python/mapping.py.
func Written(t testing.TB, dir string, sources ...Source) []File {
	t.Helper()
	return expect(t, dir, sources, true)
}

func expect(t testing.TB, dir string, sources []Source, write bool) (files []File) {
	t.Helper()
	var jobs []job
	for _, s := range sources {
		logical := "portable"
		if s.All {
			logical = "all"
		}
		f := File{Name: s.Name, Parquet: filepath.Join(dir, s.Name+".parquet"), Want: filepath.Join(dir, s.Name+".rows")}
		files = append(files, f)
		j := job{s.Name, []string{s.Avro, f.Want, logical}}
		if write {
			j.args = append(j.args, f.Parquet)
		}
		jobs = append(jobs, j)
	}
	answers, err := run(t.Context(), fastavro, nil, jobs)
	if err != nil {
		missing(t, err)
		t.SkipNow()
	}
	for _, j := range jobs {
		if err := answers[j.name].err; err != nil {
			t.Fatalf("%s: expected rows: %v", j.name, err)
		}
	}
	return files
}

// missing says what cannot be had, and with CI=true fails the test.
func missing(t testing.TB, err error) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("CI=true, and %v", err)
	}
	t.Logf("left out: %v", err)
}

// Check has all readers that can be had read files, whose names must differ, and compares the
// rows.
func Check(t testing.TB, files []File) *Report {
	t.Helper()
	names := Readers
	if os.Getenv("PARQUET_READERS") == "all" {
		names = slices.Concat(Readers, More)
	}
	r := &Report{files: files, found: map[string]map[string]error{}}
	dir := t.TempDir()
	found, errs := make([]map[string]error, len(names)), make([]error, len(names))
	var all sync.WaitGroup
	atOnce := make(chan struct{}, 2)
	for i, name := range names {
		all.Go(func() {
			atOnce <- struct{}{}
			defer func() { <-atOnce }()
			found[i], errs[i] = readers[name].check(t, filepath.Join(dir, name), files)
		})
	}
	all.Wait()
	for i, name := range names {
		if errs[i] != nil {
			missing(t, fmt.Errorf("%s: %w", name, errs[i]))
			continue
		}
		r.readers = append(r.readers, name)
		r.found[name] = found[i]
	}
	if len(r.readers) == 0 {
		t.Skip("no reader of Parquet files can be had: nothing was compared")
	}
	return r
}

// check returns by the files' names what differs, nil if nothing does.
func (r reader) check(t testing.TB, dir string, files []File) (map[string]error, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	var jobs []job
	rows := map[string][]string{} // the files that it is to write of a File, and the jobs' names
	for _, f := range files {
		for i, path := range f.parts() {
			path, err := filepath.Abs(path)
			if err != nil {
				return nil, err
			}
			to := filepath.Join(dir, fmt.Sprintf("%s#%d", f.Name, i))
			jobs = append(jobs, job{to, []string{path, to}})
			rows[f.Name] = append(rows[f.Name], to)
		}
	}
	answers, err := run(t.Context(), r.tool, r.args, jobs)
	if err != nil {
		return nil, err
	}
	found := map[string]error{}
	for _, f := range files {
		for _, part := range rows[f.Name] {
			found[f.Name] = cmp.Or(found[f.Name], answers[part].err)
		}
		if found[f.Name] == nil && !r.alone {
			found[f.Name] = compareFiles(f.Want, rows[f.Name], r.allowance)
		}
	}
	return found, nil
}

// Report is what readers found in files.
type Report struct {
	readers []string
	files   []File
	found   map[string]map[string]error // by reader and file
}

// Readers returns the names of the readers that could be had.
func (r *Report) Readers() []string { return r.readers }

// Differs returns what a reader found that is not as expected in a file, nil if nothing, or if
// the reader could not be had.
func (r *Report) Differs(reader, file string) error { return r.found[reader][file] }

// Must fails the test for each difference that is not known. known has, by reader and file with
// a blank between, a part of what the error says, and each of them must be there.
func (r *Report) Must(t testing.TB, known map[string]string) {
	t.Helper()
	for _, name := range r.readers {
		for _, f := range r.files {
			err, want := r.Differs(name, f.Name), known[name+" "+f.Name]
			switch {
			case err != nil && (want == "" || !strings.Contains(err.Error(), want)):
				t.Errorf("%s: %s: %v", f.Name, name, err)
			case err == nil && want != "":
				t.Errorf("%s: %s is known to fail with %q, and does not", f.Name, name, want)
			}
		}
	}
}

// String returns a table of files and readers, and below it what differs.
func (r *Report) String() string {
	var b, differ strings.Builder
	width := 4
	for _, f := range r.files {
		width = max(width, len(f.Name))
	}
	fmt.Fprintf(&b, "%-*s", width, "file")
	for _, name := range r.readers {
		fmt.Fprintf(&b, "  %s", name)
	}
	for _, f := range r.files {
		fmt.Fprintf(&b, "\n%-*s", width, f.Name)
		for _, name := range r.readers {
			said := "equal"
			if err := r.Differs(name, f.Name); err != nil {
				said = "BAD"
				fmt.Fprintf(&differ, "\n%s: %s: %v", f.Name, name, err)
			}
			fmt.Fprintf(&b, "  %-*s", len(name), said)
		}
	}
	return b.String() + differ.String() + "\n"
}
