package records_test

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"avro2trevni/cmd/trevni/avrorows"
	"avro2trevni/cmd/trevni/rowtext"
	"avro2trevni/internal/assembly"
	"avro2trevni/internal/exit"
	"avro2trevni/internal/format/parquet/records"
	"avro2trevni/internal/schema"
	"avro2trevni/jobs"
	"avro2trevni/parquet/reader"
)

// refused are fixtures that do not become Parquet files, and why.
func refused(err error) bool {
	var e *exit.Error
	return errors.As(err, &e) && e.Exit == exit.StatusRefused
}

// ways are options that change the columns or the pages.
var ways = map[string]jobs.Options{
	"default": {},
	"modern":  {Encodings: jobs.EncodingsModern, PageSize: 4 << 10},
	"v2":      {PageVersion: 2, PageSize: 1 << 10, Codec: "zstd"},
	"all":     {LogicalTypes: jobs.LogicalAll},
	"binary":  {InvalidUTF8: jobs.InvalidBinary, Codec: "null"},
}

// Every fixture that becomes a Parquet file comes back: the same schema and equal rows.
func TestFixtures(t *testing.T) {
	paths, err := filepath.Glob("../../../../testdata/avro/*.avro")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for name, o := range ways {
		t.Run(name, func(t *testing.T) {
			back := 0
			for _, path := range paths {
				out := filepath.Join(t.TempDir(), "x.parquet")
				job := o
				job.Inputs, job.Output, job.Memory = []string{path}, out, 256<<20
				if _, err := jobs.Convert(t.Context(), &job); refused(err) {
					continue
				} else if err != nil {
					t.Errorf("%s: %v", path, err)
					continue
				}
				back++
				same(t, path, out)
			}
			t.Logf("%d of %d fixtures", back, len(paths))
			if back < 90 {
				t.Errorf("only %d fixtures came back", back)
			}
		})
	}
}

// same compares the rows of a Parquet file with those of the Avro file that it was made of.
func same(t *testing.T, avro, parquet string) {
	t.Helper()
	f, err := reader.OpenFile(parquet, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := records.Open(f, parquet)
	if err != nil {
		t.Fatal(err)
	}
	if table.Source() != records.OwnKey {
		t.Errorf("%s: the schema is %q's: %s", avro, table.Source(), f.Schema)
		return
	}
	s, err := schema.Parse(table.Schema())
	if err != nil {
		t.Fatal(err)
	}
	got, err := table.Rows("", assembly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := &avrorows.Reader{Names: []string{avro}}
	defer want.Close()
	var have []byte
	for i := int64(0); ; i++ {
		row, err := want.Next(nil)
		var n int
		have, n, _ = got.ReadRows(have[:0], 1)
		if err == io.EOF && n == 0 {
			if _, _, err := got.ReadRows(nil, 1); err != io.EOF {
				t.Errorf("%s: row %d: %v", avro, i, err)
			}
			return
		}
		if err != nil || n != 1 {
			_, _, other := got.ReadRows(nil, 1)
			t.Errorf("%s: row %d: %v, and %d rows of Parquet, %v", avro, i, err, n, other)
			return
		}
		if a, b := plain(s, row), plain(s, have); !bytes.Equal(a, b) {
			t.Errorf("%s: row %d is\n%x\nof\n%x", avro, i, b, a)
			return
		}
	}
}

// plain returns a row in one form.
func plain(s *schema.Schema, row []byte) []byte {
	var c rowtext.Canonical
	row, _, err := c.Row(nil, row, s)
	if err != nil {
		panic(err)
	}
	return row
}
