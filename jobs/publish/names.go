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

// Beside an output that is one file, NAME.trv, stand while a job runs its lock,
// .NAME.trv.lock, and its folder, .NAME.trv.<16 hex digits>.tmp.
const (
	lockSuffix = ".lock"
	tempSuffix = ".tmp"
)

var (
	partPattern = regexp.MustCompile(`^part-[0-9]{5,}\.trv$`)
	runPattern  = regexp.MustCompile(`^run-[0-9a-f]{16}(\.[0-9a-f]{16})?$`) // the latter if it was taken over
	hexPattern  = regexp.MustCompile(`^[0-9a-f]{16}$`)
)

// PartName returns the name of output file i, from 0.
func PartName(i int) string { return fmt.Sprintf("part-%05d.trv", i) }

// PartName returns the name of the job's file i, from 0: behind those that are there.
// Where there are partitions, it has been placed.
func (out *Output) PartName(i int) string {
	out.mu.Lock()
	defer out.mu.Unlock()
	if name, ok := out.places[i]; ok {
		return name
	}
	return PartName(out.first + i)
}

// checkNumber refuses a part file by whose number names would no longer sort as rows do.
func (out *Output) checkNumber(name string) error {
	if out.single || PartNumber(name) <= LastPart {
		return nil
	}
	return exit.Refused("%s: part files are numbered up to %d: a larger --file-size makes fewer, or begin another output", out.Name, LastPart)
}

// Staged returns where a file is, that will have a name in the output, or be it, until it
// is published.
func (out *Output) Staged(name string) string {
	if out.single {
		name = storage.Base(name)
	}
	return storage.Join(out.temp, name)
}

// ours reports whether a name in an output folder is one that a job publishes.
func ours(name string) bool { return name == SuccessName || partPattern.MatchString(name) }

// Random returns 16 hexadecimal digits that nobody can foresee.
func Random() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // which never fails
	return hex.EncodeToString(b[:])
}

// SingleTemp returns the name of a folder beside an output that is one file.
func SingleTemp(output string) string {
	return storage.Join(storage.Dir(output), HiddenName(output)+"."+Random()+tempSuffix)
}

// HiddenName returns what the names begin with that stand beside an output that is one file.
// A long one is cut, for a name has 255 bytes at the most, and told by its digest.
func HiddenName(output string) string {
	const most, kept = 255 - len(".") - len(".0123456789abcdef") - len(tempSuffix), 200
	base := storage.Base(output)
	if len(base) > most {
		base = fmt.Sprintf("%s-%016x", strings.ToValidUTF8(base[:kept], ""), xxhash.Sum64String(base))
	}
	return "." + base
}

// IsSingleTemp reports whether a name is one of [singleTemp] for the output.
func IsSingleTemp(output, name string) bool {
	rest, ok := strings.CutPrefix(name, HiddenName(output)+".")
	if !ok {
		return false
	}
	digits, ok := strings.CutSuffix(rest, tempSuffix)
	return ok && hexPattern.MatchString(digits)
}

const LastPart = 99_999 // past it, part files no longer sort by name

// PartNumber returns the number of a part file.
func PartNumber(name string) int {
	n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(path.Base(name), "part-"), ".trv")) // by partPattern it is one
	return n
}

// IsPublishedName reports whether a name below an output folder is one that a job publishes.
func IsPublishedName(name string) bool {
	dir, base, found := strings.Cut(name, "/")
	if !found {
		return ours(name)
	}
	return hive.IsPartition(dir) && partPattern.MatchString(base)
}

// Entry is a file, or folder of a file's name, in an output.
type Entry struct {
	Name string // below the output
	Info fs.FileInfo
}

// List returns what there is of names that jobs publish, also in folders of
// partitions. If this job makes folders whose names begin with a prefix, a link that has the
// name of a partition is refused, and a file where one of its own may go.
func List(f storage.FS, dir, prefix string) (all []Entry, err error) {
	entries, err := f.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("jobs: output %s: %w", dir, err)
	}
	for _, e := range entries {
		switch {
		case ours(e.Name()):
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

// Folders returns the folders of partitions that names are in, each once.
func Folders(names []string) (dirs []string) {
	for _, name := range names {
		if dir := path.Dir(name); dir != "." && !slices.Contains(dirs[max(0, len(dirs)-1):], dir) {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// Place decides where group n goes: into a partition's folder, behind what is there.
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
	out.places[n] = path.Join(folder, PartName(number))
}
