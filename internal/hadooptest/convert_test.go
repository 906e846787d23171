package hadooptest_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"avro2trevni/internal/hadooptest"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/hdfs"
	"avro2trevni/jobs"
)

const (
	mib    = 1 << 20
	schema = `{"type":"record","name":"r","fields":[{"name":"id","type":"long"},{"name":"text","type":"string"}]}`
	rows   = 60_000
)

// input writes a file of rows whose ids count up from 0, about 24 MB that don't
// compress.
func input(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "input.avro")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w, err := ocf.NewWriter(f, &ocf.WriterOptions{Schema: schema, Codec: "null"})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 1))
	for id := range rows {
		row := binary.AppendVarint(nil, int64(id))
		row = binary.AppendVarint(row, 400)
		for range 400 {
			row = append(row, byte('!'+r.IntN(90)))
		}
		if err := w.Append(row, 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return name
}

// fileSize makes some files of the input, each of several of HDFS's smallest blocks.
const fileSize = 5 * mib

// options are those of all conversions here, so that their files are the same.
func options(input, output string) *jobs.Options {
	return &jobs.Options{Inputs: []string{input}, Output: output, FileSize: fileSize, SplitSize: 2 * mib, Memory: 128 * mib}
}

func convert(t *testing.T, o *jobs.Options) *jobs.Report {
	t.Helper()
	r, err := jobs.Convert(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// router returns the file system of paths and of the cluster.
func router(t *testing.T) *storage.Router {
	r := newRouter(t.Context())
	t.Cleanup(func() { r.Close() })
	return r
}

func newRouter(ctx context.Context) *storage.Router {
	return &storage.Router{Local: storage.Local{}, Connect: func(root string) (storage.FS, error) {
		return hdfs.New(ctx, root, &hdfs.Options{})
	}}
}

// equal checks that two outputs hold the same files, but for what tells times.
func equal(t *testing.T, f storage.FS, got, want string) {
	t.Helper()
	g, w := contents(t, f, got), contents(t, f, want)
	if len(g) != len(w) || len(w) < 4 {
		t.Errorf("%s holds %d files, %s %d", got, len(g), want, len(w))
	}
	for name := range w {
		if !bytes.Equal(g[name], w[name]) {
			t.Errorf("%s differs: %d bytes, want %d", storage.Join(got, name), len(g[name]), len(w[name]))
		}
	}
}

// contents returns the files of an output; anything but an output's files is an error.
func contents(t *testing.T, f storage.FS, dir string) map[string][]byte {
	t.Helper()
	infos, err := f.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all, success := map[string][]byte{}, false
	for _, info := range infos {
		switch name := info.Name(); {
		case name == "_SUCCESS":
			success = true
		case strings.HasPrefix(name, "part-"):
			if all[name], err = storage.ReadFile(f, storage.Join(dir, name), 64*mib); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is left", storage.Join(dir, name))
		}
	}
	if !success {
		t.Errorf("%s has no _SUCCESS", dir)
	}
	return all
}

// blocks returns how many blocks fsck counts below a path.
func blocks(t *testing.T, c *hadooptest.Cluster, path string) int {
	t.Helper()
	said := c.Fsck(t, path)
	m := regexp.MustCompile(`Total blocks \(validated\):\s+(\d+)`).FindStringSubmatch(said)
	if m == nil {
		t.Fatalf("fsck says %s", said)
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// TestConvertOnHDFS converts from HDFS and to it: the bytes are those of the local
// engine, each file is one block, and Java's MapReduce job on YARN reads every record once.
func TestConvertOnHDFS(t *testing.T) {
	c := hadooptest.Start(t, hadooptest.Options{Yarn: true, Conf: map[string]string{"dfs.blocksize": "1048576"}})
	f, in := router(t), input(t)
	local, remote, back := filepath.Join(t.TempDir(), "local"), c.URI()+"/out", filepath.Join(t.TempDir(), "back")
	convert(t, options(in, local))
	c.Fs(t, "-put", in, "/in.avro")
	r := convert(t, options(c.URI()+"/in.avro", remote))
	equal(t, f, remote, local)
	convert(t, options(c.URI()+"/*.avro", back))
	equal(t, f, back, local)
	if n := blocks(t, c, "/out"); n != len(r.Outputs)+1 { // and _SUCCESS
		t.Errorf("%d blocks of %d files", n, len(r.Outputs)+1)
	}
	for i, out := range r.Outputs[:len(r.Outputs)-1] {
		if out.Bytes > fileSize || out.Bytes < fileSize*95/100 {
			t.Errorf("file %d has %d bytes", i, out.Bytes)
		}
	}
	again := options(in, remote)
	if _, err := jobs.Convert(t.Context(), again); jobs.ExitCode(err) != jobs.ExitRefused {
		t.Errorf("over an output: %v", err)
	}
	again.IfExists = jobs.IfExistsReplace
	convert(t, again)
	equal(t, f, remote, local)
	const splits = "20" // more than there are files: the input format is asked not to split them
	c.RunProgram(t, "java/ReadTrevni.java", schema, remote, c.URI()+"/ids", splits)
	checkIDs(t, c.Fs(t, "-cat", c.URI()+"/ids/part-*"))
}

// checkIDs checks that each id is there once.
func checkIDs(t *testing.T, text string) {
	t.Helper()
	seen := make([]int, rows)
	for line := range strings.Lines(text) {
		id, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil || id < 0 || id >= rows {
			t.Fatalf("Java wrote %q", line)
		}
		seen[id]++
	}
	for id, n := range seen {
		if n != 1 {
			t.Fatalf("id %d came %d times", id, n)
		}
	}
}

// hooked calls a function at every read of an input and every write of an output.
type hooked struct {
	storage.FS
	read, write func(n int64) // with how many bytes went before, in all
	in, out     atomic.Int64
	mu          sync.Mutex
}

type hookedFile struct {
	storage.File
	h *hooked
}

type hookedWriter struct {
	storage.Writer
	h *hooked
}

func (h *hooked) Open(name string) (storage.File, error) {
	f, err := h.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return hookedFile{f, h}, nil
}

func (h *hooked) Create(name string, size int64) (storage.Writer, error) {
	w, err := h.FS.Create(name, size)
	if err != nil || !strings.HasSuffix(name, ".trv") {
		return w, err
	}
	return hookedWriter{w, h}, nil
}

func (h *hooked) call(hook func(int64), done int64) {
	if hook != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		hook(done)
	}
}

func (f hookedFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	f.h.call(f.h.read, f.h.in.Add(int64(n)))
	return n, err
}

func (w hookedWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.h.call(w.h.write, w.h.out.Add(int64(n)))
	return n, err
}

// steps returns a hook that does each of some things once, when so many bytes went by.
func steps(every int64, do ...func()) func(int64) {
	return func(done int64) {
		if len(do) == 0 || done < every {
			return
		}
		first := do[0]
		do = do[1:]
		every += every / int64(len(do)+1)
		first()
	}
}

// TestKills kills daemons while a conversion runs, on three DataNodes: the files are
// those of an undisturbed run, and nothing else is left.
func TestKills(t *testing.T) {
	c := hadooptest.Start(t, hadooptest.Options{DataNodes: 3, Conf: map[string]string{"dfs.replication": "2"}})
	f, in := router(t), input(t)
	local := filepath.Join(t.TempDir(), "local")
	convert(t, options(in, local))
	c.Java(t, "org.apache.hadoop.fs.FsShell", "-D", "dfs.replication=3", "-D", "dfs.blocksize=2097152", "-put", in, "/in.avro")
	dead := killConvert(t, c, in)
	for _, test := range []struct {
		name  string
		hooks func() *hooked
	}{
		{"DataNodes mid-read", func() *hooked { return &hooked{read: readKills(t, c)} }},
		{"DataNode mid-write", func() *hooked { return &hooked{write: steps(2*mib, func() { killWriting(t, c) })} }},
		{"NameNode for 30 s", func() *hooked { return &hooked{write: steps(2*mib, func() { awayFor(t, c, 30*time.Second) })} }},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := test.hooks()
			h.FS = f
			output := c.URI() + "/" + strings.ReplaceAll(test.name, " ", "-")
			o := options(c.URI()+"/in.avro", output)
			o.FS = h
			start := time.Now()
			r := convert(t, o)
			t.Logf("%d files in %v; %d bytes were written for %d", len(r.Outputs), time.Since(start).Round(time.Second), h.out.Load(), r.Counters.OutputBytes)
			equal(t, f, output, local)
			revive(t, c)
		})
	}
	t.Run("convert itself", func(t *testing.T) { dead(t, f, local) })
}

// TestFailover has a second NameNode take over while a conversion writes: names of the
// nameservice go on.
func TestFailover(t *testing.T) {
	c := hadooptest.Start(t, hadooptest.Options{Standby: true})
	t.Setenv("HADOOP_CONF_DIR", c.ConfDir())
	f, in := router(t), input(t)
	local, remote := filepath.Join(t.TempDir(), "local"), "hdfs://"+hadooptest.Nameservice+"/out"
	convert(t, options(in, local))
	c.Fs(t, "-put", in, "/in.avro")
	o := options("hdfs:///in.avro", remote)
	o.FS = &hooked{FS: f, write: steps(2*mib, func() {
		c.NameNode.Kill()
		go c.TakeOver(t)
	})}
	convert(t, o)
	equal(t, f, remote, local)
}

// readKills kills each DataNode in turn, so that the one being read from is among
// them, and starts the first again before the last goes.
func readKills(t *testing.T, c *hadooptest.Cluster) func(int64) {
	return steps(3*mib,
		c.DataNodes[0].Kill,
		c.DataNodes[1].Kill,
		func() {
			if err := errors.Join(c.DataNodes[0].Start(), c.Ready()); err != nil {
				t.Error(err)
			}
			c.DataNodes[2].Kill()
		})
}

// killWriting kills a DataNode that has a block in work.
func killWriting(t *testing.T, c *hadooptest.Cluster) {
	for i, d := range c.DataNodes {
		open := false
		_ = filepath.WalkDir(c.DataDir(i), func(name string, e fs.DirEntry, err error) error { // files come and go
			open = open || err == nil && filepath.Base(filepath.Dir(name)) == "rbw"
			return nil
		})
		if open {
			d.Kill()
			return
		}
	}
	t.Error("no DataNode has a block in work")
}

// awayFor kills the NameNode, and starts it again later.
func awayFor(t *testing.T, c *hadooptest.Cluster, d time.Duration) {
	c.NameNode.Kill()
	time.AfterFunc(d, func() {
		if err := c.NameNode.Start(); err != nil {
			t.Error(err)
		}
	})
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

// killConvert kills the command itself at work. What it returns runs it again: that is
// refused, to be tried later, until the dead one's lease has run out, and then ends as
// if nothing had been.
func killConvert(t *testing.T, c *hadooptest.Cluster, in string) (again func(*testing.T, storage.FS, string)) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "convert")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/convert").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	output := c.URI() + "/killed"
	args := []string{"--file-size", fmt.Sprint(fileSize), "--memory", "128MiB", "--workers", "1", in, output}
	cmd := exec.Command(program, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	f := router(t)
	for started := time.Now(); time.Since(started) < time.Minute; time.Sleep(2 * time.Millisecond) {
		if runs, err := f.ReadDir(output + "/_temporary"); err == nil && len(runs) > 0 {
			break
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("it had ended before")
	}
	return func(t *testing.T, f storage.FS, local string) {
		refused := 0
		for started := time.Now(); time.Since(started) < 3*time.Minute; time.Sleep(2 * time.Second) {
			r := options(in, output)
			r.SplitSize = 0
			_, err := jobs.Convert(t.Context(), r)
			if err == nil {
				t.Logf("refused %d times before", refused)
				whole := filepath.Join(t.TempDir(), "whole")
				r.Output = whole
				convert(t, r)
				equal(t, f, output, whole)
				return
			}
			if refused++; jobs.ExitCode(err) != jobs.ExitRetry {
				t.Fatal(err)
			}
		}
		t.Error("the dead one's lock is still held")
	}
}
