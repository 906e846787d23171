package interop

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/linkedin/goavro/v2"

	"avro2trevni/internal/avrotest"
	"avro2trevni/internal/columns"
	"avro2trevni/internal/schema"
)

// TestWritersDefaults converts tables as polars, fastavro and goavro write them when they
// are told nothing, and has Java compare every value: with what its Trevni reader gives,
// or, where that refuses a name, of which convert warns then, with what trevni to-avro
// writes.
func TestWritersDefaults(t *testing.T) {
	needTools(t, "java", "javac", "mvn")
	dir := t.TempDir()
	files := append(goavroTables(t, dir), pythonTables(t, dir)...)
	trevni, err := reader()
	if err != nil {
		t.Fatal(err)
	}
	var jobs []job
	refused := 0
	for _, avro := range files {
		name := strings.TrimSuffix(filepath.Base(avro), ".avro")
		trv, again := filepath.Join(dir, name+".trv"), filepath.Join(dir, name+"-again.avro")
		exit, said := try(t, avro, trv)
		if exit != 0 {
			t.Errorf("%s: exit status %d: %s", name, exit, said)
			continue
		}
		if exit, said := tryProgram(t, trevni, "to-avro", trv, again); exit != 0 {
			t.Errorf("%s: to-avro: exit status %d: %s", name, exit, said)
		}
		jobs = append(jobs, job{"rows", name + " again", []string{avro, again}})
		if warned(said) {
			refused++
			continue
		}
		jobs = append(jobs, job{"compare", name, []string{avro, trv}})
	}
	t.Logf("%d files, %d of names that Java's Trevni reader refuses", len(files), refused)
	got := runJava(t, jobs)
	for _, j := range jobs {
		check(t, j.name, got[j.name], "")
	}
}

// pythonTables returns twenty files of polars and of fastavro each, if there is a Python
// that has them, else those among the fixtures.
func pythonTables(t *testing.T, dir string) []string {
	t.Helper()
	pattern := filepath.Join(testdata, "avro", "*-default-*.avro")
	python := "../../.cache/venv-defaults/bin/python3"
	if _, err := os.Stat(python); err == nil {
		made := filepath.Join(dir, "python")
		if out, err := exec.CommandContext(t.Context(), python, filepath.Join(testdata, "gen", "defaults.py"), made).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		pattern = filepath.Join(made, "*.avro")
	}
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) < 7 {
		t.Fatalf("%q, %v", files, err)
	}
	return files
}

// goavroTables writes twenty random tables with goavro.
func goavroTables(t *testing.T, dir string) (files []string) {
	t.Helper()
	for seed := uint64(1); len(files) < 20; seed++ {
		table := avrotest.NewTable(seed)
		codec, err := goavro.NewCodec(table.Schema)
		if err != nil {
			continue // it takes fewer schemas than Avro has
		}
		s, err := schema.ParseText(table.Schema)
		if err != nil {
			t.Fatal(err)
		}
		own, err := columns.LayOut(s.All())
		if err != nil {
			t.Fatal(err)
		}
		if s.Schema.Kind != schema.Record || len(own.Columns) == 0 {
			continue // Java's Trevni reader takes no table without columns
		}
		var file bytes.Buffer
		w, err := goavro.NewOCFWriter(goavro.OCFConfig{W: &file, Codec: codec})
		if err != nil {
			t.Fatal(err)
		}
		rows := decoded(codec, table.Rows(100))
		if rows == nil {
			continue
		}
		if err := w.Append(rows); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		files = append(files, writeFile(t, dir, fmt.Sprintf("goavro-%d.avro", seed), file.Bytes()))
	}
	return files
}

// decoded returns rows as goavro has them, nil if it has no value for some.
func decoded(codec *goavro.Codec, rows [][]byte) (out []any) {
	for _, row := range rows {
		v, _, err := codec.NativeFromBinary(row)
		if err != nil {
			return nil
		}
		out = append(out, v)
	}
	return out
}
