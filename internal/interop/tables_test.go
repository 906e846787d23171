package interop

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"avro2trevni/internal/avrotest"
)

// tables is how many random tables Java reads, of seeds that follow each other; METAMORPHIC_JAVA
// asks for more.
func tables(t *testing.T) int {
	text := os.Getenv("METAMORPHIC_JAVA")
	if text == "" {
		return 25
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestJavaReadsRandomTables converts tables of random schemas and rows, with random
// options, and has Java compare every row.
func TestJavaReadsRandomTables(t *testing.T) {
	needTools(t, "java", "javac", "mvn")
	dir := t.TempDir()
	seed := avrotest.Seed(t)
	var jobs []job
	fails := map[string]string{}
	for i := range tables(t) {
		table := avrotest.NewTable(seed + uint64(i))
		rows := table.Rows(1 + table.IntN(300))
		in := filepath.Join(dir, fmt.Sprint("in-", i, ".avro"))
		data, err := table.File([]string{"null", "deflate", "snappy"}[table.IntN(3)], rows)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(in, data, 0o666); err != nil {
			t.Fatal(err)
		}
		f := forms[table.IntN(len(forms))]
		if f.parts {
			f.flags = slices.Concat(f.flags, []string{"--file-size", "64KiB"}) // room for any header
		}
		made := convert(t, f.flags, []string{in}, f.output(dir, fmt.Sprint("table-", i)))
		name := fmt.Sprintf("%s/seed %d", f.name, seed+uint64(i))
		jobs = append(jobs, job{"compare", name, append([]string{in}, made...)})
		if len(openTable(t, made[0]).Header().Columns) == 0 {
			fails[name] = noColumns
		}
	}
	got := runJava(t, jobs)
	for _, j := range jobs {
		check(t, j.name, got[j.name], fails[j.name])
	}
}
