package listing

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"syscall"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/jobs/publish"
	"avro2trevni/jobs/report"
)

// File is an input file that the listing found.
type File struct {
	Path    string // as given, or below what was given
	Real    string // from storage.FS.Resolve: it identifies the file
	Size    int64
	ModTime time.Time
	Version storage.Version // None if the storage has none
	Done    bool            // a folder from the input down to the file has a _SUCCESS
}

// lister collects the files of the inputs, each once.
type lister struct {
	ctx        context.Context
	o          *Selection
	fs         storage.FS
	output     string // resolved name of the output, as far as it exists
	files      []File
	seen       map[string]bool // real names of files taken
	dirs       map[string]bool // real names of folders walked: a link may lead back up
	duplicates int             // files that were found again

	only Filter // of files in folders and globs
	root string // the folder being walked, as given
	done bool   // it, or a folder between it and the current folder, has a _SUCCESS
	ask  bool   // whether to look for that next to files given by name

	others int    // files of a folder whose names are not those of inputs
	other  string // the first of them
}

// Selection describes the input files of a job.
type Selection struct {
	FS       storage.FS
	Names    []string // of files and folders, never globs; they come first
	List     string   // a file of more of them, one a line
	Inputs   []string // and of globs too; they come last
	Filter   Filter
	Complete bool   // whether to look for a _SUCCESS in the folders
	Outside  string // a folder that no input may be in: the output

	// Refuse returns an error for a file that must not be an input; nil refuses none.
	Refuse func(name string, info fs.FileInfo) error
	Log    *slog.Logger
}

// Files returns the input files: those of a list first, then the inputs in the order given,
// and the files of a folder or a glob in name order. It follows links, and returns a file
// at its first occurrence, whatever names lead to it. It leaves out names that readers
// skip, see [hidden], unless a file is given by its own name. It refuses names that do not
// exist, files within the output, and anything that is neither a file nor a folder.
func Files(ctx context.Context, o *Selection) (files []File, duplicates int, err error) {
	l := &lister{
		ctx: ctx, o: o, fs: o.FS, output: Resolve(o.FS, o.Outside),
		seen: map[string]bool{}, dirs: map[string]bool{},
		only: o.Filter, ask: o.Complete,
	}
	names := o.Names
	if o.List != "" {
		more, err := ReadList(o.FS, o.List)
		if err != nil {
			return nil, 0, err
		}
		names = slices.Concat(names, more)
	}
	for _, name := range names {
		if err := ValidName(name); err != nil {
			return nil, 0, err
		}
		info, err := l.fs.Stat(name)
		if err != nil {
			return nil, 0, missing(name, err)
		}
		if err := l.top(name, info); err != nil {
			return nil, 0, err
		}
	}
	for _, in := range o.Inputs {
		if err := l.input(in); err != nil {
			return nil, 0, err
		}
	}
	return l.files, l.duplicates, nil
}

// Resolve resolves the output, or, if it does not exist, the nearest existing folder above
// it.
func Resolve(f storage.FS, name string) string {
	abs, err := storage.Abs(name)
	if err != nil {
		return storage.Clean(name)
	}
	rest := ""
	for dir := abs; ; {
		if real, err := f.Resolve(dir); err == nil {
			return storage.Join(real, rest)
		}
		up := storage.Dir(dir)
		if up == dir {
			return abs
		}
		dir, rest = up, storage.Join(storage.Base(dir), rest)
	}
}

// hidden reports whether a name is one that readers of a folder leave out: hidden,
// or of a file that is still being written.
func hidden(name string) bool {
	return strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") ||
		strings.HasSuffix(name, ".tmp") || strings.HasSuffix(name, "._COPYING_")
}

// input lists one input: the name itself if it exists, else as a glob.
func (l *lister) input(name string) error {
	info, err := l.fs.Stat(name)
	if err == nil {
		return l.top(name, info)
	}
	if !errors.Is(err, fs.ErrNotExist) || !hasMeta(name) {
		return missing(name, err)
	}
	return l.glob(name)
}

