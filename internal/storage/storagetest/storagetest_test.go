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

// A process that stops loses nothing, but what it had not synced is still not synced.
func TestKillSyncsNothing(t *testing.T) {
	m := NewMem()
	m.Write("/out/old", "old")
	w, err := m.Create("/out/new", 0)
	must(t, err)
	_, err = w.Write([]byte("abc"))
	must(t, err)
	must(t, w.Sync())
	_, err = w.Write([]byte("def"))
	must(t, err)
	must(t, m.Rename("/out/old", "/out/moved"))
	k := m.Kill()
	if got := k.Files(); got["/out/new"] != "abcdef" || got["/out/moved"] != "old" || len(got) != 3 {
		t.Errorf("after the process stopped: %v", got)
	}
	if got := k.Kill().PowerCut().Files(); got["/out/old"] != "old" || len(got) != 2 {
		t.Errorf("and the machine: %v", got)
	}
	must(t, k.SyncDir("/out"))
	if got := k.PowerCut().Files(); got["/out/new"] != "abc" || got["/out/moved"] != "old" || len(got) != 3 {
		t.Errorf("and the machine after a sync: %v", got)
	}
	if got := m.PowerCut().Files(); got["/out/old"] != "old" || len(got) != 2 {
		t.Errorf("the sync of a copy is one of the original: %v", got)
	}
}

// A lock that is lost is another's, and stays it whatever its first holder does.
func TestLockIsLost(t *testing.T) {
	m := NewMem()
	first, err := m.Lock("/lock")
	must(t, err)
	must(t, first.Held())
	if _, err := m.Lock("/lock"); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("locked twice: %v", err)
	}
	m.LoseLocks()
	if err := first.Held(); !errors.Is(err, storage.ErrLockLost) {
		t.Errorf("held after it was lost: %v", err)
	}
	second, err := m.Lock("/lock")
	must(t, err)
	if err := first.Close(); !errors.Is(err, storage.ErrLockLost) {
		t.Errorf("closed after it was lost: %v", err)
	}
	must(t, second.Held())
	must(t, second.Close())
	if n := len(m.Files()); n != 0 {
		t.Errorf("%d files are left", n)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFaultFailsTheKth(t *testing.T) {
	for k := 1; k <= 4; k++ {
		f := &Fault{FS: NewMem(), At: k}
		err := storage.WriteFile(t.Context(), f, "/a", []byte("x")) // create, write, sync, close
		if !errors.Is(err, ErrFault) {
			t.Errorf("call %d did not fail: %v", k, err)
		}
		if n := len(f.FS.(*Mem).Files()); n != 0 {
			t.Errorf("call %d left %d files", k, n)
		}
	}
	f := &Fault{FS: NewMem(), At: 5}
	if err := storage.WriteFile(t.Context(), f, "/a", nil); err != nil || f.Calls() != 4 {
		t.Errorf("%d calls, %v", f.Calls(), err)
	}
}
