package interop

import "strings"

// A rule is one rule of Avro's schema resolution, shown by rows of a writer's schema and
// the schema they are read as.
type rule struct {
	name           string
	writer, reader string
	rows           string // Avro's JSON, one a line

	// refused is what convert says when it refuses the schemas, failed what it says of a
	// row; empty where it converts. Java must fail too, unless java says why not.
	refused, failed string
	java            string
}

// rec is a record R's schema; fields are "name type", with more attributes at the end.
func rec(fields ...string) string { return record("R", fields...) }

func record(name string, fields ...string) string {
	var list []string
	for _, f := range fields {
		name, typ, _ := strings.Cut(f, " ")
		list = append(list, `{"name":"`+name+`","type":`+typ+`}`)
	}
	return `{"type":"record","name":"` + name + `","fields":[` + strings.Join(list, ",") + `]}`
}

func array(items string) string  { return `{"type":"array","items":` + items + `}` }
func mapOf(values string) string { return `{"type":"map","values":` + values + `}` }

const (
	enumABC = `{"type":"enum","name":"E","symbols":["A","B","C"]}`
	enumCBX = `{"type":"enum","name":"E","symbols":["C","B","X"]}`
	enumDef = `{"type":"enum","name":"E","symbols":["X","C"],"default":"X"}`
	fixed4  = `{"type":"fixed","name":"F","size":4}`
	date    = `{"type":"int","logicalType":"date"}`
	millis  = `{"type":"long","logicalType":"timestamp-millis"}`
	micros  = `{"type":"long","logicalType":"timestamp-micros"}`
	three   = "{\"a\":1}\n{\"a\":-70000}\n{\"a\":2147483647}"
)

// numbers are rows of a number alone.
const (
	ints   = "0\n1\n-1\n63\n64\n16777217\n-2147483648\n2147483647"
	longs  = ints + "\n9007199254740993\n-9223372036854775808\n9223372036854775807"
	floats = "0\n1.5\n-3.25e10\n1e-40"
)

