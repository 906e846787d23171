package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/version"
	"avro2trevni/jobs"
	"avro2trevni/jobs/report"
)

// reportFile is the target of the report: a file that is replaced, or a device or a pipe
// that is written to.
type reportFile struct {
	name string    // of the file, where links lead; empty if there is none
	to   io.Writer // else
}

// openReport looks at what --report names, and refuses it before hours of work rather
// than after them: where it cannot be written, where it would destroy what the job reads
// or makes, and where a file is there that is no report.
func (c *command) openReport(ctx context.Context) (err error) {
	if c.report == "" {
		return nil
	}
	if fd, ok := descriptor(c.report); ok {
		c.out.to, err = c.opened(fd)
		return reportError(err)
	}
	name, err := target(c.report)
	if err != nil {
		return reportError(err)
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return reportError(err)
	case info.IsDir():
		return reportError(fmt.Errorf("%s: is a folder", name))
	case !info.Mode().IsRegular():
		c.out.to, err = openInPlace(ctx, name)
		return reportError(err)
	}
	c.opts.Report = name
	if err := c.opts.CheckReport(); err != nil {
		return err
	}
	if err := isReport(name, info); err != nil {
		return reportError(err)
	}
	c.out.name = name
	return reportError(probe(name))
}

// reportError turns an error into a refusal, except a signal that came meanwhile.
func reportError(err error) error {
	if err == nil || errors.Is(err, exit.ErrInterrupted) {
		return err
	}
	return usageError(fmt.Errorf("report: %w", err))
}

// descriptor returns the number of the open file that a name denotes.
func descriptor(name string) (fd int, ok bool) {
	switch name {
	case "-", "/dev/stdout":
		return syscall.Stdout, true
	case "/dev/stderr":
		return syscall.Stderr, true
	}
	for _, dir := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if n, found := strings.CutPrefix(name, dir); found {
			fd, err := strconv.ParseUint(n, 10, 31)
			return int(fd), err == nil
		}
	}
	return 0, false
}

// opened returns the open file of a number. It is written at its current position: earlier
// contents stay.
func (c *command) opened(fd int) (io.Writer, error) {
	switch fd {
	case syscall.Stdout:
		return c.stdout, nil
	case syscall.Stderr:
		return c.stderr, nil
	}
	f := os.NewFile(uintptr(fd), fmt.Sprintf("/dev/fd/%d", fd))
	_, err := f.Stat()
	return f, err
}

// target returns where a name leads; nothing need be there. The report takes the place
// of that, and not of a link to it.
func target(name string) (string, error) {
	const maxLinks = 40 // as in Linux
	for range maxLinks {
		info, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink == 0 {
			return name, nil
		}
		if err != nil {
			return "", err
		}
		to, err := os.Readlink(name)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			dir, err := filepath.EvalSymlinks(filepath.Dir(name)) // to may begin with ..
			if err != nil {
				return "", err
			}
			to = filepath.Join(dir, to)
		}
		name = to
	}
	return "", &fs.PathError{Op: "open", Path: name, Err: syscall.ELOOP}
}

// openInPlace opens a file that is not regular, for writing. Opening a named pipe waits for
// a reader, perhaps forever.
func openInPlace(ctx context.Context, name string) (*os.File, error) {
	return attend(ctx, func() (*os.File, error) { return os.OpenFile(name, os.O_WRONLY, 0) })
}

// isReport refuses an existing file that is not the report of a run, so that it is not
// replaced by one. An empty file, as mktemp makes it, is accepted.
func isReport(name string, info fs.FileInfo) error {
	if info == nil || info.Size() == 0 {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	var first [1]byte
	if _, err := io.ReadFull(f, first[:]); err != nil {
		return err
	}
	if first[0] != '{' {
		return fmt.Errorf("%s: exists, and is not a report, which would begin with {: remove it, or name another file", name)
	}
	return nil
}

// probe makes sure that a file can be made where the report goes.
func probe(name string) error {
	f, err := tempBeside(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// writeReport writes the report to its target, and replaces an older one in one step. It
// also writes the report of a failed run, with its error, so that the previous report is
// not mistaken for this run's. If there is no report, it writes at least the error.
func (c *command) writeReport(r *report.Report, failed error) error {
	if c.out == (reportFile{}) || errors.Is(failed, jobs.ErrReport) {
		return nil
	}
	if r == nil {
		r = &report.Report{Version: version.Program(), Inputs: []report.Input{}, Outputs: []report.Output{}}
	}
	done := failed == nil || exit.Code(failed) == exit.StatusSome
	if !done {
		r.Error = c.message(failed)
	}
	data, err := r.JSON()
	switch {
	case err != nil:
	case c.out.to != nil:
		_, err = c.out.to.Write(data)
	default:
		err = replaceFile(c.out.name, data)
	}
	switch {
	case err == nil:
		return nil
	case done:
		return fmt.Errorf("the job is done, and its output complete, but the report could not be written: %w", err)
	}
	return fmt.Errorf("write report: %w", err)
}

// replaceFile writes a file under a temporary name and renames it.
func replaceFile(name string, data []byte) error {
	f, err := tempBeside(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// tempBeside makes a file beside another, with the rights that the umask leaves.
func tempBeside(name string) (*os.File, error) {
	var b [8]byte
	_, _ = rand.Read(b[:]) // which never fails
	temp := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%x.tmp", filepath.Base(name), b))
	return os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}
