package storage

import (
	"path"
	"path/filepath"
	"strings"
)

// The functions below are those of path/filepath for names of any storage: the part of a
// URI before the path, hdfs://host:port, stays unchanged.

// Remote reports whether a name is of another file system than this machine's.
func Remote(name string) bool {
	root, _ := Split(name)
	return root != ""
}

// Split cuts a name into its file system, such as hdfs://host:port, and the path
// within that, which begins with a slash. The file system of a local name is "".
func Split(name string) (root, rest string) {
	scheme, after, ok := strings.Cut(name, "://")
	if !ok || !validScheme(scheme) {
		return "", name
	}
	authority, _, _ := strings.Cut(after, "/")
	end := len(scheme) + len("://") + len(authority)
	if end == len(name) {
		return name, "/"
	}
	return name[:end], name[end:]
}

// validScheme reports whether a text is a URI's scheme (RFC 3986, section 3.1).
func validScheme(s string) bool {
	for i, c := range s {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", c)) {
			return false
		}
	}
	return s != ""
}

// Join puts a name together with those below it.
func Join(name string, below ...string) string {
	root, rest := Split(name)
	if root == "" {
		return filepath.Join(append([]string{name}, below...)...)
	}
	return root + path.Join(append([]string{rest}, below...)...)
}

// Clean returns the shortest name that says the same.
func Clean(name string) string {
	root, rest := Split(name)
	if root == "" {
		return filepath.Clean(name)
	}
	return root + path.Clean(rest)
}

// Dir returns the name of the folder that a name is in.
func Dir(name string) string {
	root, rest := Split(name)
	if root == "" {
		return filepath.Dir(name)
	}
	return root + path.Dir(rest)
}

// Base returns the last part of a name.
func Base(name string) string {
	root, rest := Split(name)
	if root == "" {
		return filepath.Base(name)
	}
	return path.Base(rest)
}

// Abs returns the name with the folder of the process before it, if it is a local
// one that needs it, cleaned.
func Abs(name string) (string, error) {
	if root, _ := Split(name); root == "" {
		return filepath.Abs(name)
	}
	return Clean(name), nil
}

// Within reports whether a name is another one or below it, both being clean.
func Within(name, above string) bool {
	return name == above || strings.HasPrefix(name, strings.TrimSuffix(above, "/")+"/")
}
