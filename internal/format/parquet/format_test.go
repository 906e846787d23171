package parquet

import (
	"testing"

	"avro2trevni/internal/units"
)

// The column that rows are sorted by is found by the names on its path, not by the path's text:
// a name may hold a dot.
func TestSorted(t *testing.T) {
	const inner = `{"name":"a","type":{"type":"record","name":"i","fields":[{"name":"b","type":"long"},{"name":"c","type":{"type":"bytes","logicalType":"decimal","precision":4}}]}}`
	dotted, hashed := `{"name":"a.b","type":"int"}`, `{"name":"a#b","type":"int"}`
	for _, c := range []struct {
		fields, name string
		want         int
	}{
		{inner + "," + dotted, "a#b", 0},
		{inner + "," + dotted, "a.b", 2},
		{dotted + "," + inner, "a#b", 1},
		{dotted + "," + inner, "a.b", 0},
		{inner, "a#c", -1}, // a decimal: Avro compares its bytes
		{inner, "a", -1},
		{inner, "", -1},
		{inner + "," + hashed, "a#b", -1}, // of either
		{`{"name":"s","type":"string"}`, "s", -1},
		{`{"name":"n","type":["null","long"]}`, "n", -1},
	} {
		l := lay(t, record(c.fields), Options{})
		if got := l.sorted(c.name); got != c.want {
			t.Errorf("%s: sorted by %q: leaf %d, want %d", c.fields, c.name, got, c.want)
		}
	}
}

// The room of dictionaries grows with the files.
func TestDictionaryRoom(t *testing.T) {
	for file, want := range map[int64]int{
		0: 0, 1 * units.MiB: 128 * units.KiB, 2 * units.MiB: 256 * units.KiB, 8 * units.MiB: units.MiB, 16 * units.MiB: units.MiB,
		32 * units.MiB: units.MiB, 64 * units.MiB: 2 * units.MiB, 128 * units.MiB: 4 * units.MiB, 256 * units.MiB: 8 * units.MiB, units.GiB: 8 * units.MiB,
	} {
		if got := dictionaryRoom(file); got != want {
			t.Errorf("files of %d bytes: %d, want %d", file, got, want)
		}
	}
}
