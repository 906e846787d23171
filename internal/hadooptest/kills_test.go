package hadooptest_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"avro2trevni/internal/hadooptest"
	"avro2trevni/internal/storage"
)

// TestKills kills daemons while a conversion runs, on three DataNodes: the files are
// those of an undisturbed run, and nothing else is left.
func TestKills(t *testing.T) {
	t.Parallel()
	c := hadooptest.Start(t, hadooptest.Options{DataNodes: 3, Conf: map[string]string{"dfs.replication": "2"}})
	f := router(t)
	in, local := original(t)
	c.Java(t, "org.apache.hadoop.fs.FsShell", "-D", "dfs.replication=3", "-D", "dfs.blocksize=2097152", "-put", in, "/in.avro")
	c.Fs(t, "-setrep", "-w", "3", "/in.avro") // each DataNode has all of it before the first is killed
	dead := &job{Input: in, Output: c.URI() + "/killed", Op: "write", Name: "part-00002.trv"}
	dead.start(t).kill(t)
	for _, test := range []struct {
		name, op string
		steps    []func() bool
	}{
		{"DataNodes mid-read", "read", readKills(t, c)},
		{"DataNode mid-write", "write", []func() bool{func() bool { return killWriting(c) }}},
		{"NameNode for 30 s", "write", []func() bool{func() bool { return awayFor(t, c, 30*time.Second) }}},
	} {
		t.Run(test.name, func(t *testing.T) {
			output := c.URI() + "/" + strings.ReplaceAll(test.name, " ", "-")
			o := options(c.URI()+"/in.avro", output)
			h := &disturbed{FS: f, op: test.op, next: 2 * mib, steps: test.steps}
			o.FS = h
			r := convert(t, o)
			t.Logf("%d files; %d bytes by %s for %d", len(r.Outputs), h.moved, test.op, r.Counters.OutputBytes)
			if len(h.steps) > 0 {
				t.Errorf("%d of %d steps were not taken", len(h.steps), len(test.steps))
			}
			equal(t, f, output, local)
			revive(t, c)
		})
	}
	t.Run(dead.String(), func(t *testing.T) { dead.again(t, f, local) })
}

// disturbed is a file system that things are done to amid a job, one step after the other,
// a MiB apart.
type disturbed struct {
	storage.FS
	op string // amid what: "read" of an input, "write" of a part file

	mu          sync.Mutex
	moved, next int64         // bytes: of all calls, and at which a step is due
	steps       []func() bool // each is tried at every call until it reports that it is done
}

type disturbedFile struct {
	storage.File
	d *disturbed
}

type disturbedWriter struct {
	storage.Writer
	d *disturbed
}

func (d *disturbed) Open(name string) (storage.File, error) {
	f, err := d.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return disturbedFile{f, d}, nil
}

func (d *disturbed) Create(name string, size int64) (storage.Writer, error) {
	w, err := d.FS.Create(name, size)
	if err != nil || !strings.HasSuffix(name, ".trv") {
		return w, err
	}
	return disturbedWriter{w, d}, nil
}

// call takes a step if one is due.
func (d *disturbed) call(op string, n int) {
	if op != d.op {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.moved += int64(n)
	if len(d.steps) > 0 && d.moved >= d.next && d.steps[0]() {
		d.steps, d.next = d.steps[1:], d.next+mib
	}
}

func (f disturbedFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	f.d.call("read", n)
	return n, err
}

func (w disturbedWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.d.call("write", n)
	return n, err
}

// readKills kills each DataNode in turn, so that the one being read from is among
// them, and starts the first again before the last goes.
func readKills(t *testing.T, c *hadooptest.Cluster) []func() bool {
	kill := func(i int) func() bool { return func() bool { c.DataNodes[i].Kill(); return true } }
	return []func() bool{kill(0), kill(1), func() bool {
		if err := errors.Join(c.DataNodes[0].Start(), c.Ready()); err != nil {
			t.Error(err)
		}
		return true
	}, kill(2)}
}

// killWriting kills a DataNode that has a block in work, if there is one.
func killWriting(c *hadooptest.Cluster) bool {
	for i, d := range c.DataNodes {
		open := false
		_ = filepath.WalkDir(c.DataDir(i), func(name string, e fs.DirEntry, err error) error { // files come and go
			open = open || err == nil && filepath.Base(filepath.Dir(name)) == "rbw"
			return nil
		})
		if open {
			d.Kill()
			return true
		}
	}
	return false // one file has just ended
}

// awayFor kills the NameNode, and starts it again later.
func awayFor(t *testing.T, c *hadooptest.Cluster, d time.Duration) bool {
	c.NameNode.Kill()
	time.AfterFunc(d, func() {
		if err := c.NameNode.Start(); err != nil {
			t.Error(err)
		}
	})
	return true
}

// revive starts all that was killed.
func revive(t *testing.T, c *hadooptest.Cluster) {
	t.Helper()
	for _, d := range slices.Concat(c.DataNodes, c.NodeManagers) {
		if !d.Alive() {
			if err := d.Start(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := c.Ready(); err != nil {
		t.Fatal(err)
	}
}
