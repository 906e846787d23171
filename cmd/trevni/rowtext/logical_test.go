package rowtext

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"avro2trevni/internal/schema"
)

func TestLogical(t *testing.T) {
	long := func(v int64) []byte { return binary.AppendVarint(nil, v) }
	data := func(b ...byte) []byte { return append(long(int64(len(b))), b...) }
	logical := func(kind, name, more string) string {
		return `{"type":"` + kind + `","name":"F","logicalType":"` + name + `"` + more + `}`
	}
	const noon = 12 * 3600
	for _, c := range []struct {
		name, schema string
		value        []byte
		want         string
	}{
		{"date", logical("int", "date", ""), long(19783), `"2024-03-01"`},
		{"date before 1970", logical("int", "date", ""), long(-1), `"1969-12-31"`},
		{"date of a far year", logical("int", "date", ""), long(math.MaxInt32), `"+5881580-07-11"`},
		{"date before the year 0", logical("int", "date", ""), long(-719528 - 365), `"-0001-01-01"`},
		{"time in ms", logical("int", "time-millis", ""), long(noon*1000 + 5), `"12:00:00.005"`},
		{"time in us", logical("long", "time-micros", ""), long(1), `"00:00:00.000001"`},
		{"time of more than a day", logical("int", "time-millis", ""), long(86400_000), `86400000`},
		{"negative time", logical("int", "time-millis", ""), long(-1), `-1`},
		{"timestamp", logical("long", "timestamp-millis", ""), long(1709294730250), `"2024-03-01T12:05:30.250Z"`},
		{"timestamp before 1970", logical("long", "timestamp-micros", ""), long(-1), `"1969-12-31T23:59:59.999999Z"`},
		{"timestamp in ns", logical("long", "timestamp-nanos", ""), long(1), `"1970-01-01T00:00:00.000000001Z"`},
		{"least timestamp", logical("long", "timestamp-millis", ""), long(math.MinInt64), `"-292275055-05-16T16:47:04.192Z"`},
		{"local timestamp", logical("long", "local-timestamp-micros", ""), long(0), `"1970-01-01T00:00:00.000000"`},
		{"decimal", logical("bytes", "decimal", `,"precision":9,"scale":2`), data(0x04, 0xd2), `"12.34"`},
		{"negative decimal", logical("bytes", "decimal", `,"precision":9,"scale":2`), data(0xff), `"-0.01"`},
		{"decimal of no bytes", logical("bytes", "decimal", `,"precision":9,"scale":2`), data(), `"0.00"`},
		{"decimal without scale", logical("bytes", "decimal", `,"precision":9`), data(0x80), `"-128"`},
		{"decimal, fixed", logical("fixed", "decimal", `,"precision":9,"scale":3,"size":4`), []byte{0, 0, 0x30, 0x39}, `"12.345"`},
		{"decimal of very many bytes", logical("bytes", "decimal", `,"precision":9,"scale":2`), data(bytes.Repeat([]byte{'x'}, 1025)...), `"` + strings.Repeat("x", 1025) + `"`},
		{"big-decimal", logical("bytes", "big-decimal", ""), data(4, 0x04, 0xd2, 2), `"123.4"`},
		{"big-decimal of tens", logical("bytes", "big-decimal", ""), data(2, 5, 3), `"500"`},
		{"big-decimal cut", logical("bytes", "big-decimal", ""), data(4, 'a'), `"\u0004a"`},
		{"big-decimal of many zeros", logical("bytes", "big-decimal", ""), data(append([]byte{2, 5}, long(4097)...)...), `"\u0002\u0005\u0082@"`},
		{"uuid", logical("fixed", "uuid", `,"size":16`), []byte("\x12\x34\x56\x78\x9a\xbc\xde\xf0\x12\x34\x56\x78\x9a\xbc\xde\xf0"), `"12345678-9abc-def0-1234-56789abcdef0"`},
		{"uuid as text", logical("string", "uuid", ""), data([]byte("any")...), `"any"`},
		{"duration", logical("fixed", "duration", `,"size":12`), []byte{14, 0, 0, 0, 2, 0, 0, 0, 0xbc, 0x0b, 0, 0}, `"P14M2DT3.004S"`},
		{"duration of seconds", logical("fixed", "duration", `,"size":12`), []byte{0, 0, 0, 0, 0, 0, 0, 0, 0xe8, 3, 0, 0}, `"PT1S"`},
		{"no duration", logical("fixed", "duration", `,"size":12`), make([]byte, 12), `"P0D"`},
		{"in a union", `["null",` + logical("int", "date", "") + `]`, append(long(1), long(0)...), `{"int":"1970-01-01"}`},
		{"no logical type", `"int"`, long(5), `5`},
		{"an unknown one", logical("int", "week", ""), long(5), `5`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := schema.Parse(c.schema)
			if err != nil {
				t.Fatal(err)
			}
			got := asJSON(t, s, c.value, true)
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// asJSON returns a row as cat prints it.
func asJSON(t *testing.T, s *schema.Schema, row []byte, people bool) string {
	t.Helper()
	var out bytes.Buffer
	j := JSON{W: &out, People: people}
	rest, err := j.Row(s, row)
	if err != nil || len(rest) > 0 || j.Flush() != nil {
		t.Fatalf("%v, %d bytes are left", err, len(rest))
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// Without the flag values are as Avro's JSON has them, and bytes cut anywhere are an
// error with it.
func TestLogicalOnRequest(t *testing.T) {
	s, err := schema.Parse(`{"type":"record","name":"R","fields":[{"name":"d","type":{"type":"int","logicalType":"date"}},
		{"name":"n","type":{"type":"bytes","logicalType":"big-decimal"}},{"name":"u","type":{"type":"fixed","name":"U","size":16,"logicalType":"uuid"}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	row := append([]byte{2, 6, 2, 5, 0}, make([]byte, 16)...)
	if got, want := asJSON(t, s, row, false), `{"d":1,"n":"\u0002\u0005\u0000","u":"`+strings.Repeat(`\u0000`, 16)+`"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for n := range row {
		j := JSON{W: &bytes.Buffer{}, People: true}
		if _, err := j.Row(s, row[:n]); err == nil {
			t.Errorf("%d bytes of %d are a row", n, len(row))
		}
	}
}
