// Package inputs finds the files of the verbs' arguments, and what a job says of them.
//
//	file.trv, file.parquet       itself
//	folder                       its files, and those of its partitions FIELD=VALUE
//	folder with part-00000.trv   of a job: its _SUCCESS lists the files
package inputs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/hive"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/s3"
)

// SuccessName is the file that a job writes into a folder when all is done.
const SuccessName = "_SUCCESS"

// Input is the files of one argument.
type Input struct {
	Name  string
	Files []string // in the order of their rows
	// Job tells that it is a folder with files as a job names them, or a partition's of
	// such a folder.
	Job      bool
	Finished bool   // the job's folder has a _SUCCESS
	root     string // where that is
}

// List returns the inputs of the arguments. Of a folder they are the files whose names end in
// one of exts.
func List(f storage.FS, names, exts []string) ([]Input, error) {
	var inputs []Input
	for _, name := range names {
		in, err := ListOne(f, name, exts)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, in)
	}
	return inputs, nil
}

// ListOne returns the input of an argument.
func ListOne(f storage.FS, name string, exts []string) (Input, error) {
	info, err := f.Stat(name)
	if scheme, _, ok := strings.Cut(name, "://"); ok && err != nil && !s3.Serves(name) {
		return Input{}, exit.Usage("%s: %s:// is not read here: copy the file to this machine first", name, scheme)
	}
	if err != nil {
		return Input{}, err
	}
	if info.IsDir() {
		return listFolder(f, name, exts)
	}
	return Input{Name: name, Files: []string{name}}, nil
}

func listFolder(f storage.FS, name string, exts []string) (Input, error) {
	in := Input{Name: name}
	if err := in.add(f, name, exts); err != nil {
		return in, err
	}
	if len(in.Files) == 0 {
		return in, fmt.Errorf("%s: no %s files in this folder", name, strings.Join(exts, " or "))
	}
	slices.SortStableFunc(in.Files, func(a, b string) int {
		return cmp.Or(strings.Compare(storage.Dir(a), storage.Dir(b)), strings.Compare(order(a), order(b)))
	})
	root, err := jobFolder(f, name)
	if err != nil {
		return in, err
	}
	if root != "" {
		in.Job, in.Finished, in.root = true, true, root
	}
	return in, nil
}

// add adds the files of a folder and of the partitions in it.
func (in *Input) add(f storage.FS, dir string, exts []string) error {
	entries, err := f.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		base := e.Name()
		path := storage.Join(dir, base)
		switch {
		case e.IsDir() && isPartition(base):
			if err := in.add(f, path, exts); err != nil {
				return err
			}
		case linksToFolder(f, path, e) && isPartition(base):
			return fmt.Errorf("%s: is a link; the files of a partition must stay in the folder", path)
		case !Hidden(base) && !e.IsDir() && slices.Contains(exts, filepath.Ext(base)):
			in.Job = in.Job || isPart(base)
			in.Files = append(in.Files, path)
		}
	}
	return nil
}

// isPartition reports whether a folder's name is that of a partition. Convert writes names
// in UTF-8; others' are read all the same.
func isPartition(base string) bool { return hive.IsPartition(strings.ToValidUTF8(base, "?")) }

// linksToFolder reports whether an entry of a folder is a link to a folder.
func linksToFolder(f storage.FS, path string, e fs.FileInfo) bool {
	if e.Mode()&fs.ModeSymlink == 0 {
		return false
	}
	info, err := f.Stat(path)
	return err == nil && info.IsDir()
}

// jobFolder returns the folder whose _SUCCESS describes a folder: the folder itself, or, if
// it is a partition's, the output's folder above it. It returns "" if there is none.
func jobFolder(f storage.FS, name string) (string, error) {
	for dir := name; ; dir = storage.Join(dir, "..") {
		switch _, err := f.Stat(storage.Join(dir, SuccessName)); {
		case err == nil:
			return dir, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
		full, err := storage.Abs(dir)
		if err != nil || !isPartition(storage.Base(full)) {
			return "", err
		}
	}
}

// Hidden reports whether readers of a folder leave a name out.
func Hidden(base string) bool {
	return strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".")
}

// partNumber returns the digits of part-00017.trv, or of another extension.
func partNumber(base string) (digits string, ok bool) {
	digits, ok = strings.CutPrefix(base, "part-")
	digits, ext, _ := strings.Cut(digits, ".")
	return digits, ok && ext != "" && digits != "" && strings.Trim(digits, "0123456789") == ""
}

func isPart(base string) bool {
	_, ok := partNumber(base)
	return ok
}

// order returns a text that sorts as the files' rows do: part-99999.trv comes before
// part-100000.trv.
func order(name string) string {
	base := storage.Base(name)
	if digits, ok := partNumber(base); ok {
		return fmt.Sprintf("part-%20s", strings.TrimLeft(digits, "0"))
	}
	return base
}

// ErrUnfinished is the error of a folder in which a job has not finished, or not begun to.
var ErrUnfinished = errors.New("no " + SuccessName + ": the job that writes it has not finished")
