package interop

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A form is one way of converting.
type form struct {
	name  string
	flags []string
	parts bool // into a folder of part files
}

var forms = []form{
	{name: "default"},
	{name: "plain", flags: []string{"--codec", "null", "--checksum", "null"}},
	{name: "null-crc32", flags: []string{"--codec", "null", "--checksum", "crc32"}},
	{name: "deflate", flags: []string{"--codec", "deflate:9", "--block-size", "4KiB"}},
	{name: "better", flags: []string{"--codec", "snappy:better", "--checksum", "null", "--block-size", "1KiB"}},
	{name: "parts", flags: []string{"--file-size", "8KiB", "--block-size", "1KiB"}, parts: true},
	{name: "plain-parts", flags: []string{"--codec", "null", "--file-size", "16KiB", "--block-size", "2KiB"}, parts: true},
}

// output names where the form's conversion goes.
func (f form) output(dir, base string) string {
	if f.parts {
		return filepath.Join(dir, f.name+"-"+base)
	}
	return filepath.Join(dir, f.name+"-"+base+".trv")
}

// TestJavaReadsOurs converts each fixture in several forms and has Java compare
// every row. What Java is known to fail at must fail, and nothing else.
func TestJavaReadsOurs(t *testing.T) {
	needTools(t, "java", "javac", "mvn")
	dir := t.TempDir()
	avro := avroFixtures(t)
	var jobs []job
	for _, f := range forms {
		several := 0
		for _, base := range sorted(avro) {
			if f.parts && strings.HasSuffix(base, "-wide") {
				continue // its header alone is 30 KB, and such a file size is refused
			}
			made := convert(t, f.flags, []string{avro[base]}, f.output(dir, base))
			several += min(1, len(made)-1)
			jobs = append(jobs, job{"compare", f.name + "/" + base, append([]string{avro[base]}, made...)})
		}
		if f.parts && several < 10 {
			t.Errorf("%s: only %d fixtures came in several parts", f.name, several)
		}
	}
	got := runJava(t, jobs)
	for _, j := range jobs {
		check(t, j.name, got[j.name], knownToFail[filepath.Base(j.name)])
	}
}

// TestJavaReadsJobsOfManyFiles converts several files in one job, and has Java
// compare the rows in the order of the inputs.
func TestJavaReadsJobsOfManyFiles(t *testing.T) {
	needTools(t, "java", "javac", "mvn")
	dir := t.TempDir()
	var flat, events []string
	for base, path := range avroFixtures(t) {
		switch {
		case strings.HasPrefix(base, "fastavro-1.13.1-flat"):
			flat = append(flat, path)
		case strings.Contains(base, "events"):
			events = append(events, path)
		}
	}
	var jobs []job
	for name, inputs := range map[string][]string{"flat": flat, "events": events} {
		if len(inputs) < 5 {
			t.Fatalf("%d inputs of %s", len(inputs), name)
		}
		for _, f := range forms {
			made := convert(t, f.flags, inputs, f.output(dir, name))
			jobs = append(jobs, job{"compare", f.name + "/" + name, append([]string{strings.Join(inputs, ",")}, made...)})
		}
	}
	got := runJava(t, jobs)
	for _, j := range jobs {
		check(t, j.name, got[j.name], "")
	}
}

// TestJavaReadsCodingsByColumn has Java read files whose columns have codecs and
// checksums of their own, and files that compaction merged.
func TestJavaReadsCodingsByColumn(t *testing.T) {
	needTools(t, "java", "javac", "mvn")
	dir := t.TempDir()
	avro := avroFixtures(t)
	var jobs []job
	for base, flags := range map[string][]string{
		"fastavro-1.13.1-flat":   {"--codec", "deflate,id=null,note=snappy", "--checksum", "crc32,price=null"},
		"fastavro-1.13.1-events": {"--codec", "snappy,items=deflate,items.attrs=null,ratings=deflate:9", "--checksum", "null,items=crc32"},
	} {
		in := avro[base]
		made := convert(t, flags, []string{in}, filepath.Join(dir, base+".trv"))
		jobs = append(jobs, job{"compare", "codings/" + base, append([]string{in}, made...)})
		out := filepath.Join(dir, base)
		run(t, slices.Concat(flags, []string{"--if-exists", "append", in, out})...)
		copied := filepath.Join(dir, "again-"+base+".avro")
		data, err := os.ReadFile(in)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(copied, data, 0o666); err != nil {
			t.Fatal(err)
		}
		run(t, slices.Concat(flags, []string{"--if-exists", "append", copied, out})...)
		run(t, "--compact", out)
		parts, err := filepath.Glob(filepath.Join(out, "part-*.trv"))
		if err != nil || len(parts) != 1 {
			t.Fatalf("%s: %q, %v", base, parts, err)
		}
		jobs = append(jobs, job{"compare", "compacted/" + base, append([]string{in + "," + copied}, parts...)})
	}
	got := runJava(t, jobs)
	for _, j := range jobs {
		check(t, j.name, got[j.name], "")
	}
}
