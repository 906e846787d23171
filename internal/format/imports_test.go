package format

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "avro2trevni/"

// importers are the packages that may import some: all that know what a format's files look
// like inside, and the table of formats.
var importers = map[string][]string{
	"trevni":                  {"trevni/...", "record", "cmd/trevni", "internal/colname", "internal/shred", "internal/format/trevni"},
	"trevni/block":            {"trevni/...", "record", "cmd/trevni", "internal/format/trevni", "mapper"}, // mapper: Lengths
	"parquet":                 {"parquet/...", "internal/format/parquet/..."},
	"internal/format/trevni":  {"jobs"},
	"internal/format/parquet": {"internal/format/parquet/...", "jobs"},
}

// apart are packages that never import one another: the stages meet at the tuple.
var apart = []string{"mapper", "shuffle", "reducer"}

// What a format is made of is known to its own packages alone.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		paths := strings.Fields(strings.ReplaceAll(line, module, ""))
		by := paths[0]
		there[by] = true
		for _, p := range paths[1:] {
			if may, ok := importers[p]; ok && !slices.ContainsFunc(may, func(m string) bool { return matches(by, m) }) {
				t.Errorf("%s imports %s", by, p)
			}
			if slices.Contains(apart, by) && slices.Contains(apart, p) {
				t.Errorf("%s imports %s: stages meet at the tuple", by, p)
			}
		}
	}
	for p := range importers {
		if !there[p] {
			t.Errorf("there is no %s", p)
		}
	}
}

// matches reports whether a path is that of a pattern, or below it if that ends in "/...".
func matches(path, pattern string) bool {
	above, ok := strings.CutSuffix(pattern, "/...")
	return path == above || ok && strings.HasPrefix(path, above+"/")
}
