package parquettest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// emptyName is what parquet-avro says of fields without a name, where a file has no Avro schema.
const emptyName = "SchemaParseException: Empty name"

// TestReaders has pyarrow write the rows of fixtures, and all readers read them: what differs is
// the readers' doing, not that of package parquet.
func TestReaders(t *testing.T) {
	files := Written(t, t.TempDir(), fixtures(t, append(some, "default", "unnamed", "top-", "zero-rows")...)...)
	report := Check(t, files)
	t.Logf("\n%s", report)
	report.Must(t, map[string]string{
		"parquet-avro fastavro-1.13.1-default-header":       emptyName,
		"parquet-avro handmade-unnamed":                     emptyName,
		"parquet-avro polars-2.1.0-default-csv-header":      emptyName,
		"parquet-avro polars-2.1.0-default-no-names":        emptyName,
		"parquet-avro polars-2.1.0-default-odd-names-below": emptyName,
	})
}

// TestReadersOfParquetAvros has parquet-avro write fixtures, and all readers read them. Our
// mapping is its own, but for lists, logical types, what it refuses, and enums. (It has maps in an
// order of its own: there are none of several keys here.)
func TestReadersOfParquetAvros(t *testing.T) {
	sources := fixtures(t, "1.13.1-booleans", "1.13.1-dremel", "1.13.1-flat.", "1.13.1-nested", "1.13.1-primitives", "1.13.1-runs.", "1.13.1-unions.")
	files := Expect(t, t.TempDir(), sources...)
	var jobs []job
	for i, s := range sources {
		jobs = append(jobs, job{s.Name, []string{s.Avro, files[i].Parquet}})
	}
	answers, err := run(t.Context(), rowsJava, []string{"write-avro"}, jobs)
	if err != nil {
		missing(t, err)
		t.SkipNow()
	}
	for _, s := range sources {
		if err := answers[s.Name].err; err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
	}
	report := Check(t, files)
	t.Logf("\n%s", report)
	known := map[string]string{} // these have no text but STRING
	for _, reader := range []string{"pyarrow", "arrow-go", "datafusion"} {
		for _, name := range []string{"nested", "primitives", "unions"} {
			known[reader+" fastavro-1.13.1-"+name] = `"x:535041444553", want "s:SPADES"`
		}
	}
	report.Must(t, known)
}

// TestReadersSeeWhatIsWrong expects other rows than files have, and has readers read files that
// are damaged: each must say so, and go on with the next.
func TestReadersSeeWhatIsWrong(t *testing.T) {
	files := Written(t, t.TempDir(), fixtures(t, "1.13.1-events.", "1.13.1-nested", "address-book")...)
	sound := files[0]
	wrong := []File{sound}
	add := func(name string, change func(f *File)) {
		f := sound
		f.Name = name
		change(&f)
		wrong = append(wrong, f)
	}
	edit := func(path *string, with func([]byte) []byte) {
		data, err := os.ReadFile(*path)
		if err != nil {
			t.Fatal(err)
		}
		*path = filepath.Join(t.TempDir(), "edited.parquet")
		if err := os.WriteFile(*path, with(bytes.Clone(data)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	add("another-value", func(f *File) {
		edit(&f.Want, func(b []byte) []byte { return bytes.Replace(b, []byte(`555 987 6543`), []byte(`555 987 6544`), 1) })
	})
	add("a-row-less", func(f *File) {
		edit(&f.Want, func(b []byte) []byte { return append(b, b...) })
	})
	add("a-row-more", func(f *File) {
		edit(&f.Want, func(b []byte) []byte { return b[:bytes.IndexByte(b, '\n')+1] })
	})
	add("null-for-none", func(f *File) {
		edit(&f.Want, func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(`[]`), []byte(`null`)) })
	})
	add("cut", func(f *File) {
		edit(&f.Parquet, func(b []byte) []byte { return b[:len(b)/2] })
	})
	add("no-file", func(f *File) { f.Parquet += ".none" })
	add("flipped", func(f *File) {
		edit(&f.Parquet, func(b []byte) []byte {
			b[bytes.Index(b, []byte("Julien"))] ^= 1
			return b
		})
	})
	add("bounds", func(f *File) {
		edit(&f.Parquet, func(b []byte) []byte {
			b[bytes.LastIndex(b, []byte("A. Nonymous"))] = 'B'
			return b
		})
	})
	wrong = append(wrong, files[1:]...)
	report := Check(t, wrong)
	t.Logf("\n%s", report)
	const anything = " "
	rows := map[string]string{
		"another-value": `.contacts[0].phoneNumber: "s:555 987 6543", want "s:555 987 6544"`,
		"a-row-less":    "only 2 rows", "a-row-more": "more rows than 1", "null-for-none": "want null",
		"cut": anything, "no-file": anything, "flipped": anything,
	}
	alone := map[string]string{"cut": anything, "no-file": anything, "flipped": "Kulien", "bounds": "Nonymous"}
	for _, reader := range report.Readers() {
		says := rows
		if readers[reader].alone {
			says = alone
		}
		for _, f := range wrong {
			err, want := report.Differs(reader, f.Name), says[f.Name]
			if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s: %v", f.Name, reader, err)
			}
		}
	}
	for _, reader := range []string{"pyarrow", "parquet-java", "parquet-avro"} {
		err := report.Differs(reader, "flipped")
		if err != nil && !strings.Contains(strings.ToLower(err.Error()), "crc") && !strings.Contains(err.Error(), "checksum") {
			t.Errorf("%s did not compare a page's checksum: %v", reader, err)
		}
	}
}
