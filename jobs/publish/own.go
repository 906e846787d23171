package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"avro2trevni/internal/storage"
)

// A run may lose its lock to another run: a lock with a lease is lost when the run is
// stopped for longer than the lease, at any moment, also between checking the lock and the
// next call. So that it cannot damage the other run's work then, a run changes the names of
// an output, and its journal, in only one way: it renames a file from its own folder to the
// name, or from the name to its own folder.
//
//	OUT/_temporary/run-A/part-00000.trv --reveal--> OUT/part-00000.trv
//	OUT/_SUCCESS                        --retire--> OUT/_temporary/run-A/retired
//
// A run that gets the lock first renames the folders of all earlier runs. A stopped run
// that continues then finds no folder to rename from, or to, and changes nothing; it checks
// the lock, and ends.

// retiredName is the name, in the run's own folder, that a removed file gets; the next
// removed file replaces it.
const retiredName = "retired"

// held returns nil as long as this run has the lock.
func (out *renaming) held() error {
	if err := out.lock.Held(); err != nil {
		return fmt.Errorf("this run changes nothing more: %w", err)
	}
	return nil
}

// reveal gives a file of a run its name in the output.
func (out *renaming) reveal(from, to string) error {
	if err := out.held(); err != nil {
		return err
	}
	return out.fs.Rename(from, to)
}

// retire removes a name below the output. A missing name is not an error.
func (out *renaming) retire(name string) error {
	if err := out.held(); err != nil {
		return err
	}
	return ignoreMissing(out.fs.Rename(storage.Join(out.Name, name), storage.Join(out.temp, retiredName)))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// begin makes the run's own folder.
func (out *renaming) begin() error {
	if out.temp != "" {
		return nil
	}
	if out.single {
		out.temp = SingleTemp(out.Name)
	} else {
		out.temp = storage.Join(out.Name, TempName, "run-"+Random())
	}
	if err := out.fs.MkdirAll(out.temp); err != nil {
		return fmt.Errorf("jobs: output %s: %w", out.Name, err)
	}
	return nil
}

// takeOver renames the folders of other runs.
func (out *renaming) takeOver() error {
	entries, err := out.fs.ReadDir(storage.Dir(out.temp))
	if err != nil {
		return err
	}
	for _, e := range entries {
		run, _, _ := strings.Cut(e.Name(), ".")
		if !runPattern.MatchString(e.Name()) || e.Name() == storage.Base(out.temp) {
			continue
		}
		if err := out.held(); err != nil {
			return err
		}
		from, to := storage.Join(storage.Dir(out.temp), e.Name()), storage.Join(storage.Dir(out.temp), run+"."+Random())
		if err := out.fs.Rename(from, to); err != nil {
			return err
		}
	}
	return nil
}

// folderOf returns the path of the folder of a run, which may have been taken over, or be
// gone.
func (out *renaming) folderOf(run string) (string, error) {
	temp := storage.Join(out.Name, TempName)
	entries, err := out.fs.ReadDir(temp)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if name, _, _ := strings.Cut(e.Name(), "."); name == run {
			return storage.Join(temp, e.Name()), nil
		}
	}
	return storage.Join(temp, run), nil
}
