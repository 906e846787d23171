package jobs

import (
	"strings"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/storagetest"
	"avro2trevni/jobs/publish"
	"avro2trevni/jobs/stages"
)

// liar is a storage that gives files of the output back with a byte changed.
type liar struct {
	storage.FS
	at   int64
	lied bool
}

// Open implements [storage.FS].
func (l *liar) Open(name string) (storage.File, error) {
	f, err := l.FS.Open(name)
	if err != nil || !strings.HasSuffix(name, ".trv") {
		return f, err
	}
	return &lyingFile{f, l}, nil
}

type lyingFile struct {
	storage.File
	l *liar
}

// ReadAt implements io.ReaderAt.
func (f *lyingFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	if i := f.l.at - off; i >= 0 && i < int64(n) {
		p[i] ^= 0x11
		f.l.lied = true
	}
	return n, err
}

// A file that holds anything but what was written to it is not published.
func TestVerifyFindsEachByte(t *testing.T) {
	file, _ := blocksOf(t, "snappy", 0, 30, 40)
	for at := int64(0); ; at++ {
		m := storagetest.NewMem()
		m.Write("/in.avro", string(file))
		fs := &liar{FS: m, at: at}
		o := Options{
			Inputs: []string{"/in.avro"}, Output: "/out.trv", FS: fs, Verify: true, Codec: "null", Checksum: "null",
			Memory: 64 << 20, TempDirs: []string{t.TempDir()},
		}
		rep, err := Convert(t.Context(), &o)
		if !fs.lied {
			must(t, err)
			if !rep.Run.Verified || at < 500 {
				t.Errorf("verified %v, %d bytes", rep.Run.Verified, at)
			}
			return
		}
		wantExit(t, err, exit.StatusFailed, "out.trv")
		if _, there := m.Files()["/out.trv"]; there || len(left(m)) > 0 {
			t.Fatalf("byte %d: published, or left: %v", at, left(m))
		}
	}
}

// files that hold what was written, but not what was made, are not published either: the
// column is named.
func TestVerifyFindsOtherValues(t *testing.T) {
	file, _ := blocksOf(t, "snappy", 0, 300)
	m := storagetest.NewMem()
	m.Write("/in.avro", string(file))
	o := (&Options{Inputs: []string{"/in.avro"}, Output: "/out.trv", FS: m, Verify: true, Memory: 64 << 20, TempDirs: []string{t.TempDir()}}).withDefaults()
	out, err := publish.Open(t.Context(), o.Publishing())
	must(t, err)
	defer func() { must(t, out.Close()) }()
	j, err := planned(t.Context(), o, out, nil)
	must(t, err)
	must(t, out.Begin(t.Context()))
	_, err = j.convert(t.Context())
	must(t, err)
	w := j.work(nil)
	outs, err := out.Outputs()
	must(t, err)
	verify := func(want *stages.Made) error { return w.VerifyFiles(t.Context(), outs, out.ReadBack, want) }
	for name, change := range map[string]func(*stages.Made){
		"s":  func(w *stages.Made) { w.Columns()[1].Values.CRC++ },
		"id": func(w *stages.Made) { w.Columns()[0].Values.Len-- },
	} {
		want := new(stages.Made)
		sums, err := w.ReadBack(t.Context(), out.ReadBack, outs[0])
		must(t, err)
		want.Done(0, sums)
		must(t, verify(want))
		change(want)
		wantExit(t, verify(want), exit.StatusFailed, `verify /out.trv: column "`+name+`" does not hold what was read`)
	}
}
