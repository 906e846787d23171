package jobs

import (
	"strings"
	"testing"

	"avro2trevni/internal/storage/storagetest"
)

// A manifest that the memory has no room for is refused before it is read.
func TestManifestMemory(t *testing.T) {
	m := storagetest.NewMem()
	put(t, m, "/in/a.avro", 0, 100)
	_, err := addRun(t, m, Options{})
	must(t, err)
	was := m.Files()["/out/"+successName]
	m.Write("/out/"+successName, was+strings.Repeat(" ", 12*mib))
	_, err = addRun(t, m, Options{})
	wantExit(t, err, ExitRefused, "memory 64 MiB is too little for /out/_SUCCESS")
	o := Options{Inputs: []string{"/in"}, Output: "/out", FS: m, IfExists: IfExistsAppend, Memory: leastMemory(t, err) + 16*mib, TempDirs: []string{t.TempDir()}, Workers: 1}
	_, err = Convert(t.Context(), &o)
	must(t, err)
	m.Write("/out/"+successName, was+strings.Repeat(" ", 100*mib)+"no JSON")
	_, err = addRun(t, m, Options{})
	wantExit(t, err, ExitRefused, "is too little for /out/_SUCCESS")
}
