package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// First values, and rows of blocks, as JSON.
func TestMetaBlocks(t *testing.T) {
	name := build(t, t.TempDir(), good(), nil)
	code, out, errs := trevniRun("meta", "--json", "--blocks", name)
	if code != 0 {
		t.Fatal(errs)
	}
	var s summary
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatal(err)
	}
	z := s.Columns[4]
	if !z.FirstValues || z.Blocks != 2 || z.Rows != 3 || len(z.Descriptors) != 2 {
		t.Fatalf("%+v", z)
	}
	for i, want := range []struct {
		row   uint64
		first float64
	}{{0, 10}, {2, 12}} {
		if d := z.Descriptors[i]; d.Row != want.row || d.First != want.first || d.Block != i {
			t.Errorf("block %d: %+v", i, d)
		}
	}
	if s.Columns[1].Parent != "a[]" || s.Columns[1].FirstValues || s.Columns[2].Array == false {
		t.Errorf("%+v", s.Columns)
	}
	_, text, _ := trevniRun("meta", "--blocks", name)
	if !strings.Contains(text, "first value\n      0    0     2    2      4 ") || !strings.HasSuffix(text, "  12\n") {
		t.Error(text)
	}
}
