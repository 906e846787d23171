package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"avro2trevni/jobs"
)

// writeReport writes the report to the file asked for, replacing an older one at one
// instant; of a run that failed too, with its error, so that nobody takes the last
// run's for this one's. Without a report to write it says at least the error.
func (c *command) writeReport(r *jobs.Report, failed error) error {
	if c.report == "" {
		return nil
	}
	if r == nil {
		r = &jobs.Report{Version: jobs.Version(), Inputs: []jobs.InputReport{}, Outputs: []jobs.OutputReport{}}
	}
	if failed != nil && jobs.ExitCode(failed) != jobs.ExitSome {
		r.Error = failed.Error()
	}
	data, err := r.JSON()
	if err == nil {
		err = replaceFile(c.report, data)
	}
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// replaceFile writes a file under a temporary name, with the rights that the umask
// leaves, and renames it.
func replaceFile(name string, data []byte) error {
	var b [8]byte
	_, _ = rand.Read(b[:]) // which never fails
	temp := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%x.tmp", filepath.Base(name), b))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}
