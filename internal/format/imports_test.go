package format

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "avro2trevni/"

// importers are the packages that may import some: those that know what a format's files look
// like inside, and the table of formats.
var importers = map[string][]string{
	"trevni":                  {"trevni/...", "record", "cmd/trevni/trvfile", "internal/shred", "internal/format/trevni"},
	"trevni/block":            {"trevni/...", "record", "cmd/trevni/...", "internal/format/trevni", "mapper"}, // mapper: Lengths
	"parquet":                 {"parquet/...", "internal/format/parquet/...", "cmd/trevni/parquetfile"},
	"parquet/reader":          {"parquet/...", "internal/format/parquet/...", "cmd/trevni/parquetfile"},
	"internal/format/trevni":  {"jobs"},
	"cmd/trevni/trvfile":      {"cmd/trevni"},
	"internal/format/parquet": {"internal/format/parquet/...", "jobs"},
}

// apart are packages that never import one another: the stages meet at the tuple.
var apart = []string{"mapper", "shuffle", "reducer"}

// What a format's files are made of is known to its own packages alone.
func TestImports(t *testing.T) {
	all := imports(t, filepath.Join("..", ".."))
	for by, paths := range all {
		for _, p := range paths {
			if may, ok := importers[p]; ok && !slices.ContainsFunc(may, func(m string) bool { return matches(by, m) }) {
				t.Errorf("%s imports %s", by, p)
			}
			if slices.Contains(apart, by) && slices.Contains(apart, p) {
				t.Errorf("%s imports %s: stages meet at the tuple", by, p)
			}
		}
	}
	for p := range importers {
		if _, ok := all[p]; !ok {
			t.Errorf("there is no %s", p)
		}
	}
}

// imports returns the packages of the module that each of them imports, without tests.
func imports(t *testing.T, root string) map[string][]string {
	all := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root:
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if err == nil || strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" {
				return fs.SkipDir // another module, or no package
			}
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			by, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil {
				return err
			}
			by = filepath.ToSlash(by)
			own := all[by]
			for _, i := range f.Imports {
				name, _ := strconv.Unquote(i.Path.Value)
				if p, ok := strings.CutPrefix(name, module); ok {
					own = append(own, p)
				}
			}
			all[by] = own
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// matches reports whether a path is that of a pattern, or below it if that ends in "/...".
func matches(path, pattern string) bool {
	above, ok := strings.CutSuffix(pattern, "/...")
	return path == above || ok && strings.HasPrefix(path, above+"/")
}
