package record_test

import (
	"bytes"
	"errors"
	"testing"

	"avro2trevni/record"
)

// TestAll: rows one at a time are the rows of large reads, and a loop that is left goes
// on where it stood.
func TestAll(t *testing.T) {
	for _, path := range fixtures(t, "trevni/java-1.12.1-null", ".trv") {
		data := read(t, path)
		want, rows := all(t, reader(t, data, ""), 1000)
		r := reader(t, data, "")
		var got []byte
		n := int64(0)
		take := func(most int64) {
			for row, err := range r.All() {
				if err != nil {
					t.Fatalf("%s: row %d: %v", path, n, err)
				}
				got = append(got, row...)
				if n++; n == most {
					return
				}
			}
		}
		take(1)
		take(-1)
		if n != rows || !bytes.Equal(got, want) {
			t.Errorf("%s: %d rows, %d bytes; want %d, %d", path, n, len(got), rows, len(want))
		}
	}
}

// TestAllErrors: an error comes once, and last.
func TestAllErrors(t *testing.T) {
	data := made(t, `"string"`, 2, rawColumn{name: "string", typ: "string", raw: "\x06abc\x08abc"})
	var rows, errs int
	for row, err := range reader(t, data, "").All() {
		switch {
		case err == nil && string(row) == "\x06abc" && errs == 0:
			rows++
		case errors.As(err, new(*record.Error)):
			errs++
		default:
			t.Errorf("row %q, %v", row, err)
		}
	}
	if rows != 1 || errs != 1 {
		t.Errorf("%d rows, %d errors", rows, errs)
	}
}
