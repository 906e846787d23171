package scan

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"avro2trevni/bench/internal/report"
	"avro2trevni/bench/internal/run"
	"avro2trevni/bench/internal/scanner"

	"golang.org/x/sys/unix"
)

// live is a scanning program that runs and waits for files to scan; see serve.
type live struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	said   strings.Builder // to standard error
	answer scanner.Answer  // of the last pass
	end    func() error    // lets the program come to its end, once
}

// startLive starts a program, on one core if oneCore is set.
func startLive(ctx context.Context, command []string, oneCore bool) (*live, error) {
	l := &live{cmd: exec.CommandContext(ctx, command[0], command[1:]...)}
	l.cmd.Stderr = &l.said
	if oneCore {
		l.cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	}
	in, err := l.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	l.in, l.out = in, bufio.NewReader(out)
	l.end = sync.OnceValue(func() error { return errors.Join(l.in.Close(), l.cmd.Wait()) })
	return l, startOn(l.cmd, oneCore)
}

// startOn starts a command that may run on the last of our cores only, or on all. A
// child inherits the cores of the thread that starts it.
func startOn(cmd *exec.Cmd, oneCore bool) error {
	if !oneCore {
		return cmd.Start()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var cores, last unix.CPUSet
	if err := unix.SchedGetaffinity(0, &cores); err != nil {
		return fmt.Errorf("bench: cores: %w", err)
	}
	for i := range runtime.NumCPU() * 64 {
		if cores.IsSet(i) {
			last.Zero()
			last.Set(i)
		}
	}
	if err := unix.SchedSetaffinity(0, &last); err != nil {
		return fmt.Errorf("bench: one core: %w", err)
	}
	return errors.Join(cmd.Start(), unix.SchedSetaffinity(0, &cores))
}

// pass has the program scan a file once. The time is the program's own; processor time
// and bytes are what the kernel counted for it meanwhile.
func (l *live) pass(path string) (report.Sample, error) {
	before, err := l.counters()
	if err != nil {
		return report.Sample{}, l.failed(err)
	}
	if _, err := fmt.Fprintln(l.in, path); err != nil {
		return report.Sample{}, l.failed(err)
	}
	line, err := l.out.ReadString('\n')
	if err != nil {
		return report.Sample{}, l.failed(err)
	}
	s := report.Sample{}
	if s.Wall, l.answer, err = scanner.ParseReply(line); err != nil {
		return s, err
	}
	after, err := l.counters()
	s.User = after.cpu - before.cpu
	s.Read = after.read - before.read
	s.Disk = after.disk - before.disk
	s.Memory = after.memory
	return s, err
}

// failed is why a program cannot be spoken to: what it said itself, in one line, or
// else the error of speaking to it.
func (l *live) failed(err error) error {
	end := l.end()
	if said := strings.Fields(run.Tail(l.said.String())); len(said) > 0 {
		return errors.New(strings.Join(said, " "))
	}
	return errors.Join(err, end)
}

// counters are what the kernel has counted for a process so far.
type counters struct {
	cpu        float64 // seconds, of the threads that there are
	read, disk int64   // bytes that system calls have read, and those that came from a disk
	memory     int64   // peak resident size
}

func (l *live) counters() (c counters, err error) {
	dir := filepath.Join("/proc", strconv.Itoa(l.cmd.Process.Pid))
	fields := map[string]*int64{"rchar": &c.read, "read_bytes": &c.disk}
	for name, into := range fields {
		if *into, err = strconv.ParseInt(report.ProcField(filepath.Join(dir, "io"), name), 10, 64); err != nil {
			return c, fmt.Errorf("bench: %s of a program: %w", name, err)
		}
	}
	if kib, found := strings.CutSuffix(report.ProcField(filepath.Join(dir, "status"), "VmHWM"), " kB"); found {
		c.memory, err = strconv.ParseInt(strings.TrimSpace(kib), 10, 64)
		c.memory <<= 10
	}
	c.cpu = threadTime(dir)
	return c, err
}

// threadTime adds up the time on a processor of a process's threads. One that ends
// meanwhile is not counted: a scan's are pools' threads, which stay.
func threadTime(dir string) float64 {
	names, _ := filepath.Glob(filepath.Join(dir, "task", "*", "schedstat"))
	var total float64
	for _, name := range names {
		data, _ := os.ReadFile(name) // gone: its thread has ended
		first, _, _ := strings.Cut(string(data), " ")
		ns, _ := strconv.ParseInt(first, 10, 64)
		total += float64(ns) / 1e9
	}
	return total
}
