package main

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
)

var updateRefusals = flag.Bool("update-refusals", false, "write docs/refusals.md anew")

// refusal is a command line that is refused, or fails: what it prints and its exit status
// are a line of docs/refusals.md.
type refusal struct {
	what   string
	before func(s scene) // sets the scene, beside the files of [newScene]
	args   string
}

// scene is the folder that a command of the table runs in.
type scene struct{ t *testing.T }

// run runs a command that has to succeed.
func (s scene) run(args string) {
	s.t.Helper()
	if code, text := runLine(args); code != 0 {
		s.t.Fatalf("convert %s: %d: %s", args, code, text)
	}
}

func (s scene) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// file writes an Avro file of the schema of event and rows of an id and a note, written at
// midnight of a day of January 2026.
func (s scene) file(name, schema string, day int, rows ...[]byte) {
	s.t.Helper()
	s.must(os.MkdirAll(filepath.Dir(name), 0o777))
	f, err := os.Create(name)
	s.must(err)
	defer f.Close()
	w, err := ocf.NewWriter(f, &ocf.WriterOptions{Schema: schema, Codec: "null"})
	s.must(err)
	for _, row := range rows {
		s.must(w.Append(row, 1))
	}
	s.must(w.Close())
	s.touch(name, day)
}

func (s scene) touch(name string, day int) {
	s.t.Helper()
	at := time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC)
	s.must(os.Chtimes(name, at, at))
}

// flip changes a byte, counted from the file's end.
func (s scene) flip(name string, back int) {
	s.t.Helper()
	data, err := os.ReadFile(name)
	s.must(err)
	data[len(data)-back] ^= 0xff
	s.must(os.WriteFile(name, data, 0o666))
}

// edit replaces a text in a file.
func (s scene) edit(name, old, by string) {
	s.t.Helper()
	data, err := os.ReadFile(name)
	s.must(err)
	s.must(os.WriteFile(name, bytes.Replace(data, []byte(old), []byte(by), 1), 0o666))
}

// event is a row of an id and a note.
func event(id int64, note string) []byte {
	row := binary.AppendVarint(binary.AppendVarint(nil, id), int64(len(note)))
	return append(row, note...)
}

// eventOf returns the schema of a record of fields, each a name and a type.
func eventOf(fields ...string) string {
	var b strings.Builder
	for i := 0; i < len(fields); i += 2 {
		fmt.Fprintf(&b, `,{"name":%q,"type":%s}`, fields[i], fields[i+1])
	}
	return `{"type":"record","name":"event","fields":[` + strings.TrimPrefix(b.String(), ",") + `]}`
}

// newScene makes the folder: inputs of several schemas, and schemas to resolve to.
func newScene(t *testing.T) scene {
	t.Helper()
	t.Chdir(t.TempDir())
	s := scene{t}
	events := eventOf("id", `"long"`, "note", `"string"`)
	s.file("in/a.avro", events, 1, event(1, "one"), event(3, "three"))
	s.file("in/b.avro", events, 2, event(2, "two"))
	s.file("text.avro", eventOf("id", `"string"`, "note", `"string"`), 1)
	s.file("turned.avro", eventOf("note", `"string"`, "id", `"long"`), 1)
	s.file("dated.avro", eventOf("id", `{"type":"long","logicalType":"timestamp-millis"}`, "note", `"string"`), 1)
	s.file("tree.avro", eventOf("id", `"long"`, "parent", `["null","event"]`), 1)
	s.file("either.avro", eventOf("id", `["long","string"]`, "note", `"string"`), 1, append([]byte{2}, event(int64(len("x")), "x")...))
	s.file("kind.avro", eventOf("kind", `{"type":"enum","name":"kind","symbols":["click","view"]}`), 1, []byte{2})
	for name, text := range map[string]string{
		"int.avsc": eventOf("id", `"int"`, "note", `"string"`), "more.avsc": eventOf("id", `"long"`, "note", `"string"`, "at", `"long"`),
		"long.avsc": events, "click.avsc": eventOf("kind", `{"type":"enum","name":"kind","symbols":["click"]}`),
		"large.avsc":  eventOf("id", `"long"`, strings.Repeat("note", 300), `"string"`),
		"flat.avsc":   `{"type":"record","name":"R","fields":[{"name":"n.kind","type":"enum","symbols":["click"]}]}`,
		"broken.avsc": `{"type":`, "not.avro": "id,note\n1,one\n", "list": "in/a.avro\ngone.avro\n",
	} {
		s.must(os.WriteFile(name, []byte(text), 0o666))
	}
	return s
}

