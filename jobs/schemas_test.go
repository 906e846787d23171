package jobs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/linkedin/goavro/v2"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/ocf"
	"avro2trevni/record"
	"avro2trevni/trevni"
)

// inputVersion is an input of some schema, with rows in Avro's JSON, and its age in hours.
type inputVersion struct {
	schema string
	rows   string
	age    int
}

// rec is a record's schema; fields are "name type" or "name type default".
func rec(fields ...string) string {
	var list []string
	for _, f := range fields {
		words := strings.SplitN(f, " ", 3)
		text := fmt.Sprintf(`{"name":%q,"type":%s`, words[0], words[1])
		if len(words) > 2 {
			text += `,"default":` + words[2]
		}
		list = append(list, text+"}")
	}
	return `{"type":"record","name":"R","fields":[` + strings.Join(list, ",") + `]}`
}

// encoded encodes rows of Avro's JSON, one a line.
func encoded(t *testing.T, schema, rows string) (out [][]byte) {
	t.Helper()
	codec, err := goavro.NewCodec(schema)
	must(t, err)
	for line := range strings.Lines(rows) {
		native, _, err := codec.NativeFromTextual([]byte(line))
		must(t, err)
		row, err := codec.BinaryFromNative(nil, native)
		must(t, err)
		out = append(out, row)
	}
	return out
}

// write writes inputs into a folder, named in order, and returns it.
func write(t *testing.T, versions ...inputVersion) string {
	t.Helper()
	dir := t.TempDir()
	for i, v := range versions {
		var file bytes.Buffer
		w, err := ocf.NewWriter(&file, &ocf.WriterOptions{Schema: v.schema})
		must(t, err)
		for _, row := range encoded(t, v.schema, v.rows) {
			must(t, w.Append(row, 1))
		}
		must(t, w.Close())
		name := filepath.Join(dir, fmt.Sprintf("v%d.avro", i))
		must(t, os.WriteFile(name, file.Bytes(), 0o644))
		when := time.Unix(1_700_000_000, 0).Add(-time.Duration(v.age) * time.Hour)
		must(t, os.Chtimes(name, when, when))
	}
	return dir
}

// rowsIn returns the rows of an output that is one file, in Avro's binary encoding, and
// its schema.
func rowsIn(t *testing.T, name string) (rows [][]byte, schema string) {
	t.Helper()
	f, err := trevni.OpenFile(name, nil)
	must(t, err)
	defer f.Close()
	r, err := record.NewReader(f.Reader, nil)
	must(t, err)
	for range r.NumRows() {
		row, _, err := r.ReadRows(nil, 1)
		must(t, err)
		rows = append(rows, row)
	}
	return rows, r.Schema()
}

