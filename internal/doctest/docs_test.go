package doctest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/linkedin/goavro/v2"

	"avro2trevni/internal/storage/s3/s3test"
)

// root is the repository's folder.
const root = "../.."

// programs builds convert and trevni, and returns a PATH that begins with their folder.
func programs(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", bin, "./cmd/convert", "./cmd/trevni")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return bin + ":" + os.Getenv("PATH")
}

// blocks returns the contents of a page's code blocks that have no language.
func blocks(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		if m[1] == "" {
			all = append(all, m[2])
		}
	}
	if len(all) == 0 {
		t.Fatalf("%s has no blocks", page)
	}
	return all
}

// shell runs a script in a folder, and returns what it printed and its exit status.
func shell(t *testing.T, dir, path, script string) (out string, exit int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+path, "LC_ALL=C")
	text, err := cmd.CombinedOutput()
	var status *exec.ExitError
	if err != nil && !errors.As(err, &status) {
		t.Fatal(err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

// TestFirstSession runs what a newcomer types, in order: the blocks of README.md about the first
// file, whose lines have a prompt and print what the page says, and those about looking into it.
func TestFirstSession(t *testing.T) {
	path, dir := programs(t), t.TempDir()
	must(t, os.Symlink(abs(t, filepath.Join(root, "testdata")), filepath.Join(dir, "testdata")))
	ran := 0
	for _, block := range blocks(t, "README.md") {
		switch {
		case strings.HasPrefix(block, "$ "):
			ran += session(t, dir, path, block)
		case strings.HasPrefix(block, "go run ./cmd/convert"), strings.HasPrefix(block, "trevni "):
			for _, line := range strings.Split(strings.TrimSpace(block), "\n") {
				line = strings.Replace(line, "go run ./cmd/convert", "convert", 1)
				if out, exit := shell(t, dir, path, line); exit != 0 {
					t.Errorf("%s: exit status %d: %s", line, exit, out)
				}
				ran++
			}
		}
	}
	if ran < 12 {
		t.Errorf("%d commands were run", ran)
	}
}

// session runs the lines of a block that have a prompt, and compares what they print with the
// lines after them. It returns how many there were.
func session(t *testing.T, dir, path, block string) (ran int) {
	t.Helper()
	for _, part := range strings.Split("\n"+block, "\n$ ")[1:] {
		line, want, _ := strings.Cut(part, "\n")
		got, _ := shell(t, dir, path, line)
		if d := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(got)); d != "" {
			t.Errorf("%s: the page is not what it prints:\n%s", line, d)
		}
		ran++
	}
	return ran
}

// TestPromises runs the commands of docs/promises.md.
func TestPromises(t *testing.T) {
	path, dir := programs(t), t.TempDir()
	must(t, os.Symlink(abs(t, filepath.Join(root, "testdata")), filepath.Join(dir, "testdata")))
	for _, block := range blocks(t, "docs/promises.md") {
		if ran := session(t, dir, path, block); ran < 8 {
			t.Errorf("%d commands were run", ran)
		}
	}
}

// command finds the command of a line: alone, in a crontab, or in a unit of systemd.
var command = regexp.MustCompile(`^(?:[0-9*]+ [0-9*]+ \* \* [0-9*] +|ExecStart=/usr/local/bin/|)(convert .*)$`)

// TestCommands runs each line with convert, in a folder of its own. One that changes an
// output finds one there. S3 is a server in memory.
func TestCommands(t *testing.T) {
	path := programs(t)
	s := s3test.New(t)
	s.Setenv(t)
	data, err := os.ReadFile(filepath.Join(root, "testdata", "avro", "fastavro-1.13.1-booleans.avro"))
	must(t, err)
	s.Put("bucket/events/a.avro", data)
	ran := 0
	for _, page := range []string{"README.md", "docs/operations.md", "docs/layout.md", "docs/evolution.md", "docs/parquet.md"} {
		for _, block := range blocks(t, page) {
			for _, line := range strings.Split(block, "\n") {
				m := command.FindStringSubmatch(line)
				if m == nil || strings.Contains(m[1], "hdfs:") || strings.HasPrefix(line, "convert: ") {
					continue
				}
				runLine(t, path, page, m[1])
				ran++
			}
		}
	}
	if ran < 20 {
		t.Errorf("%d commands were run", ran)
	}
}

// runLine runs a command of a page.
func runLine(t *testing.T, path, page, line string) {
	dir := t.TempDir()
	makeData(t, dir)
	line = strings.ReplaceAll(line, `\%`, "%") // as cron has it
	line = strings.NewReplacer("/data/", dir+"/data/", "/var/log/", dir+"/log/").Replace(line)
	out := "out"
	if at := regexp.MustCompile(`\S+/(events\.)?trevni(/events)?\b`).FindString(line); at != "" {
		out = at
	}
	if strings.Contains(line, "--compact") {
		if said, exit := shell(t, dir, path, "convert "+dir+"/data/events "+out); exit != 0 {
			t.Fatalf("exit status %d: %s", exit, said)
		}
	}
	if said, exit := shell(t, dir, path, line); exit != 0 {
		t.Errorf("%s: %s: exit status %d: %s", page, line, exit, said)
	} else if entries, err := filepath.Glob(filepath.Join(dir, "log", "convert.log")); err == nil && len(entries) == 1 {
		if log, err := os.ReadFile(entries[0]); err != nil || len(log) > 0 {
			t.Errorf("%s: %s: %v: %s", page, line, err, log)
		}
	}
}

// makeData makes the inputs that the pages name: events and lineitem, a day old.
func makeData(t *testing.T, dir string) {
	t.Helper()
	const event = `{"type":"record","name":"event","fields":[{"name":"id","type":"long"},{"name":"country","type":"string"},
		{"name":"at","type":"long"},{"name":"tags","type":{"type":"array","items":"string"}},{"name":"payload","type":"bytes"},
		{"name":"user","type":{"type":"record","name":"user","fields":[{"name":"name","type":"string"},{"name":"country","type":"string"},{"name":"debug","type":"string"}]}}]}`
	const item = `{"type":"record","name":"lineitem","fields":[{"name":"l_orderkey","type":"long"},
		{"name":"l_shipdate","type":{"type":"int","logicalType":"date"}},{"name":"l_shipmode","type":"string"}]}`
	one := map[string]any{"id": int64(1), "country": "DE", "at": int64(2), "tags": []any{"a"}, "payload": []byte("p"),
		"user": map[string]any{"name": "n", "country": "DE", "debug": "d"}}
	events := filepath.Join("data", "events")
	yesterday := time.Now().AddDate(0, 0, -1)
	for _, name := range []string{
		"events.avro", filepath.Join(events, "a.avro"), filepath.Join(events, yesterday.Format(time.DateOnly), "b.avro"),
		filepath.Join("data", "2026-01-01", "c.avro"),
	} {
		writeAvro(t, filepath.Join(dir, name), event, one, yesterday)
	}
	writeAvro(t, filepath.Join(dir, "data", "lineitem", "a.avro"), item,
		map[string]any{"l_orderkey": int64(1), "l_shipdate": yesterday, "l_shipmode": "AIR"}, yesterday)
	must(t, os.WriteFile(filepath.Join(dir, "events.avsc"), []byte(event), 0o666))
	must(t, os.MkdirAll(filepath.Join(dir, "log"), 0o777))
	must(t, os.MkdirAll(filepath.Join(dir, "data", "trevni"), 0o777))
}

// writeAvro writes a file of one row, last modified at a time.
func writeAvro(t *testing.T, name, schema string, row map[string]any, at time.Time) {
	t.Helper()
	var b bytes.Buffer
	w, err := goavro.NewOCFWriter(goavro.OCFConfig{W: &b, Schema: schema})
	must(t, err)
	must(t, w.Append([]any{row}))
	must(t, os.MkdirAll(filepath.Dir(name), 0o777))
	must(t, os.WriteFile(name, b.Bytes(), 0o666))
	must(t, os.Chtimes(name, at, at))
}

// took are times in what trevni prints, with the blanks before them.
var took = regexp.MustCompile(` *\b[0-9.]+(ns|µs|ms|s)\b`)

// TestOutputs runs the commands of docs/trevni.md that have a prompt, and compares what they
// print with the page.
func TestOutputs(t *testing.T) {
	path := programs(t)
	ran := 0
	for _, block := range blocks(t, "docs/trevni.md") {
		exit := 0
		for _, part := range strings.Split("\n"+block, "\n$ ")[1:] {
			line, want, _ := strings.Cut(part, "\n")
			if strings.Contains(line, "lineitem") || strings.Contains(line, "other.avro") {
				exit = -1 // not run
				continue
			}
			if line == "echo $?" {
				if exit >= 0 && want != string(rune('0'+exit))+"\n" {
					t.Errorf("exit status %d, the page says %s", exit, want)
				}
				continue
			}
			var got string
			got, exit = shell(t, root, path, line)
			ran++
			if d := cmp.Diff(strings.TrimSpace(took.ReplaceAllString(want, " T")), strings.TrimSpace(took.ReplaceAllString(got, " T"))); d != "" {
				t.Errorf("%s: docs/trevni.md is not what it prints:\n%s", line, d)
			}
		}
	}
	if ran < 6 {
		t.Errorf("%d commands were run", ran)
	}
}

func abs(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	must(t, err)
	return path
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
