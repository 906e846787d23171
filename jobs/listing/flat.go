package listing

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/jobs/publish"
	"avro2trevni/jobs/report"
)

// flat walks a folder of object storage in one listing of all that is below it, and takes
// what a walk from folder to folder would take, in the same order.
type flat struct {
	l     *lister
	name  string // of the folder, as given
	real  string
	walk  map[string]bool // whether a folder below is walked: not hidden, not left out, not walked before
	done  map[string]bool // folders with a _SUCCESS
	found []object
}

// object is a file that is taken.
type object struct {
	below string
	info  fs.FileInfo
}

// flat lists a folder whose storage lists everything below it at once.
func (l *lister) flat(objects storage.Lister, name, real string) error {
	w := &flat{l: l, name: name, real: real, walk: map[string]bool{".": true}, done: map[string]bool{}}
	err := objects.List(name, func(below string, info fs.FileInfo) error {
		if err := l.ctx.Err(); err != nil {
			return exit.Cause(l.ctx, err)
		}
		return w.see(below, info)
	})
	if err != nil {
		return err
	}
	for dir := range w.walk {
		l.dirs[storage.Join(real, dir)] = true
	}
	slices.SortFunc(w.found, func(a, b object) int { return byFolders(a.below, b.below) })
	for _, o := range w.found {
		was := l.done
		l.done = was || w.complete(path.Dir(o.below))
		err := l.add(storage.Join(name, o.below), storage.Join(real, o.below), o.info)
		l.done = was
		if err != nil {
			return err
		}
	}
	return nil
}

// see takes an object, or leaves it.
func (w *flat) see(below string, info fs.FileInfo) error {
	dir, base := path.Split(below)
	if dir = strings.TrimSuffix(dir, "/"); dir == "" {
		dir = "."
	}
	if !w.walked(dir) {
		return nil
	}
	if base == publish.SuccessName {
		w.done[dir] = true
	}
	only := w.l.only
	switch root := w.root(below); {
	case hidden(base) || only.excludes(root):
	case !only.takes(root):
		w.l.other = cmp.Or(w.l.other, root)
		w.l.others++
	case path.Clean("/"+below) != "/"+below:
		return exit.Refused("%s/%s: an object whose key has an empty part, . or .. cannot be named: rename it, or leave it out with --exclude-files",
			report.Printable(w.name), report.Printable(below))
	default:
		w.found = append(w.found, object{below, info})
	}
	return nil
}

// root returns the name below the folder that was given.
func (w *flat) root(below string) string {
	return strings.TrimPrefix(strings.TrimPrefix(w.name+"/"+below, w.l.root), "/")
}

// walked reports whether the files of a folder are looked at.
func (w *flat) walked(dir string) bool {
	walk, known := w.walk[dir]
	if !known {
		walk = w.walked(path.Dir(dir)) && !hidden(path.Base(dir)) && !w.l.only.excludes(w.root(dir)) && !w.l.dirs[storage.Join(w.real, dir)]
		w.walk[dir] = walk
	}
	return walk
}

// complete reports whether a folder, or one above it, has a _SUCCESS.
func (w *flat) complete(dir string) bool {
	return w.done[dir] || dir != "." && w.complete(path.Dir(dir))
}

// byFolders compares names as a walk meets them: part by part.
func byFolders(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	at := func(s string) int {
		switch {
		case n == len(s):
			return -1
		case s[n] == '/':
			return 0
		}
		return 1 + int(s[n])
	}
	return cmp.Compare(at(a), at(b))
}
