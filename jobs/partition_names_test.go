package jobs

import (
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/jobs/publish"
)

// fieldRow is a row of an id and a text.
func fieldRow(id int64, text string) []byte {
	return append(binary.AppendVarint(nil, id), textBytes(text)...)
}

// Whatever a field is called and whatever its values are, every part of the job knows the
// folders that it makes: those that replace, append, compact, and end a publication that
// broke off.
func TestPartitionFieldNames(t *testing.T) {
	values := []string{"a", "_b", ".", "x=y", "50%", "a b", "ü€😀", strings.Repeat("v", 120)}
	for _, field := range []string{"type", "_type", "__", "_", "Ünicode", "$x", "a b", "a-b", strings.Repeat("f", 100), "_" + strings.Repeat("f", 100)} {
		t.Run(field[:min(len(field), 12)], func(t *testing.T) {
			t.Chdir(t.TempDir())
			must(t, os.Mkdir("in", 0o777))
			text := fmt.Sprintf(`{"type":"record","name":"r","fields":[{"name":"id","type":"long"},{"name":%q,"type":"string"}]}`, field)
			var rows [][]byte
			for i, v := range values {
				rows = append(rows, fieldRow(int64(i), v))
			}
			writeAvro(t, "in/1.avro", text, rows...)
			o := Options{PartitionBy: field, Verify: true}
			_, got, err := partitioned(t, o)
			if exit.Code(err) == exit.StatusRefused && strings.ContainsAny(field, "$ -Ü") {
				t.Skip(err) // no name of a field
			}
			must(t, err)
			if len(got) != len(values) {
				t.Errorf("%d folders of %d", len(got), len(values))
			}
			if _, err := Compact(t.Context(), &Options{Output: "out"}); exit.Code(err) != exit.StatusRefused || !strings.Contains(err.Error(), "in the folders of partitions") {
				t.Errorf("compacted: %v", err)
			}

			writeAvro(t, "in/2.avro", text, rows[:2]...)
			o.IfExists = IfExistsAppend
			_, got, err = partitioned(t, o)
			must(t, err)
			if len(got) != len(values)+2 {
				t.Errorf("appended: %v", slices.Sorted(maps.Keys(got)))
			}

			must(t, os.Remove("in/1.avro"))
			o.IfExists = IfExistsReplace
			killedWhilePublishing(t, o)
			_, got, err = partitioned(t, o)
			must(t, err)
			if len(got) != 2 {
				t.Errorf("replaced: %v", slices.Sorted(maps.Keys(got)))
			}
		})
	}
}

// killedWhilePublishing begins a job that replaces an output of partitions, as often as it
// has calls from the journal on, and kills it at each; the next run ends what it finds.
func killedWhilePublishing(t *testing.T, o Options) {
	t.Helper()
	o.Inputs, o.Output, o.Workers = []string{"in"}, "out", 1
	first, clean := 0, &storagetest.Fault{FS: storage.Local{}}
	clean.Before = func(call int, op, name string) {
		if first == 0 && op == "rename" && storage.Base(name) == publish.JournalName {
			first = call
		}
	}
	o.FS = clean
	_, err := Convert(t.Context(), &o)
	must(t, err)
	for k := first; k <= clean.Calls(); k += 3 {
		o.FS = &storagetest.Fault{FS: storage.Local{}, At: k, Dead: true}
		_, _ = Convert(t.Context(), &o) // killed
		o.FS = nil
		if _, err := Convert(t.Context(), &o); err != nil {
			t.Errorf("killed at call %d, then again: %v", k, err)
		}
	}
}
