package avrotest

import (
	"bytes"
	"testing"

	"github.com/twmb/avro"
)

// What is made is Avro: another implementation parses the schema and decodes each row,
// to its last byte; and the same seed makes the same.
func TestTable(t *testing.T) {
	kinds := map[string]int{}
	for seed := range uint64(300) {
		table := NewTable(seed)
		s, err := avro.Parse(table.Schema)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, table.Schema)
		}
		rows := table.Rows(20)
		for _, row := range rows {
			var v any
			if rest, err := s.Decode(row, &v); err != nil || len(rest) > 0 {
				t.Fatalf("seed %d: %d bytes left, %v\n%s", seed, len(rest), err, table.Schema)
			}
		}
		if again := NewTable(seed); !bytes.Equal(bytes.Join(rows, nil), bytes.Join(again.Rows(20), nil)) {
			t.Errorf("seed %d: other rows", seed)
		}
		for _, name := range []string{"record", "array", "map", "enum", "fixed", "null", "boolean", "double"} {
			if bytes.Contains([]byte(table.Schema), []byte(`"`+name+`"`)) {
				kinds[name]++
			}
		}
	}
	for name, n := range kinds {
		if n < 20 {
			t.Errorf("%s is in %d of 300 schemas", name, n)
		}
	}
	if len(kinds) != 8 {
		t.Errorf("kinds: %v", kinds)
	}
}