func runLine(args string) (code int, text string) {
	var out, errs bytes.Buffer
	code = run(strings.Fields(args), &out, &errs)
	return code, errs.String()
}

// appendOnce makes the output of a run that appends.
func appendOnce(s scene) { s.run("--if-exists append in out") }

// twoParts makes an output of two small files.
func twoParts(s scene) {
	s.run("--if-exists append in/a.avro out")
	s.run("--if-exists append in/b.avro out")
}

func remove(name string) func(s scene) {
	return func(s scene) {
		appendOnce(s)
		s.must(os.Remove(name))
	}
}

var refusals = []refusal{
	{"*Schemas*", nil, ""},
	{"a field's type differs", nil, "in text.avro out"},
	{"the fields' order", nil, "in turned.avro out"},
	{"a logical type", nil, "in dated.avro out"},
	{"a recursive schema", nil, "tree.avro out"},
	{"`--schema`: long to int", nil, "--schema int.avsc in out"},
	{"a field without default", nil, "--schema more.avsc in out"},
	{"string to long, in one input of two", nil, "--schema long.avsc in text.avro out"},
	{"`latest`, which the others cannot become", nil, "--schema latest text.avro in out"},
	{"`merge`, and no type for both", nil, "--schema merge in/a.avro text.avro out"},
	{"a value of a branch that the schema lacks: noticed when the row is read", nil, "--schema long.avsc either.avro out"},
	{"a symbol that the schema lacks: also noticed then", nil, "--schema click.avsc kind.avro out"},
	{"a schema file that does not exist", nil, "--schema gone.avsc in out"},
	{"an invalid schema", nil, "--schema broken.avsc in out"},
	{"a field with the keys of an enum, whose name cannot be the enum's too", nil, "--schema flat.avsc in out"},
	{"a schema that is too long", nil, "--max-header-bytes 1KiB --schema large.avsc in out"},
	{"no such field", nil, "--columns id,nope in out"},
	{"no field left", nil, "--exclude id,note in out"},
	{"*Inputs*", nil, ""},
	{"no such file", nil, "gone.avro out"},
	{"a glob without matches", nil, "gone*.avro out"},
	{"an invalid glob", nil, "in/[a out"},
	{"a missing file of a list", nil, "--files-from list out"},
	{"inside the output", nil, "in in"},
	{"a device", nil, "/dev/null out"},
	{"a link to itself", func(s scene) { s.must(os.Symlink("c.avro", "in/c.avro")) }, "in out"},
	{"not an Avro file", nil, "not.avro out"},
	{"damaged", func(s scene) { s.flip("in/b.avro", 1) }, "in out"},
	{"damaged and skipped: the rest is published", func(s scene) { s.flip("in/b.avro", 1) }, "--on-corrupt skip-block in out"},
	{"*Appending*", nil, ""},
	{"an input that grew", func(s scene) {
		appendOnce(s)
		s.file("in/b.avro", eventOf("id", `"long"`, "note", `"string"`), 3, event(2, "two"), event(4, "four"))
	}, "--if-exists append in out"},
	{"an input that was overwritten", func(s scene) { appendOnce(s); s.touch("in/b.avro", 4) }, "--if-exists append in out"},
	{"an input that was moved", func(s scene) { appendOnce(s); s.must(os.Rename("in/b.avro", "in/c.avro")) }, "--if-exists append in out"},
	{"another option", appendOnce, "--if-exists append --codec deflate in out"},
	{"another schema", appendOnce, "--if-exists append text.avro out"},
	{"a missing part file", remove("out/part-00000.trv"), "--if-exists append in out"},
	{"no _SUCCESS", remove("out/_SUCCESS"), "--if-exists append in out"},
	{"a _SUCCESS that is not a report", func(s scene) {
		appendOnce(s)
		s.must(os.WriteFile("out/_SUCCESS", []byte("{}"), 0o666))
	}, "--if-exists append in out"},
	{"a _SUCCESS that lists files in another order", func(s scene) {
		twoParts(s)
		s.must(os.Rename("out/part-00000.trv", "out/part-00002.trv"))
		s.edit("out/_SUCCESS", "part-00000.trv", "part-00002.trv")
	}, "--if-exists append in out"},
	{"a part file of another size", func(s scene) {
		appendOnce(s)
		s.must(os.Truncate("out/part-00000.trv", 100))
	}, "--if-exists append in out"},
	{"a part file that _SUCCESS does not list", func(s scene) {
		appendOnce(s)
		s.must(os.WriteFile("out/part-00007.trv", nil, 0o666))
	}, "--if-exists append in out"},
	{"appending to one file", nil, "--if-exists append in out.trv"},
	{"*Guards*", nil, ""},
	{"too young", func(s scene) {
		now := time.Now()
		s.must(os.Chtimes("in/b.avro", now, now))
	}, "--min-age 1h in out"},
	{"a folder without _SUCCESS", nil, "--require-success in out"},
	{"too many inputs", nil, "--max-inputs 1 in out"},
	{"another number of records than expected", nil, "--expect-records 2 in out"},
	{"more damage than allowed", func(s scene) { s.flip("in/b.avro", 1) }, "--on-corrupt skip-block --max-skipped 0 in out"},
	{"*The output*", nil, ""},
	{"an output that exists", func(s scene) { s.run("in out") }, "in out"},
	{"one file that exists", func(s scene) { s.run("in out.trv") }, "in out.trv"},
	{"a file where a folder goes", func(s scene) { s.must(os.WriteFile("out", nil, 0o666)) }, "in out"},
	{"a file where the folder of a partition goes", func(s scene) {
		s.must(os.Mkdir("out", 0o777))
		s.must(os.WriteFile("out/note=a", nil, 0o666))
	}, "--partition-by note in out"},
	{"more partitions than allowed", nil, "--partition-by id --max-partitions 1 in out"},
	{"a broken link", func(s scene) { s.must(os.Symlink("gone.trv", "out.trv")) }, "in out.trv"},
	{"a broken link of a folder", func(s scene) { s.must(os.Symlink("gone", "out")) }, "in out"},
	{"another run is writing it", func(s scene) {
		s.must(os.Mkdir("out", 0o777))
		lock, err := storage.Local{}.Lock("out/.avro2trevni.lock")
		s.must(err)
		s.t.Cleanup(func() { s.must(lock.Close()) })
	}, "in out"},
	{"*Columns*", nil, ""},
	{"no such column to index", nil, "--index nope in out"},
	{"rows that are not sorted by it", nil, "--index id in out"},
	{"a field with several columns", nil, "--index id either.avro out"},
	{"no such column of a codec", nil, "--codec deflate,nope=null in out"},
	{"*Compacting*", nil, ""},
	{"no such output", nil, "--compact out"},
	{"no part files", func(s scene) { s.must(os.Mkdir("out", 0o777)) }, "--compact out"},
	{"a damaged part file", func(s scene) { twoParts(s); s.flip("out/part-00001.trv", 1) }, "--compact out"},
	{"invalid options", func(s scene) { twoParts(s); s.edit("out/_SUCCESS", `"snappy"`, `"lzo"`) }, "--compact out"},
	{"an option of the files", twoParts, "--compact --codec null out"},
	{"two names", nil, "--compact in out"},
	{"*Parquet*", nil, ""},
	{"a string that is not UTF-8", func(s scene) {
		s.file("in/b.avro", eventOf("id", `"long"`, "note", `"string"`), 2, event(2, "two"), event(4, "\xff"))
	}, "--format parquet in out"},
	{"a recursive schema", nil, "tree.avro out.parquet"},
	{"an output of Trevni files", appendOnce, "--format parquet --if-exists append in out"},
	{"an output of Parquet files", func(s scene) { s.run("--format parquet --if-exists append in out") }, "--if-exists append in out"},
	{"another option", func(s scene) { s.run("--format parquet --if-exists append in out") }, "--format parquet --page-size 64KiB --if-exists append in out"},
	{"an index", nil, "--format parquet --index id in out"},
	{"a codec that only Trevni has", nil, "--format parquet --codec deflate in out"},
	{"another checksum", nil, "--format parquet --checksum null in out"},
	{"the size of Trevni's blocks", nil, "--format parquet --block-size 1MiB in out"},
	{"an option that only Parquet has", nil, "--page-size 1MiB in out"},
	{"a bloom filter of no column", nil, "--format parquet --bloom none in out"},
	{"a summary of one file", nil, "--summary in out.parquet"},
	{"a summary that is there", func(s scene) {
		s.must(os.Mkdir("out", 0o777))
		s.must(os.WriteFile("out/_metadata", nil, 0o666))
	}, "--format parquet --summary in out"},
	{"an unknown format", nil, "--format orc in out"},
	{"a format that contradicts the name", nil, "--format trevni in out.parquet"},
	{"*The command line*", nil, ""},
	{"one name", nil, "in"},
	{"no such flag", nil, "--nonsense in out"},
	{"no such codec", nil, "--codec lzo in out"},
	{"an invalid size", nil, "--file-size 12XB in out"},
	{"reserved metadata", nil, "--meta trevni.codec=null in out"},
	{"too little memory", nil, "--memory 16MiB --workers 1 in out"},
	{"less memory than any job needs", nil, "--memory 1MiB in out"},
	{"an empty value, as from an unset variable", nil, "--exclude= in out"},
	{"an output with the name of another kind of file", nil, "in out.avro"},
	{"two inputs and no output", nil, "in/a.avro in/b.avro"},
	{"standard output", nil, "in -"},
	{"a report over an input", nil, "--report in/a.avro in/a.avro out"},
	{"inside the output", nil, "--report out/_SUCCESS in out"},
	{"a report over another file", nil, "--report not.avro in out"},
}

