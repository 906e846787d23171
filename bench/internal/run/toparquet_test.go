package run

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/report"
)

// TestParquetCases checks that contenders have names and outputs of their own, that each peer
// takes part, and that figures are of contenders that there are.
func TestParquetCases(t *testing.T) {
	for _, c := range (Programs{}).parquetCases() {
		seen := map[string]bool{}
		for _, o := range c.contenders {
			if seen[o.name] || seen[o.output] || filepath.Ext(o.output) != ".parquet" && o.name != "spark" {
				t.Errorf("%s: contender %s makes %q", c.name, o.name, o.output)
			}
			seen[o.name], seen[o.output] = true, true
		}
		for _, peer := range ParquetPeers {
			if !seen[peer] {
				t.Errorf("%s: %s does not take part", c.name, peer)
			}
		}
		for _, f := range c.figures {
			if !seen[f.Of] || f.To != "" && !seen[f.To] {
				t.Errorf("%s: %s is of %q to %q", c.name, f.Name, f.Of, f.To)
			}
		}
	}
}

// TestSums writes the same rows twice, once in two files, and once others, and compares them
// by what parquet_sums.py prints.
func TestSums(t *testing.T) {
	h := &Harness{Paths: data.Paths{Root: filepath.Join("..", "..", "..", ".cache")}}
	h.peers.Scripts = filepath.Join("..", "data", "peers")
	if err := exec.Command(h.Python(), "-c", "import pyarrow, polars, numpy").Run(); err != nil {
		t.Skip("no pyarrow: run bin/bench data")
	}
	rows, dir := parquetRows(1000), t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "two"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeParquet(t, dir, "one.parquet", rows)
	writeParquet(t, filepath.Join(dir, "two"), "a.parquet", rows[:300])
	writeParquet(t, filepath.Join(dir, "two"), "b.parquet", rows[300:])
	writeParquet(t, dir, "other.parquet", append(slices.Clone(rows[:999]), rows[0]))
	var answers []*Answer
	for _, name := range []string{"out/one.parquet", "two", "out/other.parquet"} {
		a, err := h.sumsOf(context.Background(), filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	if err := answers[0].Same(answers[1]); err != nil || answers[0].Rows != 1000 {
		t.Errorf("the same rows, %d: %v", answers[0].Rows, err)
	}
	if err := answers[0].Same(answers[2]); err == nil {
		t.Error("other rows have the same sums")
	}
	if _, err := h.sumsOf(context.Background(), filepath.Join(dir, "none.parquet")); err == nil {
		t.Error("a file that is not there has sums")
	}
}

// TestMissingParquet: contenders that cannot run are in the list of those missing.
func TestMissingParquet(t *testing.T) {
	h := &Harness{Paths: data.Paths{Root: t.TempDir()}}
	files, missing, err := h.MakeParquet(context.Background(), "a.avro", []string{arrowRS, "spark"})
	if err != nil || len(files) > 0 || len(missing) != 2 {
		t.Errorf("files %v, missing %v, %v", files, missing, err)
	}
	var o report.Outcome
	if len(missing) > 0 {
		o = missing[0]
	}
	if o.Name != arrowRS || o.Missing == "" {
		t.Errorf("first missing: %+v", o)
	}
}
