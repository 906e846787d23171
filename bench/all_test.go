package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEverythingIsThere checks that what runs without a verb are verbs.
func TestEverythingIsThere(t *testing.T) {
	for _, verb := range slices.Concat(measured, measuredInput) {
		if verbs[verb] == nil {
			t.Errorf("no verb %s", verb)
		}
	}
}

// TestWhereResultsGo checks that only full runs over the made data reach the repository.
func TestWhereResultsGo(t *testing.T) {
	cache := paths{"cache"}
	for name, test := range map[string]struct {
		e       everything
		verbs   []string
		results string
		args    []string // of convert
	}{
		"full": {everything{paths: cache}, measured, "bench/results",
			[]string{"-cache", "cache", "-out", "bench/results/convert.json"}},
		"quick": {everything{paths: cache, quick: true}, measured, "cache/bench/results",
			[]string{"-cache", "cache", "-out", "cache/bench/results/convert.json", "-quick"}},
		"resumed": {everything{paths: cache, resume: true}, measured, "bench/results",
			[]string{"-cache", "cache", "-out", "bench/results/convert.json", "-resume"}},
		"input": {everything{paths: cache, input: "a.avro", pairs: 2}, measuredInput, "cache/bench/results",
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
	s := &scanHarness{scanTools: &scanTools{paths: paths{t.TempDir()}}}
	r := &results{Runs: make([]runInfo, 1)}
	for _, c := range aimCases() {
		got, err := s.measure(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		r.Cases = append(r.Cases, got)
	}
	if len(r.Cases) != len(aimCases()) || len(r.charts()) > 0 || r.missed() != nil {
		t.Errorf("%d cases, %d charts, %v", len(r.Cases), len(r.charts()), r.missed())
	}
	var out strings.Builder
	r.print(&out)
	if want := "| double | ours | missing: no lineitem-snappy.avro (run the data verb) |"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}
