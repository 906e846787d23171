package schema

import "testing"

// TestWritten is of what readers that check names and defaults would refuse, and of what
// they take.
func TestWritten(t *testing.T) {
	rec := func(fields string) string { return `{"type":"record","name":"R","fields":[` + fields + `]}` }
	tests := []struct{ name, text, want string }{
		{"as it stands", `{ "type" : "record", "name":"R", "doc":"x", "fields":[{"name":"a b","type":"int","default":1}] }`, ""},
		{"no name at the top", `{"type":"record","name":"","x":1,"fields":[]}`, `{"type":"record","name":"row","x":1,"fields":[]}`},
		{"no name at the top, in a namespace", `{"type":"record","name":"","namespace":"n","fields":[]}`, `{"type":"record","name":"row","namespace":"n","fields":[]}`},
		{"comments", "/* R */ " + rec(``), rec(``)},
		{"default of another type", rec(`{"name":"a","type":"int","default":null,"doc":"d"},{"name":"b","type":"int","default":7}`), rec(`{"name":"a","type":"int","doc":"d"},{"name":"b","type":"int","default":7}`)},
		{"default of an int past 32 bits", rec(`{"name":"a","type":"int","default":2147483648}`), rec(`{"name":"a","type":"int"}`)},
		{"number with a point for an int", rec(`{"name":"a","type":"long","default":1.0}`), rec(`{"name":"a","type":"long"}`)},
		{"text for a double", rec(`{"name":"a","type":"double","default":"NaN"},{"name":"b","type":"float","default":"x"}`), rec(`{"name":"a","type":"double","default":"NaN"},{"name":"b","type":"float"}`)},
		{"default of another branch", rec(`{"name":"a","type":["null","int"],"default":7}`), ""},
		{"symbol that is none", rec(`{"name":"a","type":{"type":"enum","name":"E","symbols":["A"]},"default":"Z"}`), ""},
		{"null for a map", rec(`{"name":"a","type":{"type":"map","values":"int"},"default":null}`), rec(`{"name":"a","type":{"type":"map","values":"int"}}`)},
		{"record by its fields' defaults", rec(`{"name":"a","type":{"type":"record","name":"S","fields":[{"name":"x","type":"int","default":1}]},"default":{}}`), ""},
		{"record that lacks a field", rec(`{"name":"a","type":{"type":"record","name":"S","fields":[{"name":"x","type":"int"}]},"default":{}}`), rec(`{"name":"a","type":{"type":"record","name":"S","fields":[{"name":"x","type":"int"}]}}`)},
		{"array with one wrong element", rec(`{"name":"a","type":{"type":"array","items":"int"},"default":[1,"x"]}`), rec(`{"name":"a","type":{"type":"array","items":"int"}}`)},
		{"a type that wraps another", rec(`{"name":"a","type":{"type":{"type":"int"}}}`), rec(`{"name":"a","type":{"type":"int"}}`)},
		{"defined twice", rec(`{"name":"a","type":{"type":"enum","name":"E","symbols":["A"]}},{"name":"b","type":{"type":"enum","name":"E","symbols":["A"],"doc":"again"}}`), rec(`{"name":"a","type":{"type":"enum","name":"E","symbols":["A"]}},{"name":"b","type":"E"}`)},
		{"order and aliases of other types", rec(`{"name":"a","type":"int","order":"up","aliases":null},{"name":"b","type":"int","order":"Ignore","aliases":["z"]}`), rec(`{"name":"a","type":"int"},{"name":"b","type":"int","order":"Ignore","aliases":["z"]}`)},
		{"an enum's default that is no symbol", `{"type":"enum","name":"E","symbols":["A"],"default":"Z"}`, `{"type":"enum","name":"E","symbols":["A"]}`},
		{"size in quotes", `{"type":"fixed","name":"F","size":"4"}`, `{"type":"fixed","name":"F","size":4}`},
		{"a name of no namespace, used before it is defined", `{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"record","name":"n.S","fields":[{"name":"x","type":"F"}]}},{"name":"b","type":{"type":"fixed","name":"F","size":1}}]}`,
			`{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"record","name":"S","namespace":"n","fields":[{"name":"x","type":{"type":"fixed","name":"F","namespace":"","size":1}}]}},{"name":"b","type":"F"}]}`},
		{"primitive's name in a namespace", "//\n" + `{"type":"record","name":"n.R","fields":[{"name":"a","type":{"type":"fixed","name":"int","size":4}},{"name":"b","type":"n.int"}]}`, `{"type":"record","name":"R","namespace":"n","fields":[{"name":"a","type":{"type":"fixed","name":"int","size":4}},{"name":"b","type":"n.int"}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, err := ParseText(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if tt.want == "" {
				tt.want = tt.text
			}
			if got, err := text.All().JSON(); got != tt.want || err != nil {
				t.Errorf("%v\ngot  %s\nwant %s", err, got, tt.want)
			}
			if err := Equal(text.Schema, mustParse(t, tt.want)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestUnreadable is of what only a reader that checks nothing reads.
func TestUnreadable(t *testing.T) {
	rec := func(fields string) string { return `{"type":"record","name":"R","fields":[` + fields + `]}` }
	const other = " has other characters than letters, digits and _, or begins with a digit"
	tests := []struct{ name, text, path, why string }{
		{"nothing", rec(`{"name":"ä_1","type":["null","int"],"default":null}`), "", ""},
		{"space in a field", rec(`{"name":"b","type":"int"},{"name":"a b","type":"int"}`), "a b", `the name "a b"` + other},
		{"digit first", rec(`{"name":"1","type":"int"}`), "1", `the name "1"` + other},
		{"field without a name", rec(`{"name":"","type":"int"}`), "", `a field's name is empty`},
		{"namespace", `{"type":"record","name":"R","namespace":"a.b$","fields":[]}`, "", `the name "b$"` + other},
		{"namespace with two dots", `{"type":"record","name":"R","namespace":"a..b","fields":[]}`, "", `a type's name is empty`},
		{"type below", rec(`{"name":"a","type":["null",{"type":"record","name":"","fields":[]}]}`), "a/", "a type's name is empty"},
		{"symbol", rec(`{"name":"a","type":{"type":"array","items":{"type":"enum","name":"E","symbols":["x","y-z"]}}}`), "a[]", `the name "y-z"` + other},
		{"alias", `{"type":"fixed","name":"F","size":1,"aliases":["a-b"]}`, "", `the name "a-b"` + other},
		{"alias of a field", rec(`{"name":"a","type":"int","aliases":["a-b"]}`), "", ""},
		{"letter past 16 bits", rec(`{"name":"𝒳","type":"int"}`), "𝒳", `the name "𝒳"` + other},
		{"not a number, in an array", rec(`{"name":"a","type":{"type":"array","items":"double"},"default":["NaN"]}`), "a", "its default is none that Java takes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, err := ParseText(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if path, why := text.Unreadable(); path != tt.path || why != tt.why {
				t.Errorf("got %q, %q, want %q, %q", path, why, tt.path, tt.why)
			}
		})
	}
}
