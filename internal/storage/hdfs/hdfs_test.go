package hdfs_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"avro2trevni/internal/hadooptest"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/hdfs"
)

const mib = 1 << 20

// connect opens the cluster's file system, for the test's time.
func connect(t *testing.T, c *hadooptest.Cluster, o hdfs.Options) *hdfs.FS {
	t.Helper()
	f, err := hdfs.New(t.Context(), c.URI(), &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// pattern returns n bytes that differ from place to place.
func pattern(n int) []byte {
	b := make([]byte, n)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

// write writes a file that is told its size.
func write(t *testing.T, f storage.FS, name string, data []byte) {
	t.Helper()
	if err := storage.WriteFile(f, name, data); err != nil {
		t.Fatal(err)
	}
}

// failure returns what an action fails with, which it must do within some seconds.
func failure(t *testing.T, what string, do func() error) error {
	t.Helper()
	start := time.Now()
	err := do()
	if err == nil {
		t.Errorf("%s: no error", what)
	}
	t.Logf("%s: %v after %v", what, err, time.Since(start).Round(time.Millisecond))
	return err
}

// TestDaemons is what is tried on one cluster of one DataNode, whose default block is
// small. Those that stop a daemon start it again.
func TestDaemons(t *testing.T) {
	hadooptest.Need(t)
	keys := filepath.Join(t.TempDir(), "keys.jceks")
	c := hadooptest.Start(t, hadooptest.Options{Conf: map[string]string{
		"dfs.blocksize":                     "1048576",
		"hadoop.security.key.provider.path": "jceks://file" + keys,
	}})
	lock := leave(t, c) // its lease runs out while the others are tried
	left := time.Now()
	lease := func(t *testing.T, c *hadooptest.Cluster) { takeOver(t, c, lock, left) }
	for _, test := range []struct {
		name string
		run  func(*testing.T, *hadooptest.Cluster)
	}{
		{"one block", oneBlock}, {"concurrent reads", concurrentReads}, {"corrupt replica", corruptReplica},
		{"erasure coding", erasureCoding}, {"quota", quota}, {"unknown host", unknownHost},
		{"no NameNode", noNameNode}, {"safe mode", safeMode}, {"DataNode lost", dataNodeLost},
		{"interrupted", interrupted}, {"lease", lease}, // before a NameNode starts anew, and all leases with it
		{"NameNode away", nameNodeAway}, {"encryption zone", encryptionZone},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, c) })
	}
}

// A file that is told its size is one block, whatever the default.
func oneBlock(t *testing.T, c *hadooptest.Cluster) {
	f := connect(t, c, hdfs.Options{})
	for name, n := range map[string]int{"/empty": 0, "/small": 1, "/even": 2 * mib, "/odd": 3*mib + 1} {
		write(t, f, name, pattern(n))
		got, err := storage.ReadFile(f, name, 4*mib)
		if err != nil || !bytes.Equal(got, pattern(n)) {
			t.Errorf("%s: read %d bytes, %v", name, len(got), err)
		}
		said := c.Fsck(t, name)
		blocks := regexp.MustCompile(`Total blocks \(validated\):\s+(\d+)`).FindStringSubmatch(said)
		if want := min(n, 1); len(blocks) < 2 || blocks[1] != string(rune('0'+want)) {
			t.Errorf("%s: want %d blocks; fsck says %s", name, want, said)
		}
	}
}

