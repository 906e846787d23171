package interop

import (
	"cmp"
	"path/filepath"
	"strings"
	"testing"
)

// noColumns is what Java's reader does with a table without columns, whose rows
// only the header counts.
const noColumns = "crashed: java.lang.ArrayIndexOutOfBoundsException"

// knownToFail are the fixtures whose rows Java doesn't give back from anybody's
// Trevni file, and how that looks.
var knownToFail = map[string]string{
	"fastavro-1.13.1-no-fields":         noColumns,
	"fastavro-1.13.1-top-union-of-null": noColumns,

	"fastavro-1.13.1-default-header":       "Empty name",
	"handmade-unnamed":                     "Empty name",
	"polars-2.1.0-default-csv-header":      "Empty name",
	"polars-2.1.0-default-no-names":        "Empty name",
	"polars-2.1.0-default-odd-names-below": "Empty name",
}

// knownToFailThere are those that Java's Trevni reader refuses only as Java writes them:
// with the name that they have, which is none.
var knownToFailThere = map[string]string{
	"fastavro-1.13.1-default-unnamed": "Empty name",
	"polars-2.1.0-default-structs":    "Empty name",
	"polars-2.1.0-default-typed":      "Empty name",
}

// missesRows is a fixture with file blocks of no rows. Java's Avro reader denies at
// such a block that there is more, so its totrevni wrote no row of three.
const missesRows = "handmade-empty-blocks"

// TestJavaAgreesWithItself proves the harness: Java's own Trevni files compare
// equal to the Avro files they were made from, and to no others.
func TestJavaAgreesWithItself(t *testing.T) {
	avro := avroFixtures(t)
	var jobs []job
	for maker, dir := range javaFixtures(t) {
		for base, trv := range byBase(t, filepath.Join(dir, "*.trv")) {
			jobs = append(jobs, job{"compare", maker + "/" + base, []string{avro[base], trv}})
		}
	}
	got := runJava(t, jobs)
	for _, name := range sorted(got) {
		want := cmp.Or(knownToFail[filepath.Base(name)], knownToFailThere[filepath.Base(name)])
		if filepath.Base(name) == missesRows {
			want = "the .avro file has more rows"
		}
		check(t, name, got[name], want)
	}
}

// TestHarnessSeesDifferences proves that the comparison can fail.
func TestHarnessSeesDifferences(t *testing.T) {
	java := filepath.Join(testdata, "trevni", "java-1.12.1-null")
	avro := func(name string) string { return filepath.Join(testdata, "avro", name+".avro") }
	trv := func(name string) string { return filepath.Join(java, name+".trv") }
	flat, long := "fastavro-1.13.1-flat", "fastavro-1.13.1-top-long"
	broken := filepath.Join(testdata, "broken", "java-1.12.1-null-crc32-of-zeros.trv")
	tests := []struct {
		job  job
		want string
	}{
		{job{"compare", "twice", []string{avro(flat), trv(flat), trv(flat)}}, "no more rows"},
		{job{"compare", "none", []string{avro(flat)}}, "has more rows"},
		{job{"compare", "schema", []string{avro(long), trv(flat)}}, "avro.schema is"},
		{job{"compare", "values", []string{avro("java-1.12.1-random-nested-snappy"), trv("java-1.12.1-nested-snappy")}}, "row 0.x: got"},
		{job{"compare", "checksum", []string{avro(long), broken}}, "Checksums mismatch"},
		{job{"totrevni", "map", []string{"null", avro("fastavro-1.13.1-top-map"), filepath.Join(t.TempDir(), "map.trv")}}, "ClassCastException"},
	}
	var jobs []job
	for _, test := range tests {
		jobs = append(jobs, test.job)
	}
	got := runJava(t, jobs)
	for _, test := range tests {
		check(t, test.job.name, got[test.job.name], test.want)
	}
}

// check compares an answer with the failure that is wanted, "" for none.
func check(t *testing.T, name string, got answer, want string) {
	t.Helper()
	switch {
	case got.ok && want != "":
		t.Errorf("%s: %s, want %q: a known failure is none any more", name, got.seen, want)
	case !got.ok && (want == "" || !strings.Contains(got.seen, want)):
		t.Errorf("%s: %s, want %q", name, got.seen, want)
	}
}
