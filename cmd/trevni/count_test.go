package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"avro2trevni/jobs"
	"avro2trevni/parquet/reader"
)

// counts runs count --json.
func counts(t *testing.T, args ...string) (s countSummary) {
	t.Helper()
	code, out, errs := trevniRun(append([]string{"count", "--json"}, args...)...)
	if code != 0 {
		t.Fatalf("count %s: exit %d: %s", args, code, errs)
	}
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// Lengths of Trevni, histograms of Parquet's footers, and levels of its pages of both versions
// give the same counts.
func TestCountsAgree(t *testing.T) {
	for fixture, paths := range map[string][]string{
		"fastavro-1.13.1-nested": {"x", "a", "u", "u.p", "u.q", "e", "nb", "aa", "deep", "deep.d2.d3.more", "deep.d2.d3.more.q", "deep.z"},
		"fastavro-1.13.1-dremel": {"DocId", "Links", "Links.Backward", "Links.Forward", "Name", "Name.Language", "Name.Language.Code", "Name.Language.Country", "Name.Url"},
		"fastavro-1.13.1-unions": nil,
		"fastavro-1.13.1-maps":   nil,
		"fastavro-1.13.1-arrays": nil,
		"fastavro-1.13.1-nulls":  nil,
	} {
		source := filepath.Join("../../testdata/avro", fixture+".avro")
		trv := filepath.Join(t.TempDir(), "a.trv")
		if _, err := jobs.Convert(t.Context(), &jobs.Options{Inputs: []string{source}, Output: trv}); err != nil {
			t.Fatal(err)
		}
		v1, v2 := toParquet(t, source, jobs.Options{PageSize: 1 << 10}), toParquet(t, source, jobs.Options{PageVersion: 2})
		if paths == nil {
			paths = topFields(t, v1)
		}
		for _, path := range paths {
			want := counts(t, trv, path)
			if len(want.Counts) == 0 {
				t.Errorf("%s: %s: nothing is counted", fixture, path)
			}
			for _, args := range [][]string{{v1, path}, {"--levels", v1, path}, {v2, path}, {"--levels", v2, path}} {
				if got := counts(t, args...); got.Rows != want.Rows || !reflect.DeepEqual(got.Counts, want.Counts) {
					a, _ := json.Marshal(got.Counts)
					b, _ := json.Marshal(want.Counts)
					t.Errorf("%s: count %s: %d rows, %s\nwant %d, %s", fixture, args, got.Rows, a, want.Rows, b)
				}
			}
		}
	}
}

// topFields returns the fields of a file that have columns.
func topFields(t *testing.T, name string) (names []string) {
	t.Helper()
	f, err := reader.OpenFile(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, n := range f.Schema.Root.Fields {
		names = append(names, n.Name)
	}
	return names
}

// The counts of the Dremel paper's documents, as a person counts them.
func TestCountPrints(t *testing.T) {
	file := toParquet(t, "../../testdata/avro/fastavro-1.13.1-dremel.avro", jobs.Options{})
	code, out, _ := trevniRun("count", file, "Name.Language.Country")
	want := `path                       values  null  empty
(rows)                          2
Name                            2            0
Name[]                          4
Name[].Language                 4            2
Name[].Language[]               3
Name[].Language[].Country       2     1
`
	if code != 0 || !strings.HasPrefix(out, want) {
		t.Errorf("exit %d\n%s\nwant\n%s", code, out, want)
	}
	if code, _, errs := trevniRun("count", file, "Name.Lenguage"); code != 2 || !strings.Contains(errs, "no such field") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// count reads no more than it needs: of a Parquet file the footer; with --levels, of pages of version
// 2, less than half of one column; of a Trevni file the columns of lengths.
func TestCountReads(t *testing.T) {
	source := "../../testdata/avro/polars-2.1.0-airports-snappy.avro"
	v2 := toParquet(t, source, jobs.Options{PageVersion: 2})
	data, err := os.ReadFile(v2)
	if err != nil {
		t.Fatal(err)
	}
	footer := int64(len(data)) - 8 - int64(binary.LittleEndian.Uint32(data[len(data)-8:]))
	f, err := reader.OpenFile(v2, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i, l := range f.Schema.Leaves {
		name := l.String()
		s := counts(t, v2, name)
		if got := s.Files[0].Ranges; len(got) != 2 || got[0] != [2]int64{0, 4} || got[1] != [2]int64{footer, int64(len(data))} {
			t.Errorf("%s: bytes %v were read, and the footer begins at %d", name, got, footer)
		}
		c := f.RowGroups[0].Chunks[i]
		levels, values := int64(0), int64(0)
		for _, r := range counts(t, "--levels", v2, name).Files[0].Ranges[1:] {
			if r[0] < footer && (r[0] < c.Start || r[1] > c.Start+c.Stored) {
				t.Errorf("%s: bytes %d to %d are of another column", name, r[0], r[1])
			} else if r[0] < footer {
				levels += r[1] - r[0]
			}
		}
		if values = c.Stored; values > 4<<10 && levels > values/2 {
			t.Errorf("%s: %d bytes were read of a column of %d", name, levels, values)
		}
	}
	if len(f.RowGroups) != 1 || len(f.Schema.Leaves) < 3 {
		t.Fatal(fmt.Sprint(len(f.RowGroups), " row groups"))
	}
}

// Bytes that were read are each counted once.
func TestRanges(t *testing.T) {
	var r ranges
	for _, one := range [][2]int64{{10, 20}, {30, 40}, {20, 25}, {5, 5}, {35, 50}, {0, 2}, {12, 14}} {
		r.add(one[0], one[1])
	}
	if r.String() != "0 to 1, 10 to 24, 30 to 49" || r.bytes() != 37 {
		t.Errorf("%s, %d bytes", &r, r.bytes())
	}
	for i := range int64(9) {
		r.add(100+10*i, 101+10*i)
	}
	if !strings.HasSuffix(r.String(), "140 to 140, and 4 ranges more") {
		t.Error(r.String())
	}
}
