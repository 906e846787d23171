package hdfs_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"avro2trevni/internal/hadooptest"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/hdfs"
)

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
	refused := newWaitFor("level=WARN")
	f := connect(t, c, hdfs.Options{Patience: time.Hour, Log: slog.New(slog.NewTextHandler(refused, nil))})
	write(t, f, "/before", []byte("x"))
	c.NameNode.Kill()
	done := make(chan error, 1)
	go func() {
		err := f.Rename("/before", "/after")
		done <- errors.Join(err, storage.WriteFile(t.Context(), f, "/new", pattern(mib+1)))
	}()
	select {
	case <-refused.seen: // a call failed
	case err := <-done:
		t.Fatalf("done without a NameNode: %v", err)
	}
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

// waitFor is a log that closes a channel when a text was written to it.
type waitFor struct {
	text string
	seen chan struct{}
	once sync.Once
}

func newWaitFor(text string) *waitFor { return &waitFor{text: text, seen: make(chan struct{})} }

func (w *waitFor) Write(p []byte) (int, error) {
	if strings.Contains(string(p), w.text) {
		w.once.Do(func() { close(w.seen) })
	}
	return len(p), nil
}

// Safe mode is waited for, and in the end told.
func safeMode(t *testing.T, c *hadooptest.Cluster) {
	const tool = "org.apache.hadoop.hdfs.tools.DFSAdmin"
	refused := newWaitFor("level=WARN")
	patient := connect(t, c, hdfs.Options{Patience: time.Hour, Log: slog.New(slog.NewTextHandler(refused, nil))})
	hasty := connect(t, c, hdfs.Options{Patience: time.Second})
	c.Java(t, tool, "-safemode", "enter")
	err := failure(t, "create", func() error { _, err := hasty.Create("/safe", 0); return err })
	if !errors.Is(err, storage.ErrUnavailable) || !strings.Contains(err.Error(), "safe mode") {
		t.Errorf("got %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- storage.WriteFile(t.Context(), patient, "/safe", []byte("x")) }()
	<-refused.seen
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

// An interrupt ends what waits for a DataNode, here one that stands still, and leaves the
// NameNode to clean up with.
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
	err = failure(t, "write", func() error {
		_, err := w.Write(pattern(64 * mib))
		return errors.Join(err, w.Sync())
	})
	if !errors.Is(err, net.ErrClosed) && !errors.Is(err, context.Canceled) { // the interrupt closes connections; nothing else does
		t.Errorf("it was not the interrupt that ended it: %v", err)
	}
	if err := errors.Join(w.Close(), f.Remove("/interrupted")); err != nil {
		t.Errorf("clean up: %v", err)
	}
	if err := c.DataNodes[0].Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
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
			if err := dead.Held(); !errors.Is(err, storage.ErrLockLost) {
				t.Errorf("the dead holder believes in its lock: %v", err)
			}
			if err := errors.Join(l.Held(), l.Close()); err != nil {
				t.Error(err)
			}
			return
		case !errors.Is(err, storage.ErrLocked):
			t.Fatal(err)
		case age > 10*lease:
			t.Fatalf("still locked after %v", age)
		}
		time.Sleep(500 * time.Millisecond)
	}
}
