package interop

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/linkedin/goavro/v2"
)

// keyed has a column of each type that can be indexed; the rows are sorted by all of
// them, but high and wide hold what Java orders otherwise.
const keyed = `{"type":"record","name":"keyed","namespace":"n","fields":[
	{"name":"l","type":"long"},{"name":"i","type":"int"},{"name":"d","type":"double"},{"name":"f","type":"float"},
	{"name":"s","type":"string"},{"name":"b","type":"bytes"},{"name":"x","type":{"type":"fixed","name":"X","size":4}},
	{"name":"e","type":{"type":"enum","name":"E","symbols":["A","B","C"]}},
	{"name":"high","type":"bytes"},{"name":"wide","type":"string"},
	{"name":"ok","type":"boolean"},{"name":"note","type":["null","string"]}]}`

const keyedRows = 9000

func keyedRow(i int) map[string]any {
	high, wide := []byte(fmt.Sprintf("\x40%05d", i)), fmt.Sprintf("\uffee%05d", i)
	if i >= keyedRows/2 {
		high, wide = []byte(fmt.Sprintf("\xc0%05d", i)), fmt.Sprintf("\U0001f600%05d", i)
	}
	return map[string]any{
		"l": int64(i-4000) * 1e12, "i": i - 4000, "d": float64(i-4000) / 3, "f": float32(i-4000) / 4,
		"s": fmt.Sprintf("k%05d", i), "b": []byte(fmt.Sprintf("k%05d", i)), "x": []byte(fmt.Sprintf("%04d", i)),
		"e": string(rune('A' + i*3/keyedRows)), "high": high, "wide": wide,
		"ok": i%2 == 0, "note": goavro.Union("string", fmt.Sprint(i)),
	}
}

// TestJavaSeeksInOurIndex has Java read files with first values, row for row, and find
// every value of their columns by its seek.
func TestJavaSeeksInOurIndex(t *testing.T) {
	needTools(t, "java", "javac", "mvn")
	dir := t.TempDir()
	avro := filepath.Join(dir, "keyed.avro")
	f, err := os.Create(avro)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := goavro.NewOCFWriter(goavro.OCFConfig{W: f, Schema: keyed, CompressionName: "snappy"})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < keyedRows; i += 100 {
		var rows []any
		for k := range 100 {
			rows = append(rows, keyedRow(i+k))
		}
		if err := w.Append(rows); err != nil {
			t.Fatal(err)
		}
	}
	columns := []string{"l", "i", "d", "f", "s", "b", "x", "high", "wide"}
	// What Java's own order makes of bytes from 0x80 on, which are negative there, and
	// of characters outside of the Basic Multilingual Plane, which are surrogates.
	const lost = "crashed: java.lang.ArrayIndexOutOfBoundsException"
	wrong := map[string]string{"high": lost, "wide": lost}
	var jobs []job
	want := map[string]string{}
	for _, form := range forms {
		if form.name == "null-crc32" || form.name == "better" || form.name == "plain-parts" {
			continue // a seek does the same there
		}
		flags := append([]string{"--index", "l,i,d,f,s,b,x,e,high,wide"}, form.flags...)
		if form.parts {
			flags = append(flags, "--file-size", "128KiB")
		}
		made := convert(t, flags, []string{avro}, form.output(dir, "keyed"))
		if form.parts && len(made) < 2 {
			t.Errorf("%s: %d parts", form.name, len(made))
		}
		jobs = append(jobs, job{"compare", form.name, append([]string{avro}, made...)})
		for _, column := range columns {
			if len(made) > 1 && wrong[column] != "" {
				continue // a part may hold but one kind
			}
			for n, part := range made {
				name := fmt.Sprintf("%s/%s/%d", form.name, column, n)
				jobs, want[name] = append(jobs, job{"seek", name, []string{column, part}}), wrong[column]
			}
		}
	}
	got := runJava(t, jobs)
	for _, j := range jobs {
		check(t, j.name, got[j.name], want[j.name])
	}
}
