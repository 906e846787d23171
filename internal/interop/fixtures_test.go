package interop

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const testdata = "../../testdata"

// scratch is a folder for what all tests share; it goes when they end.
var scratch string

func TestMain(m *testing.M) {
	os.Exit(runAll(m))
}

func runAll(m *testing.M) int {
	dir, err := os.MkdirTemp("", "interop-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	scratch = dir
	return m.Run()
}

// avroFixtures returns the sound Avro files by base name.
func avroFixtures(t *testing.T) map[string]string {
	t.Helper()
	return byBase(t, filepath.Join(testdata, "avro", "*.avro"))
}

// javaFixtures returns the folders of testdata/trevni by their names.
func javaFixtures(t *testing.T) map[string]string {
	t.Helper()
	return byBase(t, filepath.Join(testdata, "trevni", "*"))
}

// byBase returns the files of a pattern by their base names without extension.
func byBase(t *testing.T, pattern string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
	}
	out := map[string]string{}
	for _, path := range paths {
		base := filepath.Base(path)
		out[strings.TrimSuffix(strings.TrimSuffix(base, ".avro"), ".trv")] = path
	}
	return out
}

// sorted returns a map's keys in order.
func sorted[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