// varying is what differs from run to run in what is printed.
var varying = []struct {
	what *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`[0-9a-f]{32}`), "SYNC"},
	{regexp.MustCompile(`time=\S+`), "time=TIME"},
	{regexp.MustCompile(`/\S+/in$`), "/DIR/in"},
	{regexp.MustCompile(`written \S+ ago`), "written AGE ago"},
	{regexp.MustCompile(`needs at least \d+ MiB \(\d+ bytes\)`), "needs at least N MiB (N bytes)"},
}

const (
	refusalsFile  = "../../docs/refusals.md"
	refusalsBegin = "| what | `convert` | status | standard error |\n| --- | --- | --- | --- |\n"
)

// docs/refusals.md says what each case prints, and its exit status; nothing is published
// but where damage was skipped. -update-refusals writes it.
func TestRefusals(t *testing.T) {
	path, err := filepath.Abs(refusalsFile)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(refusalsBegin)
	for _, r := range refusals {
		if r.args == "" {
			fmt.Fprintf(&b, "| %s | | | |\n", r.what)
			continue
		}
		t.Run(r.what, func(t *testing.T) { b.WriteString(r.line(t)) })
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, was, ok := strings.Cut(string(text), refusalsBegin)
	if !ok {
		t.Fatalf("%s has no table", refusalsFile)
	}
	if *updateRefusals {
		if err := os.WriteFile(path, []byte(head+b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(refusalsBegin+was, b.String()); d != "" {
		t.Errorf("%s is not what happens (-update-refusals writes it):\n%s", refusalsFile, d)
	}
}

// line runs the case, and returns its line of the table.
func (r *refusal) line(t *testing.T) string {
	s := newScene(t)
	if r.before != nil {
		r.before(s)
	}
	_, err := os.Stat("out/_SUCCESS")
	was := err == nil
	code, text := runLine(r.args)
	if code == 0 {
		t.Errorf("convert %s: succeeds", r.args)
	}
	if _, err := os.Stat("out/_SUCCESS"); err == nil && !was && code != 1 {
		t.Errorf("convert %s: %d, and there is an output", r.args, code)
	}
	text = strings.TrimPrefix(strings.TrimSuffix(text, "\nTry 'convert --help'.\n"), "convert: ")
	text = strings.ReplaceAll(strings.TrimSpace(text), "\n", "<br>")
	for _, v := range varying {
		text = v.what.ReplaceAllString(text, v.by)
	}
	return fmt.Sprintf("| %s | `%s` | %d | %s |\n", r.what, r.args, code, strings.ReplaceAll(text, "|", `\|`))
}
