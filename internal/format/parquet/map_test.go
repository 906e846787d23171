package parquet

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"avro2trevni/internal/format/parquet/leveltest"
	"avro2trevni/internal/schema"
	"avro2trevni/mapper"
)

// record returns a schema of a record with the fields.
func record(fields string) string {
	return `{"type":"record","name":"n.R","fields":[` + fields + `]}`
}

// field returns a schema of a record with one field "f".
func field(of string) string {
	return `{"type":"record","name":"n.Top","fields":[{"name":"f","type":` + of + `}]}`
}

// lay maps a schema.
func lay(t testing.TB, text string, o Options) *Layout {
	t.Helper()
	l, err := Map(selection(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func selection(t testing.TB, text string) *schema.Selection {
	t.Helper()
	s, err := schema.ParseText(text)
	if err != nil {
		t.Fatal(err)
	}
	return s.All()
}

// flat puts a message's fields on one line.
func flat(message string) string {
	_, fields, _ := strings.Cut(message, "{\n")
	return strings.TrimSpace(strings.Join(strings.Fields(strings.TrimSuffix(fields, "}\n")), " "))
}

// TestMap maps the lines of the table.
func TestMap(t *testing.T) {
	for _, c := range leveltest.Lines {
		t.Run(c.Name, func(t *testing.T) {
			if c.All == "" {
				c.All = c.Portable
			}
			if got := flat(lay(t, field(c.Avro), Options{}).Schema.String()); got != c.Portable {
				t.Errorf("portable:\n got %s\nwant %s", got, c.Portable)
			}
			if got := flat(lay(t, field(c.Avro), Options{Logical: All}).Schema.String()); got != c.All {
				t.Errorf("all:\n got %s\nwant %s", got, c.All)
			}
		})
	}
}

// TestMapTop maps what stands at the top.
func TestMapTop(t *testing.T) {
	for avro, want := range map[string]string{
		field(`"int"`):                    "message n.Top {\n  required int32 f;\n}\n",
		record(``):                        "message n.R {\n  optional boolean _;\n}\n",
		`"int"`:                           "message row {\n  required int32 value;\n}\n",
		`"null"`:                          "message row {\n  optional boolean value;\n}\n",
		`["null"]`:                        "message row {\n  optional boolean value;\n}\n",
		`["null","string"]`:               "message row {\n  optional binary value (STRING);\n}\n",
		`["null",` + field(`"int"`) + `]`: "message row {\n  optional group value {\n    required int32 f;\n  }\n}\n",
		`{"type":"array","items":"int"}`:  "message row {\n  required group value (LIST) {\n    repeated group list {\n      required int32 element;\n    }\n  }\n}\n",
	} {
		if got := lay(t, avro, Options{}).Schema.String(); got != want {
			t.Errorf("%s:\n got %s\nwant %s", avro, got, want)
		}
	}
}

// TestMapBinary has no strings, nor keys of maps, that need be UTF-8.
func TestMapBinary(t *testing.T) {
	l := lay(t, field(`{"type":"map","values":"string"}`), Options{Binary: true})
	const want = `required group f (MAP) { repeated group key_value { required binary key; required binary value; } }`
	if got := flat(l.Schema.String()); got != want {
		t.Errorf("got %s", got)
	}
}

// TestMapSelection leaves out fields, and what a union's null then stands for.
func TestMapSelection(t *testing.T) {
	text, err := schema.ParseText(record(`{"name":"a","type":"int"},{"name":"u","type":["null","int",` +
		`{"type":"record","name":"S","fields":[{"name":"x","type":"int"},{"name":"y","type":"int"}]}]},{"name":"b","type":"int"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		columns, exclude []string
		want             string
	}{
		{[]string{"b", "a"}, nil, `required int32 a; required int32 b;`},
		{[]string{"u.y"}, nil, `optional group u { required int32 y; }`},
		{nil, []string{"a", "u.x", "u.y"}, `optional group u { optional int32 member0; optional group member1 { optional boolean _; } } required int32 b;`},
	} {
		rows, err := text.Select(c.columns, c.exclude)
		if err != nil {
			t.Fatal(err)
		}
		l, err := Map(rows, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := flat(l.Schema.String()); got != c.want {
			t.Errorf("%v, %v: %s", c.columns, c.exclude, got)
		}
	}
}

// TestMapRefuses has what there are no columns for.
func TestMapRefuses(t *testing.T) {
	double := `"int"`
	for i := range 20 {
		double = fmt.Sprintf(`{"type":"record","name":"R%d","fields":[{"name":"a","type":%s},{"name":"b","type":"R%d"}]}`, i, double, i-1)
		double = strings.Replace(double, `"R-1"`, `"int"`, 1)
	}
	for _, c := range []struct {
		name, avro string
		is         error
		says       string
	}{
		{
			"recursive", record(`{"name":"a","type":{"type":"array","items":{"type":"record","name":"B","fields":[` +
				`{"name":"b","type":["null",{"type":"record","name":"N","fields":[{"name":"next","type":["null","N"]}]}]}]}}}`),
			mapper.ErrRecursive, `n.N contains itself at "a.b.next"`,
		},
		{"recursive by a map", record(`{"name":"m","type":{"type":"map","values":"R"}}`), mapper.ErrRecursive, `n.R contains itself at "m"`},
		{"too wide", double, mapper.ErrTooWide, ""},
		{"a fixed of 2 GiB", field(`{"type":"fixed","name":"F","size":2147483647}`), nil, `"f": a fixed of 2147483647 bytes`},
		{"a number of too many digits", field(`{"type":"bytes","logicalType":"decimal","precision":2000000000}`), nil, `"f": a decimal(2000000000,0)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Map(selection(t, c.avro), Options{Logical: All})
			if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestMapReuses maps a type that is used twice, which is no recursion.
func TestMapReuses(t *testing.T) {
	l := lay(t, record(`{"name":"a","type":{"type":"record","name":"S","fields":[{"name":"x","type":"int"}]}},{"name":"b","type":"S"}`), Options{})
	const want = `required group a { required int32 x; } required group b { required int32 x; }`
	if got := flat(l.Schema.String()); got != want {
		t.Errorf("got %s", got)
	}
}

func TestMapNotes(t *testing.T) {
	l := lay(t, record(`{"name":"s","type":{"type":"record","name":"S","fields":[`+`{"name":"Id","type":"int"},{"name":"id","type":"int"}]}},`+
		`{"name":"S2","type":{"type":"bytes","logicalType":"decimal","precision":50}}`), Options{})
	want := []string{`the names "s.Id" and "s.id" differ only in case`, `"S2" is a decimal(50,0) of more than 38 digits`}
	if len(l.Notes) != len(want) {
		t.Fatalf("%q", l.Notes)
	}
	for i := range want {
		if !strings.HasPrefix(l.Notes[i], want[i]) {
			t.Errorf("%q, want %q", l.Notes[i], want[i])
		}
	}
}
