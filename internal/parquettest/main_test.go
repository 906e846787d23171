package parquettest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	status := m.Run()
	if err := Remove(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = max(status, 1)
	}
	os.Exit(status)
}

// fixtures returns the sound Avro files of testdata whose names have one of the words in them,
// or all.
func fixtures(t *testing.T, words ...string) (sources []Source) {
	t.Helper()
	paths, err := filepath.Glob("../../testdata/avro/*.avro")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".avro")
		for _, word := range append(words, name)[:max(1, len(words))] {
			if strings.Contains(name+".", word) {
				sources = append(sources, Source{Name: name, Avro: path})
				break
			}
		}
	}
	if len(sources) == 0 {
		t.Fatalf("no fixtures of %q", words)
	}
	return sources
}