func (l *lister) glob(pattern string) error {
	names, err := expand(l.fs, pattern)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return exit.Refused("%s: %w: nothing matches the pattern", pattern, exit.ErrNoInput)
	}
	for _, name := range names {
		info, err := l.fs.Stat(name)
		if err != nil {
			return missing(name, err)
		}
		if base := storage.Base(name); info.IsDir() && l.only.excludes(base) || !info.IsDir() && !l.only.takesGlobbed(base) {
			continue
		}
		if err := l.top(name, info); err != nil {
			return err
		}
	}
	return nil
}

// top lists a name that is an input, or that a glob matches.
func (l *lister) top(name string, info fs.FileInfo) error {
	l.root, l.done, l.others, l.other = storage.Clean(name), false, 0, ""
	if l.ask && !info.IsDir() {
		_, err := l.fs.Stat(storage.Join(storage.Dir(name), publish.SuccessName))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		l.done = err == nil
	}
	before := len(l.files) + l.duplicates
	err := l.resolved(name, info)
	if err == nil && l.others > 0 && len(l.files)+l.duplicates == before {
		l.o.Log.Warn("no file of this folder is an input: those are *.avro, or what --include-files says",
			"folder", name, "files", l.others, "first", l.other)
	}
	return err
}

// resolved lists an existing name that may be a link, or lead through one.
func (l *lister) resolved(name string, info fs.FileInfo) error {
	if !info.IsDir() && !info.Mode().IsRegular() { // a pipe may have no other name
		return exit.Refused("%s: is neither a file nor a folder: pipes and devices cannot be read", report.Printable(name))
	}
	real, err := l.fs.Resolve(name)
	if err != nil {
		return missing(name, err)
	}
	return l.add(name, real, info)
}

// missing returns a refusal for a name that vanished, or a broken link.
func missing(name string, err error) error {
	if errors.Is(err, syscall.ELOOP) {
		return exit.Refused("%s: is a link that leads to itself", report.Printable(name))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return exit.Refused("%s: %w", report.Printable(name), exit.ErrNoInput)
	}
	return err
}

func (l *lister) add(name, real string, info fs.FileInfo) error {
	if info.IsDir() {
		return l.folder(name, real)
	}
	if !info.Mode().IsRegular() {
		return exit.Refused("%s: is neither a file nor a folder: pipes and devices cannot be read", report.Printable(name))
	}
	if storage.Within(real, l.output) {
		return exit.Refused("%s: an input must not be within the output %s", name, l.output)
	}
	if l.o.Refuse != nil {
		if err := l.o.Refuse(name, info); err != nil {
			return err
		}
	}
	if l.seen[real] {
		l.duplicates++
		return nil
	}
	l.seen[real] = true
	l.files = append(l.files, File{Path: name, Real: real, Size: info.Size(), ModTime: info.ModTime(), Version: storage.VersionOf(info), Done: l.done})
	return nil
}

// folder walks a folder, unless it has been walked.
func (l *lister) folder(name, real string) error {
	if l.dirs[real] {
		return nil
	}
	l.dirs[real] = true
	if err := l.ctx.Err(); err != nil {
		return exit.Cause(l.ctx, err)
	}
	objects, err := storage.AsObjects(l.fs, name)
	if err != nil {
		return err
	}
	if objects != nil {
		return l.flat(objects, name, real)
	}
	entries, err := l.fs.ReadDir(name)
	if err != nil {
		return err
	}
	was := l.done
	defer func() { l.done = was }()
	l.done = was || slices.ContainsFunc(entries, func(e fs.FileInfo) bool { return e.Name() == publish.SuccessName && !e.IsDir() })
	for _, e := range entries {
		if err := l.entry(storage.Join(name, e.Name()), storage.Join(real, e.Name()), e); err != nil {
			return err
		}
	}
	return nil
}

// entry handles one entry of a folder.
func (l *lister) entry(name, real string, info fs.FileInfo) error {
	below := strings.TrimPrefix(strings.TrimPrefix(name, l.root), "/")
	if hidden(info.Name()) || l.only.excludes(below) {
		return nil
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		if !info.IsDir() && !l.only.takes(below) {
			l.other = cmp.Or(l.other, below)
			l.others++
			return nil
		}
		return l.add(name, real, info)
	}
	target, err := l.fs.Stat(name)
	if !l.only.takes(below) && (err != nil || !target.IsDir()) {
		return nil // it isn't an input, whatever its target
	}
	if err != nil {
		return missing(name, err)
	}
	return l.resolved(name, target)
}