// Many goroutines read one file at once.
func concurrentReads(t *testing.T, c *hadooptest.Cluster) {
	f := connect(t, c, hdfs.Options{})
	data := pattern(2*mib + 77)
	write(t, f, "/concurrent", data)
	r, err := f.Open("/concurrent")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	done := make(chan error)
	const readers = 8
	for i := range readers {
		go func() {
			for off := i * 1000; off < len(data); off += 300_000 {
				p := make([]byte, min(200_000, len(data)-off))
				if _, err := r.ReadAt(p, int64(off)); err != nil {
					done <- err
					return
				}
				if !bytes.Equal(p, data[off:off+len(p)]) {
					done <- errors.New("other bytes")
					return
				}
			}
			done <- nil
		}()
	}
	for range readers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// A bit that flipped on the DataNode's disk is an error, never other bytes.
func corruptReplica(t *testing.T, c *hadooptest.Cluster) {
	f := connect(t, c, hdfs.Options{Patience: time.Second})
	data := pattern(mib)
	write(t, f, "/corrupt", data)
	flipBit(t, c.DataDir(0), data, mib/2)
	for _, size := range []int{100, 4096, 100_000, mib} {
		err := failure(t, "read of a corrupt block", func() error {
			r, err := f.Open("/corrupt")
			if err != nil {
				return err
			}
			defer r.Close()
			for off := 0; off < mib; off += size {
				p := make([]byte, min(size, mib-off))
				n, err := r.ReadAt(p, int64(off))
				if !bytes.Equal(p[:n], data[off:off+n]) {
					t.Fatalf("reads of %d bytes: other bytes at %d", size, off)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if !errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("got %v, want %v", err, storage.ErrUnavailable)
		}
	}
}

// flipBit changes a bit in the block file that holds data.
func flipBit(t *testing.T, dir string, data []byte, at int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasPrefix(e.Name(), "blk_") {
			return err
		}
		if have, err := os.ReadFile(name); err != nil || !bytes.Equal(have, data) {
			return err
		}
		have := append([]byte(nil), data...)
		have[at] ^= 1
		if err := os.WriteFile(name, have, 0o644); err != nil {
			return err
		}
		return fs.SkipAll
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Files that are, or would be, erasure coded are refused.
func erasureCoding(t *testing.T, c *hadooptest.Cluster) {
	const tool, policy = "org.apache.hadoop.hdfs.tools.ECAdmin", "XOR-2-1-1024k"
	f := connect(t, c, hdfs.Options{})
	if err := f.MkdirAll("/ec"); err != nil {
		t.Fatal(err)
	}
	c.Java(t, tool, "-enablePolicy", "-policy", policy)
	c.Java(t, tool, "-setPolicy", "-path", "/ec", "-policy", policy)
	c.Fs(t, "-touchz", "/ec/theirs")
	refuses(t, f, "/ec")
}

// refuses checks that no file in a folder is read or written.
func refuses(t *testing.T, f storage.FS, dir string) {
	t.Helper()
	for what, do := range map[string]func() error{
		"create": func() error { _, err := f.Create(dir+"/ours", 0); return err },
		"lock":   func() error { _, err := f.Lock(dir + "/lock"); return err },
		"open":   func() error { _, err := f.Open(dir + "/theirs"); return err },
	} {
		if err := failure(t, what, do); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s in %s: got %v", what, dir, err)
		}
	}
}

// Files in an encryption zone likewise.
func encryptionZone(t *testing.T, c *hadooptest.Cluster) {
	f := connect(t, c, hdfs.Options{})
	if err := f.MkdirAll("/zone"); err != nil {
		t.Fatal(err)
	}
	c.Java(t, "org.apache.hadoop.crypto.key.KeyShell", "create", "key")
	restart(t, c) // which opens the key store anew
	c.Java(t, "org.apache.hadoop.hdfs.tools.CryptoAdmin", "-createZone", "-keyName", "key", "-path", "/zone")
	c.Fs(t, "-touchz", "/zone/theirs")
	refuses(t, f, "/zone")
}

func restart(t *testing.T, c *hadooptest.Cluster) {
	t.Helper()
	c.NameNode.Kill()
	if err := errors.Join(c.NameNode.Start(), c.Ready()); err != nil {
		t.Fatal(err)
	}
}

// A host that nobody knows is told at once: it is a slip, not an outage.
func unknownHost(t *testing.T, _ *hadooptest.Cluster) {
	err := failure(t, "connect", func() error {
		_, err := hdfs.New(t.Context(), "hdfs://no-such-host.invalid", &hdfs.Options{})
		return err
	})
	var dns *net.DNSError
	if !errors.As(err, &dns) && !errors.Is(err, storage.ErrUnavailable) { // where the resolver is away too
		t.Errorf("got %v", err)
	}
}

// A NameNode that stays away is told after as long as was asked for.
func noNameNode(t *testing.T, _ *hadooptest.Cluster) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	err = failure(t, "connect", func() error {
		_, err := hdfs.New(t.Context(), "hdfs://"+l.Addr().String(), &hdfs.Options{Patience: time.Second})
		return err
	})
	if !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}

// Calls wait for a NameNode that is killed and comes back.
func nameNodeAway(t *testing.T, c *hadooptest.Cluster) {
	f := connect(t, c, hdfs.Options{})
	write(t, f, "/before", []byte("x"))
	c.NameNode.Kill()
	done := make(chan error, 1)
	go func() {
		err := f.Rename("/before", "/after")
		done <- errors.Join(err, storage.WriteFile(f, "/new", pattern(mib+1)))
	}()
	time.Sleep(time.Second) // so that calls fail
	if err := errors.Join(c.NameNode.Start(), c.Ready(), <-done); err != nil {
		t.Fatal(err)
	}
	if got, err := storage.ReadFile(f, "/after", 1); err != nil || string(got) != "x" {
		t.Errorf("read %q, %v", got, err)
	}
	_, err := f.Stat("/before")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old name: %v", err)
	}
}

// Safe mode is waited for, and in the end told.
func safeMode(t *testing.T, c *hadooptest.Cluster) {
	const tool = "org.apache.hadoop.hdfs.tools.DFSAdmin"
	patient, hasty := connect(t, c, hdfs.Options{}), connect(t, c, hdfs.Options{Patience: time.Second})
	c.Java(t, tool, "-safemode", "enter")
	err := failure(t, "create", func() error { _, err := hasty.Create("/safe", 0); return err })
	if !errors.Is(err, storage.ErrUnavailable) || !strings.Contains(err.Error(), "safe mode") {
		t.Errorf("got %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- storage.WriteFile(patient, "/safe", []byte("x")) }()
	c.Java(t, tool, "-safemode", "leave")
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A DataNode that dies while a file is written loses the file, which is told as such;
// written again, it is there.
func dataNodeLost(t *testing.T, c *hadooptest.Cluster) {
	f := connect(t, c, hdfs.Options{})
	data := pattern(8 * mib)
	kill := true
	err := storage.Rewrite(t.Context(), func() error {
		w, err := f.Create("/lost", int64(len(data)))
		if err != nil {
			return err
		}
		_, err = w.Write(data[:4*mib])
		if kill {
			c.DataNodes[0].Kill()
		}
		if err == nil {
			_, err = w.Write(data[4*mib:])
		}
		if err == nil {
			err = w.Sync()
		}
		if kill && !errors.Is(err, storage.ErrLost) {
			t.Errorf("got %v, want %v", err, storage.ErrLost)
		}
		if kill {
			kill, err = false, errors.Join(err, c.DataNodes[0].Start(), c.Ready())
		}
		if err = errors.Join(err, w.Close()); err != nil {
			err = errors.Join(err, f.Remove("/lost"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := storage.ReadFile(f, "/lost", 8*mib); err != nil || !bytes.Equal(got, data) {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
}

// An interrupt ends what waits for a DataNode, and leaves the NameNode to clean up with.
func interrupted(t *testing.T, c *hadooptest.Cluster) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f, err := hdfs.New(ctx, c.URI(), &hdfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := c.DataNodes[0].Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	w, err := f.Create("/interrupted", 64*mib)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(time.Second, cancel)
	start := time.Now()
	err = failure(t, "write", func() error {
		_, err := w.Write(pattern(64 * mib))
		return errors.Join(err, w.Sync())
	})
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("the interrupt was heeded after %v: %v", took, err)
	}
	if err := errors.Join(w.Close(), f.Remove("/interrupted")); err != nil {
		t.Errorf("clean up: %v", err)
	}
	if err := c.DataNodes[0].Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}

// A quota is no machine's failure: the file isn't written again.
func quota(t *testing.T, c *hadooptest.Cluster) {
	f := connect(t, c, hdfs.Options{})
	if err := f.MkdirAll("/quota"); err != nil {
		t.Fatal(err)
	}
	c.Java(t, "org.apache.hadoop.hdfs.tools.DFSAdmin", "-setSpaceQuota", "1m", "/quota")
	err := failure(t, "write", func() error { return storage.WriteFile(f, "/quota/large", pattern(2*mib)) })
	if errors.Is(err, storage.ErrLost) || !strings.Contains(err.Error(), "quota") {
		t.Errorf("got %v", err)
	}
}

// leave takes a lock, and lets its client die.
func leave(t *testing.T, c *hadooptest.Cluster) storage.Lock {
	t.Helper()
	f := connect(t, c, hdfs.Options{})
	l, err := f.Lock("/lock")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Held(); err != nil {
		t.Errorf("at once: %v", err)
	}
	if err := f.Close(); err != nil { // from here on nobody renews the lease
		t.Fatal(err)
	}
	return l
}

// takeOver takes a lock whose holder died, when its lease has run out and not before.
func takeOver(t *testing.T, c *hadooptest.Cluster, dead storage.Lock, left time.Time) {
	const lease = 60 * time.Second
	f := connect(t, c, hdfs.Options{})
	for {
		l, err := f.Lock("/lock")
		switch age := time.Since(left); {
		case err == nil && age < lease-5*time.Second:
			t.Fatalf("the lock was taken over after %v", age)
		case err == nil:
			t.Logf("taken over after %v", age.Round(time.Second))
			if err := dead.Held(); !errors.Is(err, storage.ErrLocked) {
				t.Errorf("the dead holder believes in its lock: %v", err)
			}
			if err := errors.Join(l.Held(), l.Close()); err != nil {
				t.Error(err)
			}
			return
		case !errors.Is(err, storage.ErrLocked):
			t.Fatal(err)
		case age > 3*lease:
			t.Fatalf("still locked after %v", age)
		}
		time.Sleep(500 * time.Millisecond)
	}
}
