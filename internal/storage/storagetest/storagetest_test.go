package storagetest

import (
	"errors"
	"testing"

	"avro2trevni/internal/storage"
)

func TestCrashKeepsWhatWasSynced(t *testing.T) {
	m := NewMem()
	m.Write("/out/old", "old")
	w, err := m.Create("/out/new", 0)
	if err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		do   func() error
		want string // the content of /out/new after a crash, "-" for no such file
	}{
		{func() error { _, err := w.Write([]byte("abc")); return err }, "-"},
		{w.Sync, "-"},
		{func() error { return m.SyncDir("/out") }, "abc"},
		{func() error { _, err := w.Write([]byte("def")); return err }, "abc"},
		{w.Sync, "abcdef"},
		{func() error { return m.Remove("/out/new") }, "abcdef"},
		{func() error { return m.SyncDir("/out") }, "-"},
	}
	for i, s := range steps {
		if err := s.do(); err != nil {
			t.Fatal(err)
		}
		got, ok := m.Crash(true).Files()["/out/new"]
		if !ok {
			got = "-"
		}
		if got != s.want {
			t.Errorf("after step %d: %q, want %q", i, got, s.want)
		}
	}
	if got := m.Crash(true).Files()["/out/old"]; got != "old" {
		t.Errorf("old file holds %q", got)
	}
}

func TestFaultFailsTheKth(t *testing.T) {
	for k := 1; k <= 4; k++ {
		f := &Fault{FS: NewMem(), At: k}
		err := storage.WriteFile(f, "/a", []byte("x")) // create, write, sync, close
		if !errors.Is(err, ErrFault) {
			t.Errorf("call %d did not fail: %v", k, err)
		}
		if n := len(f.FS.(*Mem).Files()); n != 0 {
			t.Errorf("call %d left %d files", k, n)
		}
	}
	f := &Fault{FS: NewMem(), At: 5}
	if err := storage.WriteFile(f, "/a", nil); err != nil || f.Calls() != 4 {
		t.Errorf("%d calls, %v", f.Calls(), err)
	}
}
