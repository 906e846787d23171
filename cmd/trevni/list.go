package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"avro2trevni/internal/hive"
)

// successName is the file that a job writes into a folder when all is done.
const successName = "_SUCCESS"

// input is what one argument stands for.
type input struct {
	name  string
	files []string // in the order of their rows
	// job tells that it is a folder with files as a job names them.
	job      bool
	finished bool // it has a _SUCCESS
}

// list returns what the arguments stand for.
func list(names []string) ([]input, error) {
	var inputs []input
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		in := input{name: name, files: []string{name}}
		if info.IsDir() {
			if in, err = listFolder(name); err != nil {
				return nil, err
			}
		}
		inputs = append(inputs, in)
	}
	return inputs, nil
}

func listFolder(name string) (input, error) {
	in := input{name: name}
	entries, err := os.ReadDir(name)
	if err != nil {
		return in, err
	}
	for _, e := range entries {
		base := e.Name()
		if e.IsDir() && hive.IsPartition(base) {
			if err := in.partition(base); err != nil {
				return in, err
			}
			continue
		}
		if hidden(base) || e.IsDir() || filepath.Ext(base) != ".trv" {
			continue
		}
		in.job = in.job || isPart(base)
		in.files = append(in.files, filepath.Join(name, base))
	}
	if len(in.files) == 0 {
		return in, fmt.Errorf("%s: no .trv files in this folder", name)
	}
	slices.SortStableFunc(in.files, func(a, b string) int {
		return cmp.Or(strings.Compare(filepath.Dir(a), filepath.Dir(b)), strings.Compare(order(a), order(b)))
	})
	switch _, err := os.Stat(filepath.Join(name, successName)); {
	case err == nil:
		in.job, in.finished = true, true
	case !errors.Is(err, fs.ErrNotExist):
		return in, err
	}
	return in, nil
}

// partition adds the files of a partition's folder.
func (in *input) partition(base string) error {
	dir := filepath.Join(in.name, base)
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if !e.IsDir() && isPart(e.Name()) {
			in.job = true
			in.files = append(in.files, filepath.Join(dir, e.Name()))
		}
	}
	return err
}

// hidden reports whether readers of a folder leave a name out.
func hidden(base string) bool {
	return strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".")
}

// partNumber returns the digits of part-00017.trv.
func partNumber(base string) (digits string, ok bool) {
	digits, ok = strings.CutPrefix(base, "part-")
	digits, trv := strings.CutSuffix(digits, ".trv")
	return digits, ok && trv && digits != "" && strings.Trim(digits, "0123456789") == ""
}

func isPart(base string) bool {
	_, ok := partNumber(base)
	return ok
}

// order returns a text that sorts as the files' rows do: part-99999.trv comes before
// part-100000.trv.
func order(name string) string {
	base := filepath.Base(name)
	if digits, ok := partNumber(base); ok {
		return fmt.Sprintf("part-%20s", strings.TrimLeft(digits, "0"))
	}
	return base
}

// files returns the files of all inputs, and says on standard error which inputs are
// of a job that is not finished.
func (c *command) files(names []string) ([]string, error) {
	inputs, err := list(names)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, in := range inputs {
		if in.job && !in.finished {
			fmt.Fprintf(c.stderr, "trevni: warning: %s: %v\n", in.name, errUnfinished)
		}
		files = append(files, in.files...)
	}
	return files, nil
}

var errUnfinished = errors.New("no " + successName + ": the job that writes it has not finished")
