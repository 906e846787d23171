package hdfs_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
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
	if err := storage.WriteFile(t.Context(), f, name, data); err != nil {
		t.Fatal(err)
	}
}

// failure returns what an action fails with.
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
	left := time.Now()
	lock := leave(t, c) // its lease runs out while the others are tried
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
		if err := failure(t, what, do); !errors.Is(err, storage.ErrUnsupported) {
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

// A quota is no machine's failure: the file isn't written again.
func quota(t *testing.T, c *hadooptest.Cluster) {
	f := connect(t, c, hdfs.Options{})
	if err := f.MkdirAll("/quota"); err != nil {
		t.Fatal(err)
	}
	c.Java(t, "org.apache.hadoop.hdfs.tools.DFSAdmin", "-setSpaceQuota", "1m", "/quota")
	err := failure(t, "write", func() error { return storage.WriteFile(t.Context(), f, "/quota/large", pattern(2*mib)) })
	if errors.Is(err, storage.ErrLost) || !strings.Contains(err.Error(), "quota") {
		t.Errorf("got %v", err)
	}
}
