package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/report"
	"avro2trevni/bench/internal/scan"

	"github.com/google/go-cmp/cmp"
)

// TestEverythingIsThere: what runs without a verb are verbs that the usage lists, and what the usage
// and the package's page list are verbs.
func TestEverythingIsThere(t *testing.T) {
	page, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^  ([a-z]+) +[a-z]`).FindAllStringSubmatch(usage, -1) {
		listed[line[1]] = true
	}
	for _, line := range regexp.MustCompile(`(?m)^//\tbin/bench ([a-z]+)`).FindAllStringSubmatch(string(page), -1) {
		if !listed[line[1]] {
			t.Errorf("the usage does not list %s, and the page does", line[1])
		}
	}
	for _, verb := range slices.Concat(measured, measuredInput, []string{"data", "plot", "table"}) {
		if !listed[verb] || !strings.Contains(string(page), "//\tbin/bench "+verb+" ") {
			t.Errorf("the usage or the page does not list %s", verb)
		}
	}
	for verb := range listed {
		if verbs[verb] == nil {
			t.Errorf("no verb %s", verb)
		}
	}
	for verb := range verbs {
		if inner := verb == "press" || verb == "scanner"; listed[verb] == inner { // which run others
			t.Errorf("%s: listed in the usage: %v", verb, listed[verb])
		}
	}
}

// TestWhereResultsGo checks that only full runs over the made data reach the repository.
func TestWhereResultsGo(t *testing.T) {
	cache := data.Paths{Root: "cache"}
	for name, test := range map[string]struct {
		e       everything
		verbs   []string
		results string
		args    []string // of convert
	}{
		"full": {everything{Paths: cache}, measured, "bench/results",
			[]string{"-cache", "cache", "-out", "bench/results/convert.json"}},
		"quick": {everything{Paths: cache, quick: true}, measured, "cache/bench/results",
			[]string{"-cache", "cache", "-out", "cache/bench/results/convert.json", "-quick"}},
		"resumed": {everything{Paths: cache, resume: true}, measured, "bench/results",
			[]string{"-cache", "cache", "-out", "bench/results/convert.json", "-resume"}},
		"input": {everything{Paths: cache, input: "a.avro", pairs: 2}, measuredInput, "cache/bench/results",
			[]string{"-cache", "cache", "-out", "cache/bench/results/convert.json", "-input", "a.avro", "-pairs", "2"}},
	} {
		if got := filepath.ToSlash(test.e.results()); got != test.results {
			t.Errorf("%s: results in %s, want %s", name, got, test.results)
		}
		if diff := cmp.Diff(test.verbs, test.e.verbs()); diff != "" {
			t.Errorf("%s: verbs (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(test.args, test.e.args("convert")); diff != "" {
			t.Errorf("%s: arguments (-want +got):\n%s", name, diff)
		}
	}
}

func TestUnknownVerb(t *testing.T) {
	err := dispatch(context.Background(), []string{"measure"})
	if err == nil || !strings.Contains(err.Error(), `no such verb "measure"`) {
		t.Errorf("error %v", err)
	}
}

// TestNothingThere runs cases whose inputs were never made: they are listed as missing,
// and asked for nothing.
func TestNothingThere(t *testing.T) {
	s := &scan.ScanHarness{ScanTools: &scan.ScanTools{Paths: data.Paths{Root: t.TempDir()}}}
	r := &report.Results{Runs: make([]report.RunInfo, 1)}
	for _, c := range scan.AimCases() {
		got, err := s.Measure(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		r.Cases = append(r.Cases, got)
	}
	if len(r.Cases) != len(scan.AimCases()) || len(r.Charts()) > 0 || r.Missed() != nil {
		t.Errorf("%d cases, %d charts, %v", len(r.Cases), len(r.Charts()), r.Missed())
	}
	var out strings.Builder
	r.Print(&out)
	if want := "| double | ours | missing: no lineitem-snappy.avro (run the data verb) |"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}
