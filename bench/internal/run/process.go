package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"avro2trevni/bench/internal/report"
)

// Job is one run of a contender: the command, and the paths that it writes.
type Job struct {
	Command []string
	Output  string // a file or a folder; empty for a command that writes nothing
	Temp    string // a folder that exists; empty for a command without
}

// tempInterval is how often the temporary folder is looked at.
const tempInterval = 20 * time.Millisecond

// Measure runs j and syncs what it wrote. What the command printed is part of the
// error when it fails.
//
// The kernel counts the parent's resident size into that of a child that it starts
// (the two share memory until exec), so the figures are right only while this
// process stays smaller than any contender: it reads no data itself.
func Measure(ctx context.Context, j Job) (report.Sample, error) {
	var said strings.Builder
	cmd := exec.CommandContext(ctx, j.Command[0], j.Command[1:]...)
	cmd.Stderr = &said
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return report.Sample{}, err
	}
	peak := watch(j.Temp)
	err := cmd.Wait()
	if err == nil {
		err = syncTree(j.Output)
	}
	wall := time.Since(start)
	temp := peak()
	if err != nil {
		return report.Sample{}, fmt.Errorf("%s: %w: %s", strings.Join(j.Command, " "), err, Tail(said.String()))
	}
	output, err := TreeSize(j.Output)
	return report.Sample{
		Wall:   wall.Seconds(),
		User:   cmd.ProcessState.UserTime().Seconds(),
		System: cmd.ProcessState.SystemTime().Seconds(),
		Memory: cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10, // Linux counts KiB
		Output: output,
		Temp:   temp,
	}, err
}

// Clean removes what the last run left and waits until the disk is quiet, so that
// the next one doesn't pay for it. The temporary folder is made anew.
func (j Job) Clean() error {
	if j.Output != "" {
		if err := os.RemoveAll(j.Output); err != nil {
			return err
		}
	}
	if j.Temp != "" {
		if err := errors.Join(os.RemoveAll(j.Temp), os.MkdirAll(j.Temp, 0o755)); err != nil {
			return err
		}
	}
	syscall.Sync()
	return nil
}

// watch looks at a folder again and again until the function it returns is called,
// which tells the most bytes that the folder held.
func watch(dir string) (peak func() int64) {
	if dir == "" {
		return func() int64 { return 0 }
	}
	stop, most := make(chan struct{}), make(chan int64)
	go func() {
		tick := time.NewTicker(tempInterval)
		defer tick.Stop()
		var m int64
		for {
			select {
			case <-tick.C:
				n, _ := TreeSize(dir) // files vanish while it is read
				m = max(m, n)
			case <-stop:
				n, _ := TreeSize(dir) // what is left, if nobody came to look before
				most <- max(m, n)
				return
			}
		}
	}()
	return func() int64 { close(stop); return <-most }
}

// TreeSize adds up the files under path; a path of "" has none.
func TreeSize(path string) (int64, error) {
	var total int64
	if path == "" {
		return 0, nil
	}
	err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		total += info.Size()
		return nil
	})
	return total, err
}

// syncTree syncs the files and folders under path, as a careful writer would.
func syncTree(path string) error {
	if path == "" {
		return nil
	}
	return filepath.WalkDir(path, func(p string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		f, err := os.Open(p)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

// Tail returns the end of what a failed command printed.
func Tail(s string) string {
	const most = 600
	s = strings.TrimSpace(s)
	return s[max(0, len(s)-most):]
}
