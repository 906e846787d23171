package listing

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
)

// hasMeta reports whether a name is a pattern.
func hasMeta(name string) bool { return strings.ContainsAny(name, `*?[\`) }

// expand returns the names that a pattern matches, in name order at each level. The syntax
// is that of filepath.Match: a star matches within a name. Names that [hidden] leaves out
// match only if the pattern's part has no star or bracket. A pattern that ends in a slash
// matches only folders.
func expand(f storage.FS, pattern string) ([]string, error) {
	if _, err := filepath.Match(pattern, ""); err != nil {
		return nil, exit.Usage("%s: malformed pattern: %w", pattern, err)
	}
	const sep = "/"
	root, parts := storage.Split(pattern)
	names := []string{""}
	if strings.HasPrefix(parts, sep) {
		names[0] = root + sep
	}
	for part := range strings.SplitSeq(parts, sep) {
		if part == "" {
			continue
		}
		next, err := expandPart(f, names, part)
		if err != nil {
			return nil, err
		}
		names = next
	}
	if strings.HasSuffix(pattern, sep) {
		names = slices.DeleteFunc(names, func(name string) bool { return notFolder(f, name) })
	}
	return names, nil
}

// expandPart goes down one level: from folders to the entries in them that match the part.
func expandPart(f storage.FS, dirs []string, part string) ([]string, error) {
	var next []string
	for _, dir := range dirs {
		var got []string
		var err error
		if hasMeta(part) {
			got, err = matches(f, dir, part)
		} else {
			got, err = present(f, storage.Join(dir, part))
		}
		if err != nil {
			return nil, err
		}
		next = append(next, got...)
	}
	return next, nil
}

// present returns the name if it exists.
func present(f storage.FS, name string) ([]string, error) {
	_, err := f.Stat(name)
	switch {
	case err == nil:
		return []string{name}, nil
	case errors.Is(err, fs.ErrNotExist) || notFolder(f, storage.Dir(name)):
		return nil, nil
	}
	return nil, err
}

// matches returns the names in a folder that match.
func matches(f storage.FS, dir, part string) ([]string, error) {
	entries, err := f.ReadDir(cmp.Or(dir, "."))
	if errors.Is(err, fs.ErrNotExist) || err != nil && notFolder(f, dir) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if hidden(e.Name()) {
			continue
		}
		ok, err := filepath.Match(part, e.Name())
		if err != nil {
			return nil, exit.Usage("%s: malformed pattern: %w", part, err)
		}
		if ok {
			names = append(names, storage.Join(dir, e.Name()))
		}
	}
	return names, nil
}

// notFolder reports whether the name exists and is not a folder: a pattern that continues
// below it matches nothing.
func notFolder(f storage.FS, name string) bool {
	info, err := f.Stat(cmp.Or(name, "."))
	return err == nil && !info.IsDir()
}
