package parquet

import (
	"os/exec"
	"strings"
	"testing"
)

// TestLinks shows that the package imports nothing of ours but what is below it, and of parquet-go only packages that
// stand alone: not its root, which has files, schemas and codecs of its own.
func TestLinks(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	ours := 0
	for _, path := range strings.Fields(string(out)) {
		if strings.HasPrefix(path, "avro2trevni/") {
			if ours++; path != "avro2trevni/parquet" && !strings.HasPrefix(path, "avro2trevni/parquet/") {
				t.Errorf("%s is linked", path)
			}
		}
		if path == "github.com/parquet-go/parquet-go" || strings.HasPrefix(path, "github.com/parquet-go/parquet-go/compress") {
			t.Errorf("%s is linked", path)
		}
	}
	if ours == 0 {
		t.Errorf("no package is listed: %s", out)
	}
}
