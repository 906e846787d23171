package interop

import (
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// program builds cmd/convert, once per run of the tests, and returns its path.
var program = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "convert")
	_, err := output(exec.Command("go", "build", "-o", path, "../../cmd/convert"))
	return path, err
})

// reader builds cmd/trevni, once per run of the tests, and returns its path.
var reader = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "trevni")
	_, err := output(exec.Command("go", "build", "-o", path, "../../cmd/trevni"))
	return path, err
})

// convert runs the program over inputs and returns the .trv files it made, in
// order: output itself if that ends in .trv, else its part files.
func convert(t *testing.T, flags, inputs []string, output string) []string {
	t.Helper()
	run(t, slices.Concat(flags, inputs, []string{output})...)
	if filepath.Ext(output) == ".trv" {
		return []string{output}
	}
	parts, err := filepath.Glob(filepath.Join(output, "part-*.trv")) // in name order
	if err != nil || len(parts) == 0 {
		t.Fatalf("%s: %d parts, %v", output, len(parts), err)
	}
	return parts
}

// run runs the program, which must succeed and say nothing.
func run(t *testing.T, args ...string) {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	said, err := output(exec.CommandContext(t.Context(), path, args...))
	if err != nil {
		t.Fatal(err)
	}
	if said != "" {
		t.Errorf("convert %q said %q", args, said)
	}
}
