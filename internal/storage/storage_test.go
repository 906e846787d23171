package storage_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"avro2trevni/internal/hadooptest"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/hdfs"
	"avro2trevni/internal/storage/storagetest"
)

func TestMain(m *testing.M) { hadooptest.Main(m, hadooptest.Options{}) }

// each runs a test on every file system: its contract is one. HDFS is that of real
// daemons.
func each(t *testing.T, test func(t *testing.T, f storage.FS, dir string)) {
	t.Run("local", func(t *testing.T) { test(t, storage.Local{}, t.TempDir()) })
	t.Run("mem", func(t *testing.T) { within(t, storagetest.NewMem(), "/base", test) })
	t.Run("fault", func(t *testing.T) { within(t, &storagetest.Fault{FS: storagetest.NewMem()}, "/base", test) })
	t.Run("hdfs", func(t *testing.T) {
		c := hadooptest.Shared(t)
		f, err := hdfs.New(t.Context(), c.URI(), &hdfs.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		within(t, f, c.URI()+"/"+t.Name(), test)
	})
	t.Run("router", func(t *testing.T) {
		c := hadooptest.Shared(t)
		r := router(t.Context())
		defer r.Close()
		within(t, r, c.URI()+"/"+t.Name(), test)
		test(t, r, t.TempDir())
	})
}

// router returns the file system that the command uses.
func router(ctx context.Context) *storage.Router {
	return &storage.Router{Local: storage.Local{}, Connect: func(root string) (storage.FS, error) {
		return hdfs.New(ctx, root, &hdfs.Options{})
	}}
}

// within runs a test in a new folder.
func within(t *testing.T, f storage.FS, dir string, test func(t *testing.T, f storage.FS, dir string)) {
	t.Helper()
	if err := f.MkdirAll(dir); err != nil {
		t.Fatal(err)
	}
	test(t, f, dir)
}

func put(t *testing.T, f storage.FS, name, data string) {
	t.Helper()
	if err := storage.WriteFile(t.Context(), f, name, []byte(data)); err != nil {
		t.Fatal(err)
	}
}

func wantIs(t *testing.T, what string, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("%s: got error %v, want %v", what, err, target)
	}
}

func TestFiles(t *testing.T) {
	each(t, func(t *testing.T, f storage.FS, dir string) {
		a, b := storage.Join(dir, "a"), storage.Join(dir, "b")
		put(t, f, a, "hello")
		_, err := f.Create(a, 0)
		wantIs(t, "create again", err, fs.ErrExist)
		put(t, f, b, "old")
		if err := f.Rename(a, b); err != nil {
			t.Fatal(err)
		}
		_, err = f.Stat(a)
		wantIs(t, "stat of the old name", err, fs.ErrNotExist)
		got, err := storage.ReadFile(f, b, 5)
		if err != nil || string(got) != "hello" {
			t.Errorf("read %q, %v", got, err)
		}
		if _, err := storage.ReadFile(f, b, 4); err == nil {
			t.Error("a file past the limit was read")
		}
		wantIs(t, "rename of nothing", f.Rename(a, b), fs.ErrNotExist)
		wantIs(t, "remove of nothing", f.Remove(a), fs.ErrNotExist)
		_, err = f.Open(a)
		wantIs(t, "open of nothing", err, fs.ErrNotExist)
	})
}

func TestReadAtEnd(t *testing.T) {
	each(t, func(t *testing.T, f storage.FS, dir string) {
		name := storage.Join(dir, "a")
		put(t, f, name, "hello")
		r, err := f.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		buf := make([]byte, 4)
		if n, err := r.ReadAt(buf, 3); n != 2 || err != io.EOF {
			t.Errorf("read %d, %v; want 2, EOF", n, err)
		}
		if info, err := r.Stat(); err != nil || info.Size() != 5 || info.Name() != "a" {
			t.Errorf("stat %v, %v", info, err)
		}
	})
}

