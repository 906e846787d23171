package parquettest

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"avro2trevni/internal/assembly"
	"avro2trevni/internal/format/parquet/records"
	"avro2trevni/internal/ocf"
	parquetfile "avro2trevni/parquet/reader"
)

// TestWrittenByOthers reads files that other programs wrote of one nested table and one flat, makes
// Avro files of them, and has fastavro compare these with the tables.
func TestWrittenByOthers(t *testing.T) {
	command, env, err := pythonCommand("written.py", []string{required})
	if err != nil {
		missing(t, err)
		t.Skip(err)
	}
	folder := t.TempDir()
	python := func(verb string) string {
		cmd := exec.CommandContext(t.Context(), command[0], append(command[1:], verb, folder)...)
		cmd.Env = append(os.Environ(), env...)
		out, err := output(cmd)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	python("make")
	files, err := filepath.Glob(filepath.Join(folder, "*.parquet"))
	if err != nil || len(files) != 14 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		toAvro(t, file, strings.TrimSuffix(file, ".parquet")+".avro")
	}
	report := python("check")
	t.Log("\n" + report)
	if strings.Count(report, ": equal\n") != len(files) {
		t.Error("not all are equal")
	}
}

// toAvro makes an Avro file of a Parquet file.
func toAvro(t *testing.T, from, to string) {
	t.Helper()
	f, err := parquetfile.OpenFile(from, nil)
	must(t, err)
	defer f.Close()
	table, err := records.Open(f, from)
	must(t, err)
	out, err := os.Create(to)
	must(t, err)
	w, err := ocf.NewWriter(out, &ocf.WriterOptions{Schema: table.Schema()})
	must(t, err)
	rows, err := table.Rows("", assembly.Options{})
	must(t, err)
	for {
		data, n, err := rows.ReadRows(nil, 100)
		if err == io.EOF {
			break
		}
		must(t, err)
		must(t, w.Append(data, n))
	}
	must(t, w.Close())
	must(t, out.Close())
}
