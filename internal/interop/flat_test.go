package interop

import (
	"bytes"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/linkedin/goavro/v2"
)

// A table of each kind of flat field, as goavro takes them, and the same as the
// specification has it and convert writes it.
const (
	flatOrder = `{"type":"record","name":"Order","namespace":"shop","fields":[` +
		`{"name":"id","type":"long"},` +
		`{"name":"tags","type":"array","items":"string","default":[],"doc":"x"},` +
		`{"name":"props","type":"map","values":["null","int"]},` +
		`{"name":"state","type":"enum","symbols":["NEW","PAID"],"default":"NEW"},` +
		`{"name":"key","type":"fixed","size":2},` +
		`{"name":"price","type":"fixed","size":4,"logicalType":"decimal","precision":7,"scale":2},` +
		`{"name":"ship","namespace":"shop.to","type":"record","fields":[` +
		`{"name":"city","type":"string"},{"name":"zone","type":"enum","symbols":["A","B"]}]},` +
		`{"name":"lines","type":"array","items":{"type":"record","name":"Line","fields":[` +
		`{"name":"sku","type":"string"},{"name":"sizes","type":"array","items":"long"}]}},` +
		`{"name":"was","type":["null","state","shop.to.zone"],"default":null}]}`
	nestedOrder = `{"type":"record","name":"Order","namespace":"shop","fields":[` +
		`{"name":"id","type":"long"},` +
		`{"name":"tags","type":{"type":"array","items":"string"},"default":[],"doc":"x"},` +
		`{"name":"props","type":{"type":"map","values":["null","int"]}},` +
		`{"name":"state","type":{"type":"enum","name":"state","symbols":["NEW","PAID"]},"default":"NEW"},` +
		`{"name":"key","type":{"type":"fixed","name":"key","size":2}},` +
		`{"name":"price","type":{"type":"fixed","name":"price","size":4,"logicalType":"decimal","precision":7,"scale":2}},` +
		`{"name":"ship","type":{"type":"record","name":"ship","namespace":"shop.to","fields":[` +
		`{"name":"city","type":"string"},{"name":"zone","type":{"type":"enum","name":"zone","symbols":["A","B"]}}]}},` +
		`{"name":"lines","type":{"type":"array","items":{"type":"record","name":"Line","fields":[` +
		`{"name":"sku","type":"string"},{"name":"sizes","type":{"type":"array","items":"long"}}]}}},` +
		`{"name":"was","type":["null","state","shop.to.zone"],"default":null}]}`
)

// orders returns rows of that table as goavro has them.
func orders(n int) (rows []any) {
	for i := range n {
		var was, size any
		if i%2 == 0 {
			size = goavro.Union("int", i)
		}
		switch i % 3 {
		case 1:
			was = goavro.Union("shop.state", "PAID")
		case 2:
			was = goavro.Union("shop.to.zone", "A")
		}
		rows = append(rows, map[string]any{
			"id": i, "tags": strings.Fields("a b c")[:i%4], "props": map[string]any{"x": size},
			"state": []string{"NEW", "PAID"}[i%2], "key": []byte{byte(i), 7}, "price": big.NewRat(int64(i+1), 4),
			"ship":  map[string]any{"city": fmt.Sprint("c", i), "zone": []string{"B", "A"}[i%2]},
			"lines": []any{map[string]any{"sku": "s", "sizes": []any{i, -i}}}, "was": was,
		})
	}
	return rows
}

// goavroFile has goavro write a file.
func goavroFile(t *testing.T, dir, name, schema string, rows []any) string {
	t.Helper()
	var file bytes.Buffer
	w, err := goavro.NewOCFWriter(goavro.OCFConfig{W: &file, Schema: schema, CompressionName: "deflate"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(rows); err != nil {
		t.Fatal(err)
	}
	return writeFile(t, dir, name, file.Bytes())
}

// TestFlatFields converts a file of flat fields that goavro wrote, in every way in which
// a schema is used, and has Java compare the rows with those of the file that goavro
// writes of them in the specification's form. Both make the same Trevni file.
func TestFlatFields(t *testing.T) {
	needTools(t, "java", "javac", "mvn")
	dir := t.TempDir()
	flat, nested := goavroFile(t, dir, "flat.avro", flatOrder, orders(100)), goavroFile(t, dir, "nested.avro", nestedOrder, orders(100))
	const more = `{"type":"record","name":"Order","namespace":"shop","fields":[{"name":"id","type":"int"},{"name":"state","type":"enum","symbols":["GONE"]},{"name":"note","type":"map","values":"string"}]}`
	second := goavroFile(t, dir, "more.avro", more, []any{map[string]any{"id": 7, "state": "GONE", "note": map[string]any{"a": "b"}}})
	proper := writeFile(t, dir, "more-nested.avro", writeAvro(t, strings.NewReplacer(
		`"enum","symbols":["GONE"]`, `{"type":"enum","name":"state","symbols":["GONE"]}`,
		`"map","values":"string"`, `{"type":"map","values":"string"}`).Replace(more), `{"id":7,"state":"GONE","note":{"a":"b"}}`, 1))
	wanted := writeFile(t, dir, "flat.avsc", []byte(flatOrder))
	var jobs []job
	for _, c := range []struct {
		name string
		args []string // what convert is given, before its output
		java string   // what Java reads in place of the inputs
	}{
		{"as it is", []string{flat}, nested},
		{"by a schema", []string{"--schema", wanted, nested}, nested},
		{"merged", []string{"--schema", "merge", flat, second}, nested + "," + proper},
		{"merged into another", []string{"--schema", "merge", second, flat}, proper + "," + nested},
		{"some columns", []string{"--columns", "tags,state,ship.zone,lines.sizes,was", flat}, nested},
		{"all but some", []string{"--exclude", "tags,state,ship.zone", flat}, nested},
		{"sorted", []string{"--sort-by", "state,id", flat, "--verify"}, ""},
	} {
		trv := filepath.Join(dir, strings.ReplaceAll(c.name, " ", "-")+".trv")
		if exit, said := try(t, append(c.args, trv)...); exit != 0 || warned(said) {
			t.Errorf("%s: exit status %d: %s", c.name, exit, said)
			continue
		}
		if c.java != "" {
			schema := writeFile(t, dir, filepath.Base(trv)+".avsc", []byte(readSchema(t, trv)))
			jobs = append(jobs, job{"resolve", c.name, []string{schema, c.java, trv}})
		}
		jobs = append(jobs, job{"trevni", c.name + ", read", []string{trv}})
	}
	trv := filepath.Join(dir, "as-it-is.trv")
	readsBack(t, "flat", flat, trv)
	jobs = append(jobs, job{"rows", "to-avro", []string{nested, trv + ".avro"}})
	got := runJava(t, jobs)
	for _, j := range jobs {
		check(t, j.name, got[j.name], "")
	}
	if got := readSchema(t, trv); got != nestedOrder {
		t.Errorf("the schema is %s", got)
	}
	same(t, trv, nested)
}

// same converts a file and compares what it makes of it with another's.
func same(t *testing.T, trv, avro string) {
	t.Helper()
	other := filepath.Join(filepath.Dir(trv), "other.trv")
	if exit, said := try(t, avro, other); exit != 0 {
		t.Fatalf("exit status %d: %s", exit, said)
	}
	a, err := os.ReadFile(trv)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Errorf("%d bytes, and %d of %s, that are not the same", len(a), len(b), avro)
	}
}
