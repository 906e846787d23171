package jobs

import (
	"strings"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/publish"
)

// A manifest that the memory has no room for is refused before it is read.
func TestManifestMemory(t *testing.T) {
	m := storagetest.NewMem()
	put(t, m, "/in/a.avro", 0, 100)
	_, err := addRun(t, m, Options{})
	must(t, err)
	was := m.Files()["/out/"+publish.SuccessName]
	m.Write("/out/"+publish.SuccessName, was+strings.Repeat(" ", 12*units.MiB))
	_, err = addRun(t, m, Options{})
	wantExit(t, err, exit.StatusRefused, "memory 64 MiB is too little for /out/_SUCCESS")
	o := Options{Inputs: []string{"/in"}, Output: "/out", FS: m, IfExists: IfExistsAppend, Memory: leastMemory(t, err) + 16*units.MiB, TempDirs: []string{t.TempDir()}, Workers: 1}
	_, err = Convert(t.Context(), &o)
	must(t, err)
	m.Write("/out/"+publish.SuccessName, was+strings.Repeat(" ", 100*units.MiB)+"no JSON")
	_, err = addRun(t, m, Options{})
	wantExit(t, err, exit.StatusRefused, "is too little for /out/_SUCCESS")
}
