package jobs

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/jobs/inputs"
	"avro2trevni/trevni"
)

// TestNames converts rows of schemas whose names, defaults and keys only readers that
// check nothing take, and reads them back.
func TestNames(t *testing.T) {
	ab := `{"name":"a","type":"int"},{"name":"b","type":["null","long"]}`
	of := func(rest string) string { return `{"type":"record","name":"R",` + rest + `}` }
	two := []byte{2, 2, 4}
	one := []byte{2}
	for _, c := range []struct {
		name, schema, written string
		row                   []byte
		columns               string
		warning               string
	}{
		{"no name", `{"type":"record","name":"","fields":[` + ab + `]}`, `{"type":"record","name":"row","fields":[` + ab + `]}`, two, "a b/long", ""},
		{"no name below", of(`"fields":[{"name":"u","type":["null",{"type":"record","name":"","fields":[{"name":"x","type":"int"}]}]}]`), "", []byte{2, 2}, "u/ u/#x", `at=u/ why="a type's name is empty"`},
		{"no name of a fixed", of(`"fields":[{"name":"u","type":["null",{"type":"fixed","name":"","size":1}]}]`), "", []byte{2, 2}, "u/", `at=u/`},
		{"field without a name", of(`"fields":[{"name":"","type":"int"},{"name":"b","type":["null","long"]}]`), "", two, " b/long", `why="a field's name is empty"`},
		{"a union without a name", of(`"fields":[{"name":"","type":["null","long"]}]`), "", []byte{2, 4}, "/long", "a field's name is empty"},
		{"a record without a name", of(`"fields":[{"name":"","type":{"type":"record","name":"S","fields":[{"name":"x","type":"int"},{"name":"","type":"int"}]}}]`), "", []byte{2, 4}, "#x #", "a field's name is empty"},
		{"an array without a name", of(`"fields":[{"name":"","type":{"type":"array","items":"int"}}]`), "", []byte{2, 4, 0}, "[]", "a field's name is empty"},
		{"a map without a name", of(`"fields":[{"name":"","type":{"type":"map","values":"int"}}]`), "", []byte{2, 2, 'k', 4, 0}, "> >key >value", "a field's name is empty"},
		{"spaces and dashes", of(`"fields":[{"name":"a b-c","type":"int"}]`), "", one, "a b-c", `at="a b-c"`},
		{"dollar", `{"type":"record","name":"R","namespace":"a.B$","fields":[` + ab + `]}`, "", two, "a b/long", `at="the top level" why="the name \"B$\"`},
		{"array with a name", of(`"fields":[{"name":"t","type":{"type":"array","name":"tags","items":"int"}}]`), "", []byte{2, 4, 0}, "t[]", ""},
		{"null namespace", of(`"namespace":null,"fields":[` + ab + `]`), "", two, "a b/long", ""},
		{"a default that fits nothing", of(`"fields":[{"name":"a","type":"int","default":null},{"name":"b","type":["null","long"],"default":null}]`),
			of(`"fields":[{"name":"a","type":"int"},{"name":"b","type":["null","long"],"default":null}]`), two, "a b/long", ""},
		{"comments", "// a table\n" + of(`"fields":[`+ab+`]`), of(`"fields":[` + ab + `]`), two, "a b/long", ""},
		{"an enum twice", of(`"fields":[{"name":"a","type":{"type":"enum","name":"E","symbols":["A","B"]}},{"name":"b","type":{"type":"enum","name":"E","symbols":["A","B"]}}]`),
			of(`"fields":[{"name":"a","type":{"type":"enum","name":"E","symbols":["A","B"]}},{"name":"b","type":"E"}]`), []byte{2, 0}, "a b", ""},
		{"decimal of 100,000 digits", of(`"fields":[{"name":"a","type":{"type":"bytes","logicalType":"decimal","precision":100000,"scale":0}}]`), "", []byte{2, 7}, "a", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			in, out := filepath.Join(dir, "in.avro"), filepath.Join(dir, "out.trv")
			writeAvro(t, in, c.schema, c.row, c.row)
			var log bytes.Buffer
			_, err := Convert(context.Background(), &Options{
				Inputs: []string{in}, Output: out, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
			})
			must(t, err)
			rows, schema := rowsIn(t, out)
			if want := [][]byte{c.row, c.row}; !bytes.Equal(bytes.Join(rows, nil), bytes.Join(want, nil)) || len(rows) != 2 {
				t.Errorf("read back %x, want %x", rows, want)
			}
			if c.written == "" {
				c.written = c.schema
			}
			if schema != c.written {
				t.Errorf("wrote  %s\nwanted %s", schema, c.written)
			}
			if got := strings.Join(columnNames(t, out), " "); got != c.columns {
				t.Errorf("columns %q, want %q", got, c.columns)
			}
			if said := log.String(); !strings.Contains(said, c.warning) || (c.warning == "") != (said == "") || strings.Count(said, "\n") > 1 {
				t.Errorf("said %q, want %q", said, c.warning)
			}
		})
	}
}

// columnNames returns the names of a file's columns.
func columnNames(t *testing.T, name string) (names []string) {
	t.Helper()
	f, err := trevni.OpenFile(name, nil)
	must(t, err)
	defer f.Close()
	for _, c := range f.Header().Columns {
		names = append(names, c.Name)
	}
	return names
}

