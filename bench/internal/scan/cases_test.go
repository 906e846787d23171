package scan

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/report"
	"avro2trevni/bench/internal/run"
	"avro2trevni/bench/internal/scanner"

	"github.com/google/go-cmp/cmp"
)

// TestScanCases checks that cases have names of their own, programs that there are, and
// columns that their tables have.
func TestScanCases(t *testing.T) {
	schemas := map[string]string{
		data.LineitemInput: data.LineitemSchema(), "nested-snappy.avro": data.NestedSchema, "wide-snappy.avro": data.Wide().Schema,
	}
	var known []string
	for _, p := range (&ScanTools{}).peers() {
		known = append(known, p.name)
	}
	seen := map[string]bool{}
	for _, c := range scanCases() {
		if seen[c.name] {
			t.Errorf("two cases are named %s", c.name)
		}
		seen[c.name] = true
		for _, p := range c.contenders {
			if !slices.Contains(known, p) {
				t.Errorf("%s: no program %s", c.name, p)
			}
		}
		columns, err := scanner.Columns(schemas[c.input])
		if err != nil {
			t.Fatal(err)
		}
		table := &scanTable{columns: columns}
		if chosen, err := table.chosen(c.columns); err != nil || len(chosen) == 0 && c.columns != nil {
			t.Errorf("%s: %d columns, %v", c.name, len(chosen), err)
		}
	}
}

func TestScansToRun(t *testing.T) {
	names := func(cases []scanCase) (all []string) {
		for _, c := range cases {
			all = append(all, c.name+" of "+filepath.Base(c.input))
		}
		return all
	}
	quick := names(ScansOf(&run.Measuring{Quick: true}))
	if len(quick) == 0 || slices.ContainsFunc(quick, func(n string) bool { return !strings.HasSuffix(n, data.QuickInput) }) {
		t.Errorf("quick cases %v, want some, all of %s", quick, data.QuickInput)
	}
	for _, c := range ScansOf(&run.Measuring{Quick: true}) {
		if slices.ContainsFunc(c.figures, func(f report.Figure) bool { return f.AtLeast != 0 }) {
			t.Errorf("%s: a smaller table is asked to reach what the whole is", c.name)
		}
	}
	if diff := cmp.Diff([]string{"double of lineitem-snappy.avro"}, names(ScansOf(&run.Measuring{Names: []string{"double"}}))); diff != "" {
		t.Errorf("one case (-want +got):\n%s", diff)
	}
	for _, c := range ScansOf(&run.Measuring{Input: "a.avro", Quick: true}) {
		if !c.outside || c.input != "a.avro" {
			t.Errorf("%s of %s, want of the file given", c.name, c.input)
		}
	}
}

func TestColumnChoices(t *testing.T) {
	columns, err := scanner.Columns(data.NestedSchema)
	if err != nil {
		t.Fatal(err)
	}
	all := columnsFor("avro", columns)
	for name, test := range map[string]struct {
		choice columnChoice
		want   []string
	}{
		"two":          {spreadOut(2), []string{all[0], all[len(all)/2]}},
		"all":          {spreadOut(0), all},
		"more":         {spreadOut(1000), all},
		"first nested": {firstOf(func(c scanner.Column) bool { return c.Nested }), []string{"tags"}},
		"fewer":        {fewer(2), []string{all[0], all[len(all)/2]}},
		"not fewer":    {fewer(len(all)), nil},
		"none":         {firstOf(func(scanner.Column) bool { return false }), nil},
	} {
		if diff := cmp.Diff(test.want, test.choice(columns)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
