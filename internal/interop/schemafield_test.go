package interop

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/internal/ocf"
)

var updateSchemas = flag.Bool("update-schemas", false, "write the table of docs/schemas.md anew")

// An oddSchema is one that some writer has written, or a person, and what becomes of a
// file that has it.
type oddSchema struct {
	about, name string
	schema, row string // a row's bytes, in hex

	avro   string // what Java's reader of data files says when it refuses the file
	ours   string // what convert says when it refuses it
	trevni string // what Java's Trevni reader says of convert's file, when it refuses that
}

// file writes an Avro file of two rows.
func (o *oddSchema) file(t *testing.T, path string) {
	t.Helper()
	row, err := hex.DecodeString(o.row)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	w, err := ocf.NewWriter(&file, &ocf.WriterOptions{Schema: o.schema})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Append(row, 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestSchemasInTheField has each file of the table read by Java's reader of data files,
// converted, compared with what Java's Trevni reader gives, and read back by trevni.
// Convert warns of what that reader refuses, and of nothing else.
func TestSchemasInTheField(t *testing.T) {
	needTools(t, "java", "javac", "mvn")
	dir := t.TempDir()
	var jobs []job
	for i := range oddSchemas {
		o := &oddSchemas[i]
		in, out := filepath.Join(dir, fmt.Sprint(i, ".avro")), filepath.Join(dir, fmt.Sprint(i, ".trv"))
		o.file(t, in)
		exit, said := try(t, "--log-format", "text", in, out)
		switch refused := o.ours != ""; {
		case (exit == 3) != refused || !refused && exit != 0 || !strings.Contains(said, o.ours):
			t.Errorf("%s: %s: exit status %d, want %q: %s", o.about, o.name, exit, o.ours, said)
		case !refused && warned(said) != (o.trevni != ""):
			t.Errorf("%s: %s: Java's Trevni reader says %q, and convert %q", o.about, o.name, o.trevni, said)
		}
		jobs = append(jobs, job{"avro", fmt.Sprint("avro", i), []string{in}})
		if exit != 0 {
			continue
		}
		if o.avro == "" {
			jobs = append(jobs, job{"compare", fmt.Sprint("trevni", i), []string{in, out}})
			readsBack(t, o.about+": "+o.name, in, out)
		} else {
			jobs = append(jobs, job{"trevni", fmt.Sprint("trevni", i), []string{out}})
		}
	}
	got := runJava(t, jobs)
	for i := range oddSchemas {
		o := &oddSchemas[i]
		o.answered(t, "Avro", got[fmt.Sprint("avro", i)], o.avro)
		if a, ok := got[fmt.Sprint("trevni", i)]; ok {
			o.answered(t, "Trevni", a, o.trevni)
		}
	}
}

// answered compares what one of Java's readers says with what the table has.
func (o *oddSchema) answered(t *testing.T, reader string, got answer, want string) {
	t.Helper()
	if got.ok != (want == "") || !got.ok && !strings.Contains(got.seen, want) || got.ok && got.seen != "2 rows" {
		t.Errorf("%s: %s: Java's %s reader says %s, want %q", o.about, o.name, reader, got.seen, want)
	}
}

// readsBack has trevni compare a file with what it was made of, and write it as Avro.
func readsBack(t *testing.T, name, avro, trv string) {
	t.Helper()
	path, err := reader()
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"verify", "--against", avro, trv}, {"cat", trv}, {"to-avro", trv, trv + ".avro"}} {
		if exit, said := tryProgram(t, path, args...); exit != 0 {
			t.Errorf("%s: trevni %s: exit status %d: %s", name, args[0], exit, said)
		}
	}
	if exit, said := tryProgram(t, path, "verify", "--against", trv+".avro", trv); exit != 0 {
		t.Errorf("%s: what to-avro wrote: exit status %d: %s", name, exit, said)
	}
}

// TestSchemasAreDocumented holds the table of the documentation to this one.
func TestSchemasAreDocumented(t *testing.T) {
	const begin, end = "<!-- table: internal/interop, TestSchemasAreDocumented -update-schemas -->\n", "<!-- end of table -->\n"
	path := "../../docs/schemas.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	old, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", path)
	}
	table := schemaTable()
	if old == table {
		return
	}
	if !*updateSchemas {
		t.Fatalf("%s has another table; -update-schemas writes it", path)
	}
	if err := os.WriteFile(path, []byte(before+begin+table+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// schemaTable returns the table in Markdown.
func schemaTable() string {
	var b strings.Builder
	about := ""
	for i := range oddSchemas {
		o := &oddSchemas[i]
		if o.about != about {
			about = o.about
			fmt.Fprintf(&b, "\n| %s | Java's Avro reader | convert | Java's Trevni reader |\n| --- | --- | --- | --- |\n", about)
		}
		ours, trevni := "converts", cell(o.trevni)
		if o.ours != "" {
			ours, trevni = cell(o.ours), ""
		} else if o.trevni != "" {
			ours = "converts, and warns"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", o.name, cell(o.avro), ours, trevni)
	}
	return b.String() + "\n"
}

// cell is what a table says of a reader.
func cell(refused string) string {
	if refused == "" {
		return "reads"
	}
	return "refuses: " + strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(refused)
}
