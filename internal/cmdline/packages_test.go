package cmdline_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"avro2trevni/internal/cmdline"
)

// Every package whose name begins an error is in the list, and no others.
func TestPackages(t *testing.T) {
	prefix := regexp.MustCompile(`(?:errors\.New|f|Usage|Refused|Retry)\((?:[\w.]+, )?"([a-z0-9]+): `)
	clause := regexp.MustCompile(`(?m)^package (\w+)$`)
	names, begins := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if slices.Contains([]string{".git", ".cache", "bench", "testdata", "peers", "scripts"}, d.Name()) || strings.HasSuffix(d.Name(), "test") {
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if m := clause.FindSubmatch(text); m != nil {
			names[string(m[1])] = true
		}
		for _, m := range prefix.FindAllSubmatch(text, -1) {
			begins[string(m[1])] = true
		}
		return nil
	})
	if err != nil || len(names) < 30 {
		t.Fatalf("%d packages: %v", len(names), err)
	}
	words := []string{"schema", "columns", "report", "where"} // names of options too
	for name := range begins {
		if names[name] && !slices.Contains(words, name) && !slices.Contains(cmdline.Packages, name) {
			t.Errorf("errors begin with %q, which users would see", name+": ")
		}
	}
	for _, name := range cmdline.Packages {
		if !names[name] {
			t.Errorf("there is no package %s", name)
		}
	}
}