// Inputs of several schemas, which share a split, become rows of one.
func TestSchemas(t *testing.T) {
	old := inputVersion{rec(`id "int"`, `name "string"`), "{\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":\"b\"}", 2}
	now := inputVersion{rec(`name "string"`, `id "long"`, `tag ["null","string"] null`), `{"name":"c","id":3,"tag":{"string":"x"}}`, 1}
	given := filepath.Join(t.TempDir(), "given.avsc")
	must(t, os.WriteFile(given, []byte(rec(`id "double"`, `kind "string" "k"`)), 0o644))
	for _, c := range []struct {
		name     string
		versions []inputVersion
		o        Options
		rows     string
		schema   string
	}{
		{"latest", []inputVersion{old, now, old}, Options{Schema: "latest"},
			`{"name":"a","id":1,"tag":null} {"name":"b","id":2,"tag":null} {"name":"c","id":3,"tag":{"string":"x"}} {"name":"a","id":1,"tag":null} {"name":"b","id":2,"tag":null}`, now.schema},
		{"of two as new the last", []inputVersion{{rec(`name "string"`, `id "int"`), `{"name":"c","id":3}`, 2}, old}, Options{Schema: "latest"},
			`{"id":3,"name":"c"} {"id":1,"name":"a"} {"id":2,"name":"b"}`, ""},
		{"merge", []inputVersion{old, now}, Options{Schema: "merge"},
			`{"id":1,"name":"a","tag":null} {"id":2,"name":"b","tag":null} {"id":3,"name":"c","tag":{"string":"x"}}`,
			rec(`id "long"`, `name "string"`, `tag ["null","string"] null`)},
		{"a file", []inputVersion{old, now}, Options{Schema: given},
			`{"id":1,"kind":"k"} {"id":2,"kind":"k"} {"id":3,"kind":"k"}`, ""},
		{"columns", []inputVersion{old, old}, Options{Columns: []string{"id"}},
			`{"id":1} {"id":2} {"id":1} {"id":2}`, rec(`id "int"`)},
		{"both", []inputVersion{old, now}, Options{Schema: "merge", Exclude: []string{"na*"}},
			`{"id":1,"tag":null} {"id":2,"tag":null} {"id":3,"tag":{"string":"x"}}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Inputs, c.o.Output = []string{write(t, c.versions...)}, filepath.Join(t.TempDir(), "x.trv")
			rep, err := Convert(context.Background(), &c.o)
			must(t, err)
			rows, schema := rowsIn(t, c.o.Output)
			if d := cmp.Diff(encoded(t, schema, strings.ReplaceAll(c.rows, "} {", "}\n{")), rows); d != "" {
				t.Error(d)
			}
			if c.schema != "" && schema != c.schema {
				t.Errorf("schema %s, want %s", schema, c.schema)
			}
			if rep.Options.Schema != c.o.Schema || len(rep.Options.Columns) != len(c.o.Columns) {
				t.Errorf("%+v", rep.Options)
			}
			if rep.Counters.Splits != 1 {
				t.Errorf("%d splits: the mapper never changed its program", rep.Counters.Splits)
			}
			var plan bytes.Buffer
			c.o.Output += "x"
			must(t, Describe(context.Background(), &c.o, &plan))
			if strings.Contains(plan.String(), "Left out: ") != (c.o.Columns != nil || c.o.Exclude != nil) {
				t.Error(plan.String())
			}
		})
	}
}

// What cannot be resolved is refused with file, field and types, and nothing is written.
func TestSchemasRefused(t *testing.T) {
	ints, texts := inputVersion{rec(`a "int"`), `{"a":1}`, 2}, inputVersion{rec(`a "string"`, `b "int"`), `{"a":"x","b":1}`, 1}
	for _, c := range []struct {
		name string
		o    Options
		exit int
		says []string
	}{
		{"no flag", Options{}, exit.StatusRefused, []string{"v0.avro", "v1.avro", `differs at "a": int, and string`, "--schema"}},
		{"latest", Options{Schema: "latest"}, exit.StatusRefused, []string{"v0.avro: ", `cannot resolve "a": it has int, but the wanted type is string`, "v1.avro"}},
		{"merge", Options{Schema: "merge"}, exit.StatusRefused, []string{"v1.avro: ", `cannot resolve "a": it has string, but the wanted type is int`}},
		{"no such file", Options{Schema: "no-such.avsc"}, exit.StatusRefused, []string{"no-such.avsc"}},
		{"not a schema", Options{Schema: "schemas_test.go"}, exit.StatusRefused, []string{"schemas_test.go", "not an Avro schema"}},
		{"no such column", Options{Schema: "latest", Columns: []string{"c"}}, exit.StatusRefused, []string{`no such field: "c"; there are a, b`}},
		{"an empty path", Options{Columns: []string{""}}, exit.StatusUsage, []string{"path is empty"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Inputs, c.o.Output = []string{write(t, ints, texts)}, filepath.Join(t.TempDir(), "out")
			_, err := Convert(context.Background(), &c.o)
			for _, s := range c.says {
				wantExit(t, err, c.exit, s)
			}
			if _, err := os.Stat(c.o.Output); !os.IsNotExist(err) {
				t.Errorf("there is an output: %v", err)
			}
		})
	}
}

// A row whose value the schema lacks fails the job, also where damage is skipped: it
// is no damage.
func TestUnresolvedRow(t *testing.T) {
	dir := write(t, inputVersion{rec(`a ["null","int"]`), "{\"a\":{\"int\":1}}\n{\"a\":null}", 1})
	given := filepath.Join(t.TempDir(), "s.avsc")
	must(t, os.WriteFile(given, []byte(rec(`a "int"`)), 0o644))
	for _, how := range []string{CorruptFail, CorruptSkipBlock, CorruptSkipFile} {
		o := Options{Inputs: []string{dir}, Output: filepath.Join(t.TempDir(), "out"), Schema: given, OnCorrupt: how}
		_, err := Convert(context.Background(), &o)
		wantExit(t, err, exit.StatusFailed, "v0.avro: block at")
		wantExit(t, err, exit.StatusFailed, "row 1: ")
		wantExit(t, err, exit.StatusFailed, "branch null of a union")
	}
}
