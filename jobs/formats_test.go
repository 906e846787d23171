package jobs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage/storagetest"
)

// An output has files of one format: that of its _SUCCESS, by which its files are read.
func TestOtherFormat(t *testing.T) {
	m := storagetest.NewMem()
	run := func(o Options) error {
		o.FS, o.Inputs, o.IfExists, o.Memory, o.TempDirs = m, []string{"/in"}, IfExistsAppend, 64<<20, []string{t.TempDir()}
		_, err := Convert(t.Context(), &o)
		return err
	}
	for i, name := range []string{"/in/a.avro", "/in/b.avro"} {
		m.Write(name, avroFile(t, `"string"`, []byte("\x02"+string(rune('a'+i)))))
		must(t, run(Options{Output: "/trv"}))
		must(t, run(Options{Output: "/pq", Format: FormatParquet}))
	}
	before := m.Files()
	for name := range before {
		if strings.HasPrefix(name, "/pq/part") != strings.HasSuffix(name, ".parquet") {
			t.Errorf("a file %s", name)
		}
	}
	m.Write("/in/c.avro", avroFile(t, `"string"`, []byte("\x02c")))
	before = m.Files()
	wantExit(t, run(Options{Output: "/pq"}), exit.StatusRefused, `/pq: was made with --format parquet, not trevni`)
	wantExit(t, run(Options{Output: "/trv", Format: FormatParquet}), exit.StatusRefused, `/trv: was made with --format trevni, not parquet`)
	if d := cmp.Diff(before, m.Files()); d != "" {
		t.Errorf("something was left: %s", d)
	}
	m.Write("/trv/_SUCCESS", strings.Replace(before["/trv/_SUCCESS"], `"codec"`, `"format": "orc", "codec"`, 1))
	wantExit(t, run(Options{Output: "/trv"}), exit.StatusRefused, `/trv: its files are of the format "orc", which this version does not know`)
	_, err := Compact(t.Context(), &Options{FS: m, Output: "/trv", Memory: 64 << 20, TempDirs: []string{t.TempDir()}})
	wantExit(t, err, exit.StatusRefused, `the format "orc"`)
}
