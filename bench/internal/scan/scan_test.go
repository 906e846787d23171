package scan

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/run"
	"avro2trevni/bench/internal/scanner"
	"avro2trevni/jobs"
	"avro2trevni/record"
	"avro2trevni/trevni"
)

// scanFixture writes the start of a made table as Avro and as Trevni.
func scanFixture(t *testing.T, made data.Table, rows int) (avro, trv string, columns []scanner.Column) {
	t.Helper()
	dir := t.TempDir()
	if err := data.WriteAvro(dir, data.Few(made, rows), "snappy"); err != nil {
		t.Fatal(err)
	}
	avro = filepath.Join(dir, made.Name+"-snappy.avro")
	trv = filepath.Join(dir, made.Name+".trv")
	if _, err := jobs.Convert(t.Context(), &jobs.Options{Inputs: []string{avro}, Output: trv, BlockSize: 2000}); err != nil {
		t.Fatal(err)
	}
	columns, err := scanner.Columns(made.Schema)
	if err != nil {
		t.Fatal(err)
	}
	return avro, trv, columns
}

func ask(t *testing.T, program, path string, task *scanner.Task) scanner.Answer {
	t.Helper()
	a, err := scanner.Ask(t.Context(), program, path, task)
	if err != nil {
		t.Fatalf("%s: %v", program, err)
	}
	return a
}

// TestScannersAgree has every column of the made tables summed up, all rows and some.
func TestScannersAgree(t *testing.T) {
	for _, made := range []data.Table{data.Wide(), data.Nested(), data.Nullable(), data.Sparse()} {
		avro, trv, columns := scanFixture(t, made, 1500)
		projection := projected(t, made.Schema, columnsFor("avro", columns))
		for _, rows := range []scanner.RowRange{{}, {From: 0, To: 1, Step: 1}, {From: 750, To: 751, Step: 1}, {From: 3, To: 1500, Step: 100}} {
			for _, threads := range []int{1, 3} {
				t.Run(fmt.Sprintf("%s/%s/%d", made.Name, rows, threads), func(t *testing.T) {
					ours := &scanner.Task{Columns: columnsFor("trv", columns), Rows: rows, Threads: threads}
					want := ask(t, "ours", trv, ours)
					for _, peer := range []string{"goavro", "twmb", "raw-walk"} {
						theirs := &scanner.Task{Columns: columnsFor("avro", columns), Rows: rows, Threads: threads, Schema: projection}
						if peer == "raw-walk" && !rows.All() {
							continue
						}
						if err := want.Same(ask(t, peer, avro, theirs)); err != nil {
							t.Errorf("%s: %v", peer, err)
						}
					}
				})
			}
		}
	}
}

// projected writes the schema that has the given columns alone to a file.
func projected(t *testing.T, text string, paths []string) string {
	t.Helper()
	left, err := record.Project(text, paths)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "projected.avsc")
	if err := os.WriteFile(name, []byte(left), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestScannersReadTheSameRecords compares all rows in Avro's encoding, twice: the first
// pass alone looks at them.
func TestScannersReadTheSameRecords(t *testing.T) {
	for _, made := range []data.Table{data.Wide(), data.Nested(), data.Nullable()} {
		avro, trv, _ := scanFixture(t, made, 500)
		ours, _ := scanner.NewOurRecords(nil)
		theirs, _ := scanner.NewGoavroRecords(nil)
		for pass := range 2 {
			a, errA := ours(t.Context(), trv)
			b, errB := theirs(t.Context(), avro)
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			if err := a.Same(b); err != nil {
				t.Errorf("%s, pass %d: %v", made.Name, pass, err)
			}
		}
	}
}

// TestColumnsAreNamedAsInTheFile looks for every column of a nested table.
func TestColumnsAreNamedAsInTheFile(t *testing.T) {
	_, trv, columns := scanFixture(t, data.Nested(), 10)
	f, err := trevni.OpenFile(trv, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, c := range columns {
		if f.Header().Index(c.Trevni) < 0 {
			t.Errorf("%s: no column %q", c.Path, c.Trevni)
		}
	}
	want := scanner.Column{Path: "items.attributes.key", Trevni: "items[]#attributes[]#key",
		Parquet: "items.list.element.attributes.list.element.key", Kind: columns[0].Kind, Nested: true}
	for _, c := range columns {
		if c.Path == want.Path {
			want.Kind = c.Kind
			if c != want {
				t.Errorf("column %+v, want %+v", c, want)
			}
			return
		}
	}
	t.Errorf("no %s in %v", want.Path, columns)
}

func TestEvict(t *testing.T) {
	from := filepath.Join(t.TempDir(), "from")
	if err := os.WriteFile(from, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	to := from + "-copy"
	if err := freshCopy(from, to); err != nil {
		t.Fatal(err)
	}
	if size, err := run.TreeSize(to); size != 1<<20 || err != nil {
		t.Fatalf("a copy of %d bytes, %v", size, err)
	}
	f, err := os.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Read(make([]byte, 4096)); err != nil {
		t.Fatal(err)
	}
	if err := evict(to); err != nil {
		t.Skipf("nothing can be evicted here: %v", err)
	}
	if pages, err := resident(f); pages != 0 || err != nil {
		t.Errorf("%d pages in the cache, %v", pages, err)
	}
}

// TestLive speaks to programs that answer, that refuse, and that end.
func TestLive(t *testing.T) {
	for name, test := range map[string]struct {
		script  string
		want    scanner.Answer
		wantErr string
	}{
		"answers": {`while read f; do printf 'ok\t0.5\t3:%s\n' ${#f}; done`, scanner.Answer{"3:4"}, ""},
		"refuses": {`while read f; do printf 'error\tno such file\n'; done`, nil, "no such file"},
		"ends":    {`echo "no such" >&2; echo library >&2; exit 3`, nil, "no such library"},
		"silent":  {`exit 3`, nil, "exit status 3"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := startLive(t.Context(), []string{"/bin/sh", "-c", test.script}, true)
			if err != nil {
				t.Fatal(err)
			}
			defer l.end()
			s, err := l.pass("file")
			if test.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantErr) {
					t.Errorf("error %v, want %q", err, test.wantErr)
				}
				return
			}
			if err != nil || s.Wall != 0.5 || s.Memory == 0 || s.Read == 0 {
				t.Errorf("measured %+v, %v; want 0.5 s, some memory, some bytes read", s, err)
			}
			if diff := cmp.Diff(test.want, l.answer); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}
