package main

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
)

// sample is what one run of one contender took. Times are in seconds, sizes in
// bytes.
type sample struct {
	Wall   float64 `json:"wall"`   // start to exit, and the output synced
	User   float64 `json:"user"`   // processor time
	System float64 `json:"system"` // processor time in the kernel
	Memory int64   `json:"memory"` // peak resident size, as wait4 tells it
	Output int64   `json:"output"` // all files of the output
	Temp   int64   `json:"temp"`   // most bytes seen in the temporary folder

	// Of scans only.
	Read int64 `json:"read,omitempty"` // bytes that system calls have read
	Disk int64 `json:"disk,omitempty"` // those of them that came from the disk, not from the page cache
}

// job is one run of a contender: the command, and the paths that it writes.
type job struct {
	command []string
	output  string // a file or a folder; empty for a command that writes nothing
	temp    string // a folder that exists; empty for a command without
}

// tempInterval is how often the temporary folder is looked at.
const tempInterval = 20 * time.Millisecond

// measure runs j and syncs what it wrote. What the command printed is part of the
// error when it fails.
//
// The kernel counts the parent's resident size into that of a child that it starts
// (the two share memory until exec), so the figures are right only while this
// process stays smaller than any contender: it reads no data itself.
func measure(ctx context.Context, j job) (sample, error) {
	var said strings.Builder
	cmd := exec.CommandContext(ctx, j.command[0], j.command[1:]...)
	cmd.Stderr = &said
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return sample{}, err
	}
	peak := watch(j.temp)
	err := cmd.Wait()
	if err == nil {
		err = syncTree(j.output)
	}
	wall := time.Since(start)
	temp := peak()
	if err != nil {
		return sample{}, fmt.Errorf("%s: %w: %s", strings.Join(j.command, " "), err, tail(said.String()))
	}
	output, err := treeSize(j.output)
	return sample{
		Wall:   wall.Seconds(),
		User:   cmd.ProcessState.UserTime().Seconds(),
		System: cmd.ProcessState.SystemTime().Seconds(),
		Memory: cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10, // Linux counts KiB
		Output: output,
		Temp:   temp,
	}, err
}

// clean removes what the last run left and waits until the disk is quiet, so that
// the next one doesn't pay for it. The temporary folder is made anew.
func (j job) clean() error {
	if j.output != "" {
		if err := os.RemoveAll(j.output); err != nil {
			return err
		}
	}
	if j.temp != "" {
		if err := errors.Join(os.RemoveAll(j.temp), os.MkdirAll(j.temp, 0o755)); err != nil {
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
				n, _ := treeSize(dir) // files vanish while it is read
				m = max(m, n)
			case <-stop:
				most <- m
				return
			}
		}
	}()
	return func() int64 { close(stop); return <-most }
}

// treeSize adds up the files under path; a path of "" has none.
func treeSize(path string) (int64, error) {
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

// tail returns the end of what a failed command printed.
func tail(s string) string {
	const most = 600
	s = strings.TrimSpace(s)
	return s[max(0, len(s)-most):]
}
