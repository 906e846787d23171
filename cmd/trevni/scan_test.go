package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"avro2trevni/trevni"
)

// noTime is a scan's output without what differs from run to run: times, and the
// width of their column.
func noTime(out string) string {
	out = regexp.MustCompile(` +[0-9.]+(ns|µs|ms|m?s)\b`).ReplaceAllString(out, " T")
	return regexp.MustCompile(` +`).ReplaceAllString(out, " ")
}

// A scan of a column reads the header and the column, but where only the parent tells
// how many values there are: the others' bytes may be anything.
func TestScanReadsItsColumnOnly(t *testing.T) {
	for _, test := range []struct {
		column string
		needs  []string
	}{
		{"a[]", nil}, {"a[]#x", nil}, {"a[]#y[]", nil}, {"a[]#y[]#b", []string{"a[]", "a[]#y[]"}}, {"z", nil},
	} {
		t.Run(test.column, func(t *testing.T) {
			name := build(t, t.TempDir(), good(), nil)
			code, want, errs := trevniRun("scan", name, test.column)
			if code != 0 {
				t.Fatal(errs)
			}
			spoil(t, name, append(test.needs, test.column))
			code, got, errs := trevniRun("scan", name, test.column)
			if code != 0 || noTime(got) != noTime(want) {
				t.Errorf("exit status %d: %s\n%s\nwant\n%s", code, errs, got, want)
			}
			if code, _, _ := trevniRun("scan", name); code == 0 {
				t.Error("the other columns are not spoiled")
			}
		})
	}
}

// spoil overwrites the bytes of all columns but some.
func spoil(t *testing.T, name string, but []string) {
	t.Helper()
	f, err := trevni.OpenFile(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]bool{}
	for _, name := range but {
		kept[name] = true
	}
	for i, c := range f.Header().Columns {
		offsets, err := f.BlockOffsets(i)
		if err != nil {
			t.Fatal(err)
		}
		for at := f.ColumnOffset(i); at < offsets[len(offsets)-1] && !kept[c.Name]; at++ {
			data[at] = 0xff
		}
	}
	if err := os.WriteFile(filepath.Clean(name), data, 0o666); err != nil {
		t.Fatal(err)
	}
}
