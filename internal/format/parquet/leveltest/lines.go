package leveltest

// Line is a line of the mapping's table: a type, and what it becomes as a record's field "f".
type Line struct {
	Name, Avro    string
	Portable, All string // Parquet's field, on one line; All is empty where it is as Portable
}

// record returns a schema of a record with the fields.
func record(fields string) string {
	return `{"type":"record","name":"n.R","fields":[` + fields + `]}`
}

// Lines are the table, line by line.
var Lines = []Line{
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
}
