package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/jobs"
	"avro2trevni/parquet/reader"
)

// parquetWays are options of Parquet files.
var parquetWays = []jobs.Options{
	{},
	{Encodings: jobs.EncodingsModern, PageSize: 2 << 10},
	{PageVersion: 2, PageSize: 1 << 10, Codec: "zstd"},
	{LogicalTypes: jobs.LogicalAll, Codec: "null"},
}

// toParquet converts a file.
func toParquet(t *testing.T, source string, o jobs.Options) string {
	t.Helper()
	o.Inputs, o.Output, o.Memory = []string{source}, filepath.Join(t.TempDir(), "a.parquet"), 256<<20
	if _, err := jobs.Convert(t.Context(), &o); err != nil {
		t.Fatal(err)
	}
	return o.Output
}

// TestEveryFixtureComesBackFromParquet converts each Avro fixture to Parquet, and has to-avro make
// an Avro file of it again, with the same rows, and the same schema.
func TestEveryFixtureComesBackFromParquet(t *testing.T) {
	for i, source := range fixtures(t, "avro/*.avro") {
		t.Run(strings.TrimSuffix(filepath.Base(source), ".avro"), func(t *testing.T) {
			file := toParquet(t, source, parquetWays[i%len(parquetWays)])
			back := filepath.Join(t.TempDir(), "back.avro")
			if code, _, stderr := trevniRun("to-avro", file, back); code != 0 {
				t.Fatalf("to-avro: exit status %d: %s", code, stderr)
			}
			for _, against := range []string{source, back} {
				if code, out, stderr := trevniRun("verify", "-q", "--against", against, file); code != 0 {
					t.Errorf("verify --against %s: exit status %d: %s%s", filepath.Base(against), code, out, stderr)
				}
			}
			text, _, n := rowBytes(t, source)
			if got, _, rows := rowBytes(t, back); got != asWritten(t, text) || rows != n {
				t.Errorf("%d rows of %q, want %d of %q", rows, got, n, asWritten(t, text))
			}
		})
	}
}

// cat prints the same of a Parquet file as of a Trevni file of the same rows.
func TestParquetAsTrevni(t *testing.T) {
	for _, c := range []struct {
		fixture string
		args    [][]string
	}{
		{"fastavro-1.13.1-nested", [][]string{{}, {"--columns", "u.p,deep.d2.d3.more.p"}, {"--rows", "123:127"}, {"--rows", "399", "--columns", "aa"}, {"--columns", "deep.z,x"}}},
		{"fastavro-1.13.1-unions", [][]string{{}, {"--rows", "7:9"}}},
		{"fastavro-1.13.1-dremel", [][]string{{}, {"--columns", "Name.Language.Country"}, {"--columns", "DocId,Links.Forward"}, {"--columns", "Name.Url"}}},
		{"fastavro-1.13.1-logical", [][]string{{"--logical"}}},
		{"fastavro-1.13.1-events-many-blocks-snappy", [][]string{{}, {"--rows", "100:103"}}},
	} {
		source := filepath.Join("../../testdata/avro", c.fixture+".avro")
		trv := filepath.Join(t.TempDir(), "a.trv")
		if _, err := jobs.Convert(t.Context(), &jobs.Options{Inputs: []string{source}, Output: trv}); err != nil {
			t.Fatal(err)
		}
		for i, o := range parquetWays {
			file := toParquet(t, source, o)
			for _, args := range c.args {
				code, want, _ := trevniRun(append(append([]string{"cat"}, args...), trv)...)
				got, out, errs := trevniRun(append(append([]string{"cat"}, args...), file)...)
				if code != 0 || got != 0 || out != want || want == "" {
					t.Errorf("%s, way %d: cat %s: exit %d and %d: %s\n got %.300s\nwant %.300s", c.fixture, i, args, code, got, errs, out, want)
				}
			}
		}
	}
}

// A folder of Parquet files is one table, and verify compares it with its manifest.
func TestParquetFolder(t *testing.T) {
	source := "../../testdata/avro/polars-2.1.0-airports-snappy.avro"
	out := filepath.Join(t.TempDir(), "out")
	o := jobs.Options{Inputs: []string{source}, Output: out, Format: jobs.FormatParquet, RowGroupSize: 64 << 10, PageSize: 1 << 10, FileSize: 64 << 10, Memory: 256 << 20}
	if _, err := jobs.Convert(t.Context(), &o); err != nil {
		t.Fatal(err)
	}
	parts, err := filepath.Glob(filepath.Join(out, "part-*.parquet"))
	if err != nil || len(parts) < 2 {
		t.Fatal(parts, err)
	}
	if code, text, errs := trevniRun("verify", "--against", source, out); code != 0 || !strings.Contains(text, "as in Avro") {
		t.Errorf("exit %d: %s%s", code, text, errs)
	}
	if code, text, _ := trevniRun("meta", out); code != 0 || !strings.Contains(text, "files)") {
		t.Errorf("exit %d: %s", code, text)
	}
	if err := os.Remove(parts[1]); err != nil {
		t.Fatal(err)
	}
	if code, text, _ := trevniRun("verify", out); code != 1 || !strings.Contains(text, filepath.Base(parts[1])) {
		t.Errorf("a part is gone: exit %d: %s", code, text)
	}
}

// Of a small file bytes are changed, one at a time: verify finds every change in a page, and names
// what it cannot read. A change elsewhere may leave the file sound: a text of the metadata, or a
// bound that is less tight.
func TestParquetFlips(t *testing.T) {
	file := toParquet(t, "../../testdata/avro/fastavro-1.13.1-dremel.avro", jobs.Options{PageVersion: 2})
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := reader.Open(bytes.NewReader(good), int64(len(good)), nil)
	if err != nil {
		t.Fatal(err)
	}
	pages := int(f.RowGroups[0].Chunks[0].ColumnIndex.Offset)
	indexes := len(good) - 8 - int(binary.LittleEndian.Uint32(good[len(good)-8:]))
	var missed, found [3]int
	for i := 0; i < len(good); i++ {
		part := 0
		switch {
		case i >= indexes:
			part = 2
			i += 12
		case i >= pages:
			part = 1
		}
		i = min(i, len(good)-1)
		data := bytes.Clone(good)
		data[i] ^= 1 << (i % 8)
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		code, _, stderr := trevniRun("verify", "-q", file)
		switch code {
		case 0:
			missed[part]++
			if part == 0 {
				t.Errorf("byte %d, in a page, is not looked at", i)
			}
		case 1, 4: // 4: an encoding, codec or type that there is not
			found[part]++
		default:
			t.Errorf("byte %d: exit %d: %s", i, code, stderr)
		}
	}
	t.Logf("found: %d in pages, %d in indexes, %d in the footer; missed: %d", found[0], found[1], found[2], missed)
	if found[1] < missed[1] || found[2] < 50 {
		t.Error("too few were found")
	}
}
