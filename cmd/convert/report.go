package main

import (
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

// replaceFile writes a file under a temporary name and renames it.
func replaceFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