func TestFolders(t *testing.T) {
	each(t, func(t *testing.T, f storage.FS, dir string) {
		sub := storage.Join(dir, "x", "y")
		for range 2 {
			if err := f.MkdirAll(sub); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"b", "a", "c"} {
			put(t, f, storage.Join(sub, name), name)
		}
		if err := f.SyncDir(sub); err != nil {
			t.Fatal(err)
		}
		infos, err := f.ReadDir(sub)
		if err != nil || len(infos) != 3 || infos[0].Name() != "a" || infos[2].Name() != "c" {
			t.Errorf("listed %v, %v", infos, err)
		}
		if err := f.Remove(sub); err == nil {
			t.Error("a folder with files was removed")
		}
		moved := storage.Join(dir, "x", "z")
		if err := f.Rename(sub, moved); err != nil {
			t.Fatal(err)
		}
		wantIs(t, "rename into a folder that is gone", f.Rename(storage.Join(moved, "a"), storage.Join(sub, "a")), fs.ErrNotExist)
		if got, err := storage.ReadFile(f, storage.Join(moved, "c"), 1); err != nil || string(got) != "c" {
			t.Errorf("in a folder that was renamed: %q, %v", got, err)
		}
		if err := storage.RemoveAll(f, storage.Join(dir, "x")); err != nil {
			t.Fatal(err)
		}
		_, err = f.Stat(storage.Join(dir, "x"))
		wantIs(t, "after RemoveAll", err, fs.ErrNotExist)
		if err := storage.RemoveAll(f, storage.Join(dir, "x")); err != nil {
			t.Errorf("RemoveAll of nothing: %v", err)
		}
	})
}

func TestLock(t *testing.T) {
	each(t, func(t *testing.T, f storage.FS, dir string) {
		name := storage.Join(dir, "lock")
		first, err := f.Lock(name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Lock(name)
		wantIs(t, "second lock", err, storage.ErrLocked)
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		_, err = f.Stat(name)
		wantIs(t, "lock file after Close", err, fs.ErrNotExist)
		again, err := f.Lock(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
		_, err = f.Lock(storage.Join(dir, "no", "lock"))
		wantIs(t, "lock in no folder", err, fs.ErrNotExist)
	})
}

// Many try for one lock, which each holder removes: never are there two holders.
func TestLockIsExclusive(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	held := make(chan struct{}, 1)
	done := make(chan error)
	const workers, rounds = 8, 200
	for range workers {
		go func() {
			for range rounds {
				l, err := storage.Local{}.Lock(name)
				if errors.Is(err, storage.ErrLocked) {
					continue
				}
				if err != nil {
					done <- err
					return
				}
				select {
				case held <- struct{}{}:
				default:
					done <- errors.New("two held the lock")
					return
				}
				<-held
				if err := l.Close(); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range workers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// A lock left by a process that was killed is a file without a lock on it.
func TestLockLeftBehind(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	if err := os.WriteFile(name, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := storage.Local{}.Lock(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func TestResolve(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	put(t, storage.Local{}, file, "x")
	if err := os.Symlink("file", link); err != nil {
		t.Skip(err)
	}
	if got, err := (storage.Local{}).Resolve(link); got != file || err != nil {
		t.Errorf("got %s, %v; want %s", got, err, file)
	}
	if err := storage.RemoveAll(storage.Local{}, link); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("RemoveAll followed a link: %v", err)
	}
}

// A large file goes through the early write-back, and reads back whole.
func TestLargeFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "large")
	w, err := storage.Local{}.Create(name, 17<<20)
	if err != nil {
		t.Fatal(err)
	}
	chunk := make([]byte, 1<<20)
	for i := range chunk {
		chunk[i] = byte(i)
	}
	for range 17 {
		if n, err := w.Write(chunk); n != len(chunk) || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := errors.Join(w.Sync(), w.Close()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Size() != 17<<20 {
		t.Errorf("got %v, %v", info, err)
	}
}