var rules = []rule{
	// Records.
	{name: "fields in another order", writer: rec(`a "int"`, `b "string"`), reader: rec(`b "string"`, `a "int"`), rows: `{"a":1,"b":"x"}`},
	{name: "field dropped", writer: rec(`a "int"`, `b "string"`, `c "double"`), reader: rec(`a "int"`, `c "double"`), rows: "{\"a\":1,\"b\":\"" + strings.Repeat("x", 100) + "\",\"c\":2}\n{\"a\":1,\"b\":\"\",\"c\":3}"},
	{name: "fields of each type dropped", writer: rec(`a "int"`, `b "boolean"`, `c "float"`, `d "bytes"`, `e `+enumABC, `f `+fixed4, `g `+array(`"long"`), `h `+mapOf(array(`"string"`)), `i ["null","int",`+record("S", `x "int"`, `y "string"`)+`]`, `j "S"`, `k "null"`, `l "long"`),
		reader: rec(`l "long"`), rows: `{"a":1,"b":true,"c":1.5,"d":"xy","e":"B","f":"abcd","g":[1,2,3],"h":{"k":["a","b"],"m":[]},"i":{"S":{"x":1,"y":"z"}},"j":{"x":2,"y":"w"},"k":null,"l":7}` + "\n" +
			`{"a":1,"b":true,"c":1.5,"d":"","e":"C","f":"abcd","g":[],"h":{},"i":null,"j":{"x":2,"y":""},"k":null,"l":8}`},
	{name: "field added with a default", writer: rec(`a "int"`), reader: rec(`n "null","default":null`, `z "boolean","default":true`, `i "int","default":-5`, `a "int"`, `l "long","default":5000000000`, `f "float","default":1.5`, `d "double","default":-2.5`, `s "string","default":"né"`, `b "bytes","default":"\u00ffa"`, `e `+enumABC+`,"default":"B"`, `x `+fixed4+`,"default":"abcd"`), rows: three},
	{name: "array and map by default", writer: rec(`a "int"`), reader: rec(`a "int"`, `g `+array(`"int"`)+`,"default":[1,2,3]`, `h `+array(`"string"`)+`,"default":[]`, `m `+mapOf(`"int"`)+`,"default":{"k":1}`, `o `+mapOf(`"int"`)+`,"default":{}`, `b `+array(`"boolean"`)+`,"default":[true,false,true]`), rows: three},
	{name: "record by default", writer: rec(`a "int"`), reader: rec(`a "int"`, `s `+record("S", `x "int","default":3`, `y ["null","string"],"default":null`, `z `+array(record("T", `t "long"`))+`,"default":[{"t":1},{"t":2}]`)+`,"default":{"x":9,"y":null}`), rows: three},
	{name: "union by default", writer: rec(`a "int"`), reader: rec(`a "int"`, `u ["null","string"],"default":null`, `v ["string","null"],"default":"x"`, `w ["int","string",`+record("S", `x "int"`)+`],"default":7`), rows: three},
	{name: "field added below", writer: rec(`s `+record("S", `x "int"`), `g `+array(`"S"`), `m `+mapOf(`"S"`), `u ["null","S"]`), reader: rec(`s `+record("S", `new "string","default":"d"`, `x "int"`, `more ["null","int"],"default":null`, `yes "boolean","default":true`), `g `+array(`"S"`), `m `+mapOf(`"S"`), `u ["null","S"]`),
		rows: `{"s":{"x":1},"g":[{"x":2},{"x":3}],"m":{"k":{"x":4}},"u":null}` + "\n" + `{"s":{"x":1},"g":[],"m":{},"u":{"S":{"x":5}}}`},
	{name: "field dropped below", writer: rec(`g ` + array(record("S", `x "int"`, `gone `+array(`"string"`), `y "long"`))), reader: rec(`g ` + array(record("S", `x "int"`, `y "long"`))), rows: `{"g":[{"x":1,"gone":["a","b"],"y":2},{"x":3,"gone":[],"y":4}]}` + "\n" + `{"g":[]}`},
	{name: "element of no fields left", writer: rec(`g `+array(record("S", `x "int"`)), `h "int"`), reader: rec(`g `+array(record("S")), `h "int"`), rows: `{"g":[{"x":1},{"x":2}],"h":1}`},
	{name: "elements of no bytes get a default", writer: rec(`g `+array(record("S")), `h "int"`), reader: rec(`g `+array(record("S", `x "int","default":4`)), `h "int"`), rows: `{"g":[{},{},{}],"h":1}`},
	{name: "rows of no bytes get a default", writer: rec(), reader: rec(`x "int","default":4`, `y ["null","int"],"default":null`), rows: "{}\n{}\n{}"},
	{name: "field added without a default", writer: rec(`a "int"`), reader: rec(`a "int"`, `b "int"`), rows: three, refused: `cannot resolve "b": it has no such field, but the wanted type is int without a default`},
	{name: "field added below without a default", writer: rec(`g ` + array(record("S"))), reader: rec(`g ` + array(record("S", `x "int"`))), rows: `{"g":[{}]}`, refused: `cannot resolve "g[].x"`},
	{name: "default of another type", writer: rec(`a "int"`), reader: rec(`a "int"`, `b "int","default":"x"`), rows: three, refused: "default does not fit its type"},
	{name: "record of another name", writer: record("Old", `a "int"`), reader: record("New", `a "int"`), rows: three},

	// Names and aliases.
	{name: "field by alias", writer: rec(`a "int"`, `b "int"`), reader: rec(`c "long","aliases":["x","b"]`, `a "int"`), rows: `{"a":1,"b":2}`},
	{name: "field by alias below", writer: rec(`g ` + array(record("S", `old "int"`))), reader: rec(`g ` + array(record("S", `new "int","aliases":["old"]`))), rows: `{"g":[{"old":1},{"old":2}]}`},
	{name: "record by alias in a union", writer: rec(`u ["null",` + record("Old", `a "int"`) + `,` + record("Other", `a "int"`) + `]`), reader: rec(`u ["null",` + strings.Replace(record("Fresh", `a "int"`), `"fields"`, `"aliases":["Other"],"fields"`, 1) + `,` + strings.Replace(record("New", `a "int"`), `"fields"`, `"aliases":["Old"],"fields"`, 1) + `]`),
		rows: `{"u":{"Old":{"a":1}}}` + "\n" + `{"u":{"Other":{"a":2}}}` + "\n" + `{"u":null}`},
	{name: "enum by alias", writer: rec(`e {"type":"enum","name":"Old","symbols":["A","B"]}`), reader: rec(`e {"type":"enum","name":"New","aliases":["Old"],"symbols":["B","A"]}`), rows: "{\"e\":\"A\"}\n{\"e\":\"B\"}"},
	{name: "fixed by alias", writer: rec(`f {"type":"fixed","name":"Old","size":2}`), reader: rec(`f {"type":"fixed","name":"New","aliases":["Old"],"size":2}`), rows: `{"f":"ab"}`},
	{name: "names in namespaces", writer: `{"type":"record","name":"R","namespace":"a.b","fields":[{"name":"x","type":{"type":"enum","name":"E","symbols":["A","B"]}},{"name":"y","type":"E"},{"name":"z","type":["null",{"type":"fixed","name":"c.F","size":2}]},{"name":"w","type":"c.F"}]}`,
		reader: `{"type":"record","name":"a.b.R","fields":[{"name":"w","type":{"type":"fixed","name":"F","namespace":"c","size":2}},{"name":"z","type":["null","c.F"]},{"name":"y","type":{"type":"enum","name":"a.b.E","symbols":["B","A"]}},{"name":"x","type":"a.b.E"}]}`,
		rows:   `{"x":"A","y":"B","z":{"c.F":"ab"},"w":"cd"}`},
	{name: "alias in a namespace", writer: `{"type":"record","name":"R","namespace":"n","fields":[{"name":"e","type":{"type":"enum","name":"m.Old","symbols":["A"]}}]}`, reader: `{"type":"record","name":"R","namespace":"n","fields":[{"name":"e","type":{"type":"enum","name":"New","aliases":["m.Old"],"symbols":["A"]}}]}`, rows: `{"e":"A"}`},
	{name: "enum of another namespace", writer: rec(`e {"type":"enum","name":"a.E","symbols":["A"]}`), reader: rec(`e {"type":"enum","name":"b.E","symbols":["A"]}`), rows: `{"e":"A"}`},
	{name: "enum of another name", writer: rec(`e {"type":"enum","name":"D","symbols":["A"]}`), reader: rec(`e ` + enumABC), rows: `{"e":"A"}`, refused: `cannot resolve "e": it has enum D, but the wanted type is enum E`},
	{name: "fixed of another name", writer: rec(`f {"type":"fixed","name":"G","size":4}`), reader: rec(`f ` + fixed4), rows: `{"f":"abcd"}`, refused: `cannot resolve "f": it has fixed G, but the wanted type is fixed F`},
	{name: "fixed of another size", writer: rec(`f {"type":"fixed","name":"F","size":3}`), reader: rec(`f ` + fixed4), rows: `{"f":"abc"}`, refused: `it has fixed F of 3 bytes, but the wanted type is fixed F of 4 bytes`},

	// Promotions.
	{name: "int to long", writer: `"int"`, reader: `"long"`, rows: ints},
	{name: "int to float", writer: `"int"`, reader: `"float"`, rows: ints},
	{name: "int to double", writer: `"int"`, reader: `"double"`, rows: ints},
	{name: "long to float", writer: `"long"`, reader: `"float"`, rows: longs},
	{name: "long to double", writer: `"long"`, reader: `"double"`, rows: longs},
	{name: "float to double", writer: `"float"`, reader: `"double"`, rows: floats},
	{name: "string to bytes", writer: `"string"`, reader: `"bytes"`, rows: "\"\"\n\"né\""},
	{name: "bytes to string", writer: `"bytes"`, reader: `"string"`, rows: "\"\"\n\"abc\""},
	{name: "promotion in a record", writer: rec(`a "int"`, `b "float"`, `c "string"`), reader: rec(`b "double"`, `c "bytes"`, `a "float"`), rows: `{"a":5,"b":1.5,"c":"x"}`},
	{name: "promotion in arrays and maps", writer: rec(`g `+array(`"int"`), `m `+mapOf(`"float"`), `h `+array(array(`"long"`))), reader: rec(`g `+array(`"double"`), `m `+mapOf(`"double"`), `h `+array(array(`"float"`))), rows: `{"g":[1,2,3],"m":{"k":1.5},"h":[[1,2],[],[3]]}`},
	{name: "long to int", writer: rec(`a "long"`), reader: rec(`a "int"`), rows: three, refused: `cannot resolve "a": it has long, but the wanted type is int`},
	{name: "double to float", writer: `"double"`, reader: `"float"`, rows: floats, refused: "cannot resolve the top level: it has double, but the wanted type is float"},
	{name: "string to int", writer: rec(`s ` + record("S", `a "string"`)), reader: rec(`s ` + record("S", `a "int"`)), rows: `{"s":{"a":"x"}}`, refused: `cannot resolve "s.a": it has string, but the wanted type is int`},
	{name: "boolean to int", writer: `"boolean"`, reader: `"int"`, rows: "true", refused: "it has boolean, but the wanted type is int"},
	{name: "array to map", writer: array(`"int"`), reader: mapOf(`"int"`), rows: "[]", refused: "it has array, but the wanted type is map"},

	// Unions.
	{name: "type to union with null", writer: rec(`a "int"`), reader: rec(`a ["null","int"]`), rows: three},
	{name: "null to union", writer: rec(`a "null"`), reader: rec(`a ["int","null"]`), rows: `{"a":null}`},
	{name: "type to union, promoted", writer: rec(`a "int"`, `b "float"`, `c "string"`), reader: rec(`a ["null","double"]`, `b ["string","double"]`, `c ["null","bytes"]`), rows: `{"a":5,"b":1.5,"c":"x"}`},
	{name: "exact branch before promoted", writer: rec(`a "int"`), reader: rec(`a ["double","long","int"]`), rows: three},
	{name: "first branch that promotes", writer: rec(`a "int"`), reader: rec(`a ["null","float","long","double"]`), rows: three},
	{name: "record to union by name", writer: rec(`s ` + record("S", `x "int"`)), reader: rec(`s ["null",` + record("T", `x "int"`) + `,` + record("S", `y "int","default":1`, `x "long"`) + `]`), rows: `{"s":{"x":1}}`},
	{name: "record to union by its fields", writer: rec(`s ` + record("S", `x "int"`)), reader: rec(`s ["null",` + record("T", `y "int"`) + `,` + record("U", `x "long"`) + `]`), rows: `{"s":{"x":1}}`},
	{name: "record to union by its last name", writer: rec(`s ` + record("a.S", `x "int"`)), reader: rec(`s [` + record("T", `x "long"`) + `,` + record("b.S", `x "int"`) + `]`), rows: `{"s":{"x":1}}`},
	{name: "union to type", writer: rec(`a ["null","int"]`), reader: rec(`a "int"`), rows: "{\"a\":{\"int\":1}}\n{\"a\":{\"int\":2}}"},
	{name: "union to type, promoted", writer: rec(`a ["int","float","long"]`), reader: rec(`a "double"`), rows: "{\"a\":{\"int\":1}}\n{\"a\":{\"float\":2.5}}\n{\"a\":{\"long\":2}}"},
	{name: "union to type, other branch met", writer: rec(`a ["null","int"]`), reader: rec(`a "int"`), rows: "{\"a\":{\"int\":1}}\n{\"a\":null}", failed: `row 1: column "a": value has no match in the wanted schema: branch null of a union`},
	{name: "union to type without a match", writer: rec(`a ["null","string"]`), reader: rec(`a "int"`), rows: `{"a":null}`, refused: `cannot resolve "a": it has union of null, string, but the wanted type is int`},
	{name: "union in another order", writer: rec(`a ["null","int"]`, `b ["string","null","int"]`), reader: rec(`a ["int","null"]`, `b ["int","string","null"]`), rows: `{"a":{"int":1},"b":{"string":"x"}}` + "\n" + `{"a":null,"b":null}` + "\n" + `{"a":null,"b":{"int":5}}`},
	{name: "union to a wider one", writer: rec(`a ["null","int"]`), reader: rec(`a ["string","null","int","boolean"]`), rows: "{\"a\":{\"int\":1}}\n{\"a\":null}"},
	{name: "union to a narrower one", writer: rec(`a ["null","int","string"]`), reader: rec(`a ["null","string"]`), rows: "{\"a\":{\"string\":\"x\"}}\n{\"a\":null}"},
	{name: "union to a narrower one, other branch met", writer: rec(`a ["null","int","string"]`), reader: rec(`a ["null","string"]`), rows: "{\"a\":{\"string\":\"x\"}}\n{\"a\":{\"int\":1}}", failed: "branch int of a union"},
	{name: "two branches to one", writer: rec(`a ["null","int","long"]`), reader: rec(`a ["null","long"]`), rows: "{\"a\":{\"int\":1}}\n{\"a\":{\"long\":2}}\n{\"a\":null}"},
	{name: "branches with changed fields", writer: rec(`u ["null",` + record("S", `x "int"`, `y `+array(`"int"`)) + `,` + record("T", `z "string"`) + `]`), reader: rec(`u ["null",` + record("T", `w "boolean","default":true`, `z "string"`) + `,` + record("S", `x "double"`) + `]`), rows: `{"u":{"S":{"x":1,"y":[1,2]}}}` + "\n" + `{"u":{"T":{"z":"q"}}}` + "\n" + `{"u":null}`},
	{name: "unions in arrays and maps", writer: rec(`g `+array(`["null","int"]`), `m `+mapOf(`"int"`), `h `+array(`"string"`)), reader: rec(`g `+array(`["long","null"]`), `m `+mapOf(`["null","int"]`), `h `+array(`["null","string","int"]`)), rows: `{"g":[null,{"int":1},null],"m":{"k":1},"h":["a","b"]}`},
	{name: "union at the top", writer: `["null","int","string"]`, reader: `["string","double","null"]`, rows: "null\n{\"int\":5}\n{\"string\":\"x\"}"},
	{name: "type to union without a match", writer: rec(`a "boolean"`), reader: rec(`a ["null","int"]`), rows: `{"a":true}`, refused: `cannot resolve "a": it has boolean, but the wanted type is union of null, int`},

	// Enums.
	{name: "symbols in another order", writer: rec(`e ` + enumABC), reader: rec(`e ` + enumCBX), rows: "{\"e\":\"B\"}\n{\"e\":\"C\"}"},
	{name: "symbols added", writer: enumABC, reader: `{"type":"enum","name":"E","symbols":["A","B","C","D"]}`, rows: "\"A\"\n\"C\""},
	{name: "symbol's default", writer: rec(`e `+enumABC, `g `+array(`"E"`)), reader: rec(`e `+enumDef, `g `+array(`"E"`)), rows: "{\"e\":\"B\",\"g\":[\"A\",\"C\"]}\n{\"e\":\"C\",\"g\":[]}"},
	{name: "symbol missing, not met", writer: rec(`e ` + enumABC), reader: rec(`e ` + enumCBX), rows: "{\"e\":\"C\"}"},
	{name: "symbol missing, met", writer: rec(`e ` + enumABC), reader: rec(`e ` + enumCBX), rows: "{\"e\":\"C\"}\n{\"e\":\"A\"}", failed: "symbol 0 of the enum, and there is no default"},
	{name: "enum in a union", writer: rec(`e ["null",` + enumABC + `]`), reader: rec(`e [` + enumDef + `,"null"]`), rows: "{\"e\":{\"E\":\"A\"}}\n{\"e\":null}\n{\"e\":{\"E\":\"C\"}}"},

	// Logical types.
	{name: "logical type added", writer: rec(`a "int"`), reader: rec(`a ` + date), rows: three},
	{name: "logical type dropped", writer: rec(`a ` + date), reader: rec(`a "long"`), rows: three},
	{name: "logical type changed", writer: rec(`a ` + millis), reader: rec(`a ` + micros), rows: three, refused: `cannot resolve "a": it has long (timestamp-millis), but the wanted type is long (timestamp-micros)`, java: "reads the same number, which then means another time"},
	{name: "decimal of another scale", writer: rec(`a {"type":"bytes","logicalType":"decimal","precision":9,"scale":2}`), reader: rec(`a {"type":"bytes","logicalType":"decimal","precision":9,"scale":3}`), rows: `{"a":"x"}`, refused: "it has bytes (decimal(9,2)), but the wanted type is bytes (decimal(9,3))", java: "reads the same number, which then means another value"},
	{name: "decimal of more digits", writer: rec(`a {"type":"bytes","logicalType":"decimal","precision":9,"scale":2}`), reader: rec(`a {"type":"bytes","logicalType":"decimal","precision":12,"scale":2}`), rows: `{"a":"x"}`},
	{name: "decimal of fewer digits", writer: rec(`a {"type":"bytes","logicalType":"decimal","precision":9,"scale":2}`), reader: rec(`a {"type":"bytes","logicalType":"decimal","precision":5,"scale":2}`), rows: `{"a":"x"}`, refused: "wanted type is bytes (decimal(5,2))", java: "reads a number that may have too many digits"},
}
