package publish

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/hive"
	"avro2trevni/internal/storage"
)

// Names within an output folder. Readers of a folder skip what starts with an
// underscore or a dot.
const (
	SuccessName = "_SUCCESS"
	TempName    = "_temporary"
	JournalName = "journal"
	LockName    = ".avro2trevni.lock"
)

// While a job writes an output that is one file, such as NAME.trv, the same folder holds its
// lock, .NAME.trv.lock, and its own folder, .NAME.trv.<16 hex digits>.tmp.
const (
	lockSuffix = ".lock"
	tempSuffix = ".tmp"
)

var (
	partPattern = regexp.MustCompile(`^part-[0-9]{5,}(-[0-9]{1,16})?\.(trv|parquet)$`) // with an epoch, on object storage
	runPattern  = regexp.MustCompile(`^run-[0-9a-f]{16}(\.[0-9a-f]{16})?$`)            // the latter if it was taken over
	hexPattern  = regexp.MustCompile(`^[0-9a-f]{16}$`)
)

// PartName returns the name of output file i, from 0, of a format whose files end in ext.
func PartName(i int, ext string) string { return fmt.Sprintf("part-%05d%s", i, ext) }

// PartName returns the name of the job's file i, from 0. Numbers continue after the
// existing files. In an output of partitions, Place was called for the file before.
func (out *Output) PartName(i int) string {
	out.mu.Lock()
	defer out.mu.Unlock()
	if name, ok := out.places[i]; ok {
		return name
	}
	return out.numbered(out.first + i)
}

// numbered returns the name of a new file of a number. With an epoch it is one that no other
// run gives a file: see [staging].
func (out *Output) numbered(number int) string {
	if out.epoch == 0 {
		return PartName(number, out.ext)
	}
	return PartName(number, fmt.Sprintf("-%d%s", out.epoch, out.ext))
}

// checkNumber refuses a number of a part file with which names would no longer sort in the
// order of the rows.
func (out *Output) checkNumber(name string) error {
	if out.single || PartNumber(name) <= LastPart {
		return nil
	}
	return exit.Refused("%s: part files are numbered up to %d: a larger --file-size makes fewer, or begin another output", out.Name, LastPart)
}

// isPublished reports whether a name in an output folder is one that a job publishes.
func isPublished(name string) bool { return name == SuccessName || partPattern.MatchString(name) }

// Random returns 16 unpredictable hexadecimal digits.
func Random() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // which never fails
	return hex.EncodeToString(b[:])
}

// SingleTemp returns a new name for the temporary folder of an output that is one file. The
// folder is in the same folder as the output.
func SingleTemp(output string) string {
	return storage.Join(storage.Dir(output), HiddenName(output)+"."+Random()+tempSuffix)
}

// HiddenName returns the prefix of the temporary names of an output that is one file. The
// prefix of a long name is cut, because a name has at most 255 bytes, and ends with a
// digest of the name.
func HiddenName(output string) string {
	const most, kept = 255 - len(".") - len(".0123456789abcdef") - len(tempSuffix), 200
	base := storage.Base(output)
	if len(base) > most {
		base = fmt.Sprintf("%s-%016x", strings.ToValidUTF8(base[:kept], ""), xxhash.Sum64String(base))
	}
	return "." + base
}

// IsSingleTemp reports whether a name is one of [SingleTemp] for the output.
func IsSingleTemp(output, name string) bool {
	rest, ok := strings.CutPrefix(name, HiddenName(output)+".")
	if !ok {
		return false
	}
	digits, ok := strings.CutSuffix(rest, tempSuffix)
	return ok && hexPattern.MatchString(digits)
}

const LastPart = 99_999 // with larger numbers, part files would not sort by name

// PartNumber returns the number of a part file.
func PartNumber(name string) int {
	digits, _, _ := strings.Cut(strings.TrimPrefix(path.Base(name), "part-"), ".")
	digits, _, _ = strings.Cut(digits, "-")
	n, _ := strconv.Atoi(digits) // partPattern matched, so it is a number
	return n
}

// IsPublishedName reports whether a name below an output folder is one that a job publishes.
func IsPublishedName(name string) bool {
	dir, base, found := strings.Cut(name, "/")
	if !found {
		return isPublished(name) || IsSummary(name)
	}
	return hive.IsPartition(dir) && partPattern.MatchString(base)
}

// Entry is a file, or folder of a file's name, in an output.
type Entry struct {
	Name string // below the output
	Info fs.FileInfo
}

// List returns the existing entries whose names are those that jobs publish, also in
// folders of partitions. With a prefix of this job's partition folders, it refuses a link
// with the name of a partition, and a file with the name of such a folder.
func List(f storage.FS, dir, prefix string) (all []Entry, err error) {
	entries, err := f.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("jobs: output %s: %w", dir, err)
	}
	if all, done, err := listFlat(f, dir, entries); done || err != nil {
		return all, err
	}
	for _, e := range entries {
		switch {
		case isPublished(e.Name()):
			all = append(all, Entry{e.Name(), e})
		case !hive.IsPartition(e.Name()):
		case e.Mode()&fs.ModeSymlink != 0 && prefix != "":
			return nil, exit.Refused("%s: is a link; the files of a partition must stay in the output's folder", storage.Join(dir, e.Name()))
		case !e.IsDir() && prefix != "" && strings.HasPrefix(e.Name(), prefix):
			return nil, exit.Refused("%s: is a file where the folder of a partition would go", storage.Join(dir, e.Name()))
		case e.IsDir():
			files, err := f.ReadDir(storage.Join(dir, e.Name()))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("jobs: output %s: %w", dir, err)
			}
			for _, file := range files {
				if partPattern.MatchString(file.Name()) {
					all = append(all, Entry{path.Join(e.Name(), file.Name()), file})
				}
			}
		}
	}
	return all, nil
}

// listFlat is List of object storage that has folders of partitions: one listing of all, not
// one for each. It reports whether it has done it.
func listFlat(f storage.FS, dir string, entries []fs.FileInfo) (all []Entry, done bool, err error) {
	o, err := storage.AsObjects(f, dir)
	if o == nil || err != nil || !slices.ContainsFunc(entries, func(e fs.FileInfo) bool { return e.IsDir() && hive.IsPartition(e.Name()) }) {
		return nil, false, err
	}
	err = o.List(dir, func(below string, info fs.FileInfo) error {
		if IsPublishedName(below) {
			all = append(all, Entry{below, info})
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("jobs: output %s: %w", dir, err)
	}
	return all, true, err
}

// Folders returns the partition folders of the names, each once.
func Folders(names []string) (dirs []string) {
	for _, name := range names {
		if dir := path.Dir(name); dir != "." && !slices.Contains(dirs[max(0, len(dirs)-1):], dir) {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// Place assigns group n to a partition's folder, after the folder's existing files.
func (out *Output) Place(n int, folder string) {
	out.mu.Lock()
	defer out.mu.Unlock()
	if folder == "" {
		return
	}
	if out.places == nil {
		out.places, out.counts = map[int]string{}, map[string]int{}
	}
	number := out.counts[folder]
	out.counts[folder]++
	if out.there.Next != nil {
		number += out.there.Next(folder)
	}
	out.places[n] = path.Join(folder, out.numbered(number))
}
