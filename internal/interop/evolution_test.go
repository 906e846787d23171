package interop

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/linkedin/goavro/v2"

	"avro2trevni/internal/ocf"
	"avro2trevni/internal/schema"
)

// writeFile writes a file into a folder, and returns its path.
func writeFile(t *testing.T, dir, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// writeAvro returns an Avro file of rows of Avro's JSON, one a line, many times over.
func writeAvro(t *testing.T, schema, rows string, times int) []byte {
	t.Helper()
	codec, err := goavro.NewCodec(schema)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	w, err := ocf.NewWriter(&file, &ocf.WriterOptions{Schema: schema, Codec: "snappy"})
	if err != nil {
		t.Fatal(err)
	}
	for range times {
		for line := range strings.Lines(rows) {
			native, _, err := codec.NativeFromTextual([]byte(line))
			if err != nil {
				t.Fatal(line, err)
			}
			row, err := codec.BinaryFromNative(nil, native)
			if err != nil {
				t.Fatal(line, err)
			}
			if err := w.Append(row, 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// try runs the program and returns its exit status and what it said.
func try(t *testing.T, args ...string) (exit int, said string) {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return tryProgram(t, path, args...)
}

// tryProgram is try of any program.
func tryProgram(t *testing.T, path string, args ...string) (exit int, said string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), path, args...)
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), log.String()
}

// warned reports whether convert said that Java's Trevni reader refuses what it wrote.
func warned(said string) bool { return strings.Contains(said, "Java's Trevni reader does not open") }

// attempt converts one file to a schema, and returns the job that has Java do the same:
// compare, or read the rows alone where convert failed, or Java's Trevni reader would.
func attempt(t *testing.T, dir, name string, avro, schema string) (j job, exit int, said string) {
	t.Helper()
	trv := filepath.Join(dir, name+".trv")
	exit, said = try(t, "--schema", schema, avro, trv)
	if exit != 0 || warned(said) {
		return job{"read", name, []string{schema, avro}}, exit, said
	}
	return job{"resolve", name, []string{schema, avro, trv}}, 0, ""
}

// TestRules has each rule of resolution done by convert, and by Java's DataFileReader
// with a reader's schema, and compared record for record.
func TestRules(t *testing.T) {
	needTools(t, "java", "javac", "mvn")
	dir := t.TempDir()
	var jobs []job
	for i, r := range rules {
		name := fmt.Sprintf("%02d", i)
		avro := writeFile(t, dir, name+".avro", writeAvro(t, r.writer, r.rows, 1))
		schema := writeFile(t, dir, name+".avsc", []byte(r.reader))
		j, exit, said := attempt(t, dir, name, avro, schema)
		switch want := max(3*min(1, len(r.refused)), 4*min(1, len(r.failed))); {
		case exit != want:
			t.Errorf("%s: exit status %d, want %d: %s", r.name, exit, want, said)
		case !strings.Contains(said, r.refused+r.failed):
			t.Errorf("%s: said %q", r.name, said)
		}
		jobs = append(jobs, j)
	}
	got := runJava(t, jobs)
	for i, r := range rules {
		a, refused := got[jobs[i].name], r.refused+r.failed != ""
		if same := a.ok != refused; same != (r.java == "") {
			t.Errorf("%s: Java says %q; agrees: %v", r.name, a.seen, same)
		}
	}
}

// TestProjections leaves each top-level field of each fixture out, keeps it alone, and
// has Java read the source by the schema that was written.
func TestProjections(t *testing.T) {
	needTools(t, "java", "javac", "mvn")
	dir := t.TempDir()
	var jobs []job
	avro := avroFixtures(t)
	for _, base := range sorted(avro) {
		for k, f := range someFields(t, avro[base]) {
			for _, flag := range []string{"--columns", "--exclude"} {
				name := fmt.Sprintf("%s-%s-%d", base, flag, k)
				trv := filepath.Join(dir, name+".trv")
				exit, said := try(t, flag, f, avro[base], trv)
				if exit == 3 && strings.Contains(said, "every field is left out") {
					continue
				}
				if exit != 0 {
					t.Errorf("%s: exit status %d: %s", name, exit, said)
					continue
				}
				schema := writeFile(t, dir, name+".avsc", []byte(readSchema(t, trv)))
				if warned(said) {
					jobs = append(jobs, job{"read", name, []string{schema, avro[base]}})
				} else {
					jobs = append(jobs, job{"resolve", name, []string{schema, avro[base], trv}})
				}
			}
		}
	}
	if len(jobs) < 200 {
		t.Errorf("only %d projections", len(jobs))
	}
	got := runJava(t, jobs)
	for _, j := range jobs {
		if a := got[j.name]; !a.ok && !strings.Contains(a.seen, noColumns) {
			t.Errorf("%s: Java %s", j.name, a.seen)
		}
	}
}

// fileSchema returns the schema that an Avro file holds.
func fileSchema(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	h, err := ocf.ReadHeader(f, info.Size(), path, ocf.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return h.Schema
}

// someFields returns the names of a file's first fields, if its rows are records.
func someFields(t *testing.T, path string) []string {
	t.Helper()
	s, err := schema.Parse(fileSchema(t, path))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, field := range s.Fields[:min(len(s.Fields), 4)] {
		if field.Name != "" { // which no flag can name
			names = append(names, field.Name)
		}
	}
	return names
}

// readSchema returns the schema that a Trevni file holds.
func readSchema(t *testing.T, path string) string {
	t.Helper()
	text, _ := openTable(t, path).Header().Meta.Get("avro.schema")
	return string(text)
}

// TestRulesAreDocumented: the table of the documentation has these rules, each once, and no other;
// and it says of each whether it is refused, or fails at a row, and where Java does otherwise.
func TestRulesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/evolution.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Rules\n")
	section, _, _ = strings.Cut(section, "\n## ")
	says := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| (.*?) \| (.*)\|$`).FindAllStringSubmatch(section, -1) {
		if _, twice := says[row[1]]; twice {
			t.Errorf("the rule %q is there twice", row[1])
		}
		says[row[1]] = row[2]
	}
	for _, r := range rules {
		said, ok := says[r.name]
		delete(says, r.name)
		switch {
		case !ok:
			t.Errorf("there is no line of the rule %q", r.name)
		case strings.HasPrefix(said, "refused") != (r.refused != ""):
			t.Errorf("%s: it says %q; refused: %q", r.name, said, r.refused)
		case strings.HasPrefix(said, "the row fails") != (r.failed != ""):
			t.Errorf("%s: it says %q; a row fails: %q", r.name, said, r.failed)
		case strings.Contains(said, "Java") != (r.java != ""):
			t.Errorf("%s: it says %q; Java: %q", r.name, said, r.java)
		}
	}
	for rule := range says {
		if rule != "rule" && rule != "---" { // the table's head
			t.Errorf("no test has the rule %q", rule)
		}
	}
}