// TestSortBesideABadDefault sorts by a field whose order says descending, where another
// field's default is of another type.
func TestSortBesideABadDefault(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.avro"), filepath.Join(dir, "out.trv")
	schema := `{"type":"record","name":"R","fields":[{"name":"a","type":"int","order":"descending"},{"name":"b","type":"int","default":null}]}`
	writeAvro(t, in, schema, []byte{2, 0}, []byte{6, 0}, []byte{4, 0})
	_, err := Convert(context.Background(), &Options{Inputs: []string{in}, Output: out, SortBy: []string{"a"}})
	must(t, err)
	rows, _ := rowsIn(t, out)
	if got := bytes.Join(rows, nil); !bytes.Equal(got, []byte{6, 0, 4, 0, 2, 0}) {
		t.Errorf("sorted %x, want 3, 2, 1", got)
	}
}

// TestFlatFields has a schema in whose fields their types' keys stand, as goavro takes it,
// written as the specification has it, however it is used.
func TestFlatFields(t *testing.T) {
	of := func(fields string) string { return `{"type":"record","name":"R","fields":[` + fields + `]}` }
	const (
		a, b  = `{"name":"a","type":{"type":"array","items":"int"},"default":[]}`, `{"name":"b","type":"int"}`
		flatA = `{"name":"a","type":"array","items":"int","default":[]}`
	)
	dir, written := t.TempDir(), filepath.Join(t.TempDir(), "flat.avsc")
	first, second := filepath.Join(dir, "1.avro"), filepath.Join(dir, "2.avro")
	writeAvro(t, first, of(flatA+","+b), []byte{2, 14, 0, 4})
	writeAvro(t, second, of(b), []byte{2})
	must(t, os.WriteFile(written, []byte(of(flatA+","+b)), 0o666))
	for _, c := range []struct {
		o    Options
		want string
		rows []byte
	}{
		{Options{Inputs: []string{first}}, of(a + "," + b), []byte{2, 14, 0, 4}},
		{Options{Inputs: []string{dir}, Schema: inputs.SchemaMerge}, of(a + "," + b), []byte{2, 14, 0, 4, 0, 2}},
		{Options{Inputs: []string{dir}, Schema: written, SortBy: []string{"b"}}, of(a + "," + b), []byte{0, 2, 2, 14, 0, 4}},
		{Options{Inputs: []string{first}, Columns: []string{"a"}}, of(a), []byte{2, 14, 0}},
		{Options{Inputs: []string{first}, Exclude: []string{"a"}}, of(b), []byte{4}},
	} {
		c.o.Output, c.o.Verify = filepath.Join(t.TempDir(), "out.trv"), true
		_, err := Convert(context.Background(), &c.o)
		must(t, err)
		rows, schema := rowsIn(t, c.o.Output)
		if got := bytes.Join(rows, nil); schema != c.want || !bytes.Equal(got, c.rows) {
			t.Errorf("%+v:\nrows %x of %s\nwant %x of %s", c.o, got, schema, c.rows, c.want)
		}
	}
}

// TestSchemaMemoryWhereDamageIsSkipped has a schema too large for the memory refused
// before it is parsed, whether or not damage is skipped: one that is none is not found to
// be damaged first.
func TestSchemaMemoryWhereDamageIsSkipped(t *testing.T) {
	var fields []string
	for i := range 50_000 {
		fields = append(fields, fmt.Sprintf(`{"name":"f%d","type":"null"}`, i))
	}
	for _, broken := range []bool{false, true} {
		schema := `{"type":"record","name":"R","fields":[` + strings.Join(fields, ",") + `]}`
		if broken {
			schema = strings.TrimSuffix(schema, "}")
		}
		in := filepath.Join(t.TempDir(), "in.avro")
		writeAvro(t, in, schema, nil)
		for _, skip := range []string{CorruptFail, CorruptSkipBlock, CorruptSkipFile} {
			_, err := Convert(context.Background(), &Options{
				Inputs: []string{in}, Output: filepath.Join(t.TempDir(), "out.trv"), Memory: 64 << 20, OnCorrupt: skip,
			})
			if exit.Code(err) != exit.StatusRefused || !strings.Contains(err.Error(), "too little for the schema") {
				t.Errorf("%s, broken %v: %v", skip, broken, err)
			}
		}
	}
}

// TestSchemaFile resolves to a schema in a file as people write them: with a byte order
// mark and comments, without a name. --dry-run says which inputs it is not the schema of,
// and what Java's Trevni reader has against it.
func TestSchemaFile(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "in"), 0o755))
	old := `{"type":"record","name":"R","fields":[{"name":"a b","type":"int"}]}`
	now := `{"type":"record","name":"R","fields":[{"name":"a b","type":"long"}]}`
	for i, schema := range []string{old, now, old} {
		writeAvro(t, filepath.Join(dir, "in", string(rune('a'+i))+".avro"), schema, []byte{2})
	}
	given := filepath.Join(dir, "given.avsc")
	must(t, os.WriteFile(given, []byte("\ufeff/* rows */\n"+strings.Replace(now, `"R"`, `"" // none`+"\n", 1)), 0o644))
	o := Options{Inputs: []string{filepath.Join(dir, "in")}, Output: filepath.Join(dir, "out.trv"), Schema: given}
	var plan bytes.Buffer
	must(t, Describe(t.Context(), &o, &plan))
	for _, want := range []string{"to which 3 of 3 inputs are resolved", "(Java's Trevni reader does not open it: at a b, the name"} {
		if !strings.Contains(plan.String(), want) {
			t.Errorf("no %q in\n%s", want, &plan)
		}
	}
	_, err := Convert(t.Context(), &o)
	must(t, err)
	if rows, schema := rowsIn(t, o.Output); len(rows) != 3 || schema != strings.Replace(now, `"R"`, `"row"`, 1) {
		t.Errorf("%x of %s", rows, schema)
	}
}
