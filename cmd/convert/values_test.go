package main

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// values are of records, and must never be in a log: a text, bytes, a key, a number.
var values = []string{"canary-text", "canary-bytes", "canary-key", "7345345345", "canary-symbol"}

const valuesSchema = `{"type":"record","name":"R","fields":[{"name":"a","type":"string"},{"name":"b","type":"bytes"},
	{"name":"m","type":{"type":"map","values":"long"}},{"name":"u","type":["null","string"]},{"name":"e","type":{"type":"enum","name":"E","symbols":["canary-no","ok"]}},
	{"name":"i","type":"int"}]}`

// canaries is a row of values; a symbol past the last, and what is left of a row, damage it.
func canaries(symbol, number int64) []byte {
	b := text(text(nil, values[0]), values[1])
	b = append(text(longs2(b, 1), values[2]), longs(7345345345)...)
	b = append(b, 0)
	b = text(append(b, 2), values[4])
	return longs2(longs2(b, symbol), number)
}

func longs2(b []byte, v int64) []byte { return append(b, longs(v)...) }
func text(b []byte, s string) []byte  { return append(longs2(b, int64(len(s))), s...) }

// Values of records are neither printed nor logged nor reported, whatever is wrong with
// them.
func TestValuesAreNeverLogged(t *testing.T) {
	t.Chdir(t.TempDir())
	schema := strings.ReplaceAll(valuesSchema, "canary-no", "no")
	good := block(2, append(canaries(1, 1), canaries(0, 2)...))
	cut := canaries(1, 1)
	cases := []struct {
		name string
		data []byte
		args []string
		exit int
	}{
		{"good", good, nil, 0},
		{"verified", good, []string{"--verify"}, 0},
		{"bad symbol", block(1, canaries(9, 1)), nil, 4},
		{"int too large", block(1, canaries(1, 7345345345)), nil, 4},
		{"row cut short", block(2, append(canaries(1, 1), cut[:len(cut)-3]...)), nil, 4},
		{"bytes left", block(1, append(canaries(1, 1), cut...)), nil, 4},
		{"skipped", append(block(1, canaries(9, 1)), good...), []string{"--on-corrupt", "skip-block"}, 1},
		{"marker", append(good[:len(good)-1:len(good)-1], 'X'), nil, 4},
		{"resolved to no branch", good, []string{"--schema", "null.avsc"}, 4},
		{"resolved to no symbol", good, []string{"--schema", "symbol.avsc"}, 4},
		{"other schema", good, []string{"--schema", "other.avsc"}, 3},
		{"unsorted", block(2, append(canaries(1, 2), canaries(1, 1)...)), []string{"--index", "i"}, 4},
		{"long first value", block(1, append(text(nil, strings.Repeat("canary", 1000)), canaries(1, 1)[len(values[0])+1:]...)), []string{"--index", "a"}, 4},
		{"too many records", good, []string{"--expect-records", "1"}, 3},
	}
	for name, change := range map[string][2]string{
		"null.avsc":   {`["null","string"]`, `["null","int"]`},
		"symbol.avsc": {`["no","ok"]`, `["ok"]`},
		"other.avsc":  {`"name":"a","type":"string"`, `"name":"a","type":"long"`},
	} {
		if err := os.WriteFile(name, []byte(strings.Replace(schema, change[0], change[1], 1)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range cases {
		for _, format := range []string{"text", "json"} {
			t.Run(tt.name+" "+format, func(t *testing.T) {
				if err := os.WriteFile("in.avro", append(header(schema, "null"), tt.data...), 0o666); err != nil {
					t.Fatal(err)
				}
				args := append([]string{"--verbose", "--log-format", format, "--report", "report.json"}, tt.args...)
				code, said := exitOf(t, append(args, "in.avro", "out")...)
				if code != tt.exit {
					t.Fatalf("exit status %d, want %d: %s", code, tt.exit, said)
				}
				report, err := os.ReadFile("report.json")
				if err != nil {
					t.Fatal(err)
				}
				for _, value := range append(values, "canary") {
					if strings.Contains(said+string(report), value) {
						t.Errorf("%q is in %s\n%s", value, said, report)
					}
				}
				if err := errors.Join(os.RemoveAll("out"), os.Remove("report.json")); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}
