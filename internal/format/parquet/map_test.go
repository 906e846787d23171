package parquet

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"avro2trevni/internal/schema"
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

// TestMap has the lines of the table in the package's text, and what Parquet's fields become
// of a record's field "f".
func TestMap(t *testing.T) {
	for _, c := range []struct {
		name, avro     string
		portable, all_ string // all_ is empty where it is as portable
	}{
		{"null", `"null"`, `optional boolean _;`, ``},
		{"boolean", `"boolean"`, `required boolean f;`, ``},
		{"int", `"int"`, `required int32 f;`, ``},
		{"long", `"long"`, `required int64 f;`, ``},
		{"float", `"float"`, `required float f;`, ``},
		{"double", `"double"`, `required double f;`, ``},
		{"string", `"string"`, `required binary f (STRING);`, ``},
		{"bytes", `"bytes"`, `required binary f;`, ``},
		{"fixed", `{"type":"fixed","name":"F","size":5}`, `required fixed_len_byte_array(5) f;`, ``},
		{"fixed of no bytes", `{"type":"fixed","name":"F","size":0}`, `required binary f;`, ``},
		{"enum", `{"type":"enum","name":"E","symbols":["A","B"]}`, `required binary f (STRING);`, ``},
		{"record", record(`{"name":"x","type":"int"},{"name":"y","type":"null"}`), `required group f { required int32 x; }`, ``},
		{"record of no fields", record(``), `required group f { optional boolean _; }`, ``},
		{"record of nulls", record(`{"name":"x","type":"null"}`), `required group f { optional boolean _; }`, ``},
		{"array", `{"type":"array","items":"int"}`, `required group f (LIST) { repeated group list { required int32 element; } }`, ``},
		{"array of options", `{"type":"array","items":["null","int"]}`, `required group f (LIST) { repeated group list { optional int32 element; } }`, ``},
		{"array of nulls", `{"type":"array","items":"null"}`, `required group f (LIST) { repeated group list { optional boolean element; } }`, ``},
		{"array of unions of null", `{"type":"array","items":["null"]}`, `required group f (LIST) { repeated group list { optional boolean element; } }`, ``},
		{
			"array of arrays", `["null",{"type":"array","items":{"type":"array","items":"string"}}]`,
			`optional group f (LIST) { repeated group list { required group element (LIST) { repeated group list { required binary element (STRING); } } } }`, ``,
		},
		{"map", `{"type":"map","values":"long"}`, `required group f (MAP) { repeated group key_value { required binary key (STRING); required int64 value; } }`, ``},
		{"map of options", `["null",{"type":"map","values":["long","null"]}]`, `optional group f (MAP) { repeated group key_value { required binary key (STRING); optional int64 value; } }`, ``},
		{"map of nulls", `{"type":"map","values":"null"}`, `required group f (MAP) { repeated group key_value { required binary key (STRING); optional boolean value; } }`, ``},
		{"option", `["null","string"]`, `optional binary f (STRING);`, ``},
		{"option, null last", `["int","null"]`, `optional int32 f;`, ``},
		{"option of a record", `["null",` + record(`{"name":"x","type":"int"}`) + `]`, `optional group f { required int32 x; }`, ``},
		{"union of one", `["int"]`, `required int32 f;`, ``},
		{"union of null", `["null"]`, `optional boolean _;`, ``},
		{"union", `["int","string"]`, `required group f { optional int32 member0; optional binary member1 (STRING); }`, ``},
		{"union with null", `["int","null","string"]`, `optional group f { optional int32 member0; optional binary member1 (STRING); }`, ``},
		{
			"union of nested", `["null",{"type":"array","items":"int"},{"type":"map","values":"int"},` + record(``) + `]`,
			`optional group f { optional group member0 (LIST) { repeated group list { required int32 element; } }` +
				` optional group member1 (MAP) { repeated group key_value { required binary key (STRING); required int32 value; } }` +
				` optional group member2 { optional boolean _; } }`, ``,
		},
		{"decimal of 9 digits", `{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}`, `required int32 f (DECIMAL(9,2));`, ``},
		{"decimal of 10 digits", `{"type":"bytes","logicalType":"decimal","precision":10}`, `required int64 f (DECIMAL(10,0));`, ``},
		{"decimal of 18 digits", `{"type":"fixed","name":"F","size":12,"logicalType":"decimal","precision":18,"scale":18}`, `required int64 f (DECIMAL(18,18));`, ``},
		{"decimal of 19 digits", `["null",{"type":"bytes","logicalType":"decimal","precision":19,"scale":2}]`, `optional fixed_len_byte_array(9) f (DECIMAL(19,2));`, ``},
		{"decimal of 38 digits", `{"type":"fixed","name":"F","size":20,"logicalType":"decimal","precision":38,"scale":9}`, `required fixed_len_byte_array(16) f (DECIMAL(38,9));`, ``},
		{"decimal of 39 digits", `{"type":"bytes","logicalType":"decimal","precision":39,"scale":2}`, `required binary f;`, `required fixed_len_byte_array(17) f (DECIMAL(39,2));`},
		{"decimal with more scale than digits", `{"type":"bytes","logicalType":"decimal","precision":2,"scale":3}`, `required binary f;`, ``},
		{"big-decimal", `{"type":"bytes","logicalType":"big-decimal"}`, `required binary f;`, ``},
		{"date", `{"type":"int","logicalType":"date"}`, `required int32 f (DATE);`, ``},
		{"time-millis", `{"type":"int","logicalType":"time-millis"}`, `required int32 f;`, `required int32 f (TIME(MILLIS,false));`},
		{"time-micros", `{"type":"long","logicalType":"time-micros"}`, `required int64 f;`, `required int64 f (TIME(MICROS,false));`},
		{"timestamp-millis", `{"type":"long","logicalType":"timestamp-millis"}`, `required int64 f (TIMESTAMP(MILLIS,true));`, ``},
		{"timestamp-micros", `{"type":"long","logicalType":"timestamp-micros"}`, `required int64 f (TIMESTAMP(MICROS,true));`, ``},
		{"timestamp-nanos", `{"type":"long","logicalType":"timestamp-nanos"}`, `required int64 f;`, `required int64 f (TIMESTAMP(NANOS,true));`},
		{"local-timestamp-millis", `{"type":"long","logicalType":"local-timestamp-millis"}`, `required int64 f (TIMESTAMP(MILLIS,false));`, ``},
		{"local-timestamp-micros", `{"type":"long","logicalType":"local-timestamp-micros"}`, `required int64 f (TIMESTAMP(MICROS,false));`, ``},
		{"local-timestamp-nanos", `{"type":"long","logicalType":"local-timestamp-nanos"}`, `required int64 f;`, `required int64 f (TIMESTAMP(NANOS,false));`},
		{"uuid on string", `{"type":"string","logicalType":"uuid"}`, `required binary f (STRING);`, ``},
		{"uuid on fixed", `{"type":"fixed","name":"F","size":16,"logicalType":"uuid"}`, `required fixed_len_byte_array(16) f;`, `required fixed_len_byte_array(16) f (UUID);`},
		{"duration", `{"type":"fixed","name":"F","size":12,"logicalType":"duration"}`, `required fixed_len_byte_array(12) f;`, `required fixed_len_byte_array(12) f (INTERVAL);`},
		{"unknown logical type", `{"type":"long","logicalType":"parsec"}`, `required int64 f;`, ``},
		{"misplaced logical type", `{"type":"string","logicalType":"date"}`, `required binary f (STRING);`, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.all_ == "" {
				c.all_ = c.portable
			}
			if got := flat(lay(t, field(c.avro), Options{}).Schema.String()); got != c.portable {
				t.Errorf("portable:\n got %s\nwant %s", got, c.portable)
			}
			if got := flat(lay(t, field(c.avro), Options{Logical: All}).Schema.String()); got != c.all_ {
				t.Errorf("all:\n got %s\nwant %s", got, c.all_)
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
			ErrRecursive, `n.N contains itself at "a.b.next"`,
		},
		{"recursive by a map", record(`{"name":"m","type":{"type":"map","values":"R"}}`), ErrRecursive, `n.R contains itself at "m"`},
		{"too wide", double, ErrTooWide, ""},
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
	want := []string{`"s.Id" and "s.id" differ by case alone`, `"S2" has a decimal(50,0) of more than 38 digits`}
	if len(l.Notes) != len(want) {
		t.Fatalf("%q", l.Notes)
	}
	for i := range want {
		if !strings.HasPrefix(l.Notes[i], want[i]) {
			t.Errorf("%q, want %q", l.Notes[i], want[i])
		}
	}
}
