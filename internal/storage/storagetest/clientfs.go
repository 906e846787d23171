package storagetest

import (
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"avro2trevni/internal/storage"
)

// objectInfo describes an object, or a folder of some.
type objectInfo struct {
	name string
	o    *object // nil of a folder
}

func (o *object) info(name string) fs.FileInfo { return objectInfo{name, o} }

func (i objectInfo) Name() string { return i.name }
func (i objectInfo) IsDir() bool  { return i.o == nil }
func (i objectInfo) Size() int64 {
	if i.o == nil {
		return 0
	}
	return int64(len(i.o.data))
}
func (i objectInfo) ModTime() (t time.Time) {
	if i.o != nil {
		t = i.o.mod
	}
	return t
}
func (i objectInfo) Sys() any {
	if i.o == nil {
		return nil
	}
	return i.o.version
}
func (i objectInfo) Mode() fs.FileMode {
	if i.o == nil {
		return fs.ModeDir | 0o777
	}
	return 0o666
}

// Open implements [storage.FS].
func (c *Client) Open(name string) (f storage.File, err error) {
	err = c.request("open", name, func(b *Bucket) error {
		o := b.objects[name]
		if o == nil {
			return fs.ErrNotExist
		}
		f = &objectFile{c, name, o}
		return nil
	})
	return f, err
}

// objectFile is an open object.
type objectFile struct {
	c    *Client
	name string
	o    *object
}

func (f *objectFile) Stat() (fs.FileInfo, error) { return f.o.info(path.Base(f.name)), nil }
func (f *objectFile) Close() error               { return nil }

// ReadAt implements io.ReaderAt. What was written over since it was opened is an error.
func (f *objectFile) ReadAt(p []byte, off int64) (n int, err error) {
	end := false
	err = f.c.request("read", f.name, func(b *Bucket) error {
		if !b.has(f.name, f.o.version) {
			return storage.ErrChanged
		}
		if off < int64(len(f.o.data)) {
			n = copy(p, f.o.data[off:])
		}
		end = n < len(p)
		return nil
	})
	if err == nil && end {
		err = io.EOF
	}
	return n, err
}

// Stat implements [storage.FS].
func (c *Client) Stat(name string) (info fs.FileInfo, err error) {
	err = c.request("stat", name, func(b *Bucket) error {
		switch o := b.objects[name]; {
		case o != nil:
			info = o.info(path.Base(name))
		case len(b.names(name)) > 0:
			info = objectInfo{name: path.Base(name)}
		default:
			return fs.ErrNotExist
		}
		return nil
	})
	return info, err
}

// ReadDir implements [storage.FS].
func (c *Client) ReadDir(name string) (infos []fs.FileInfo, err error) {
	err = c.request("readdir", name, func(b *Bucket) error {
		names := b.names(name)
		if len(names) == 0 {
			return fs.ErrNotExist
		}
		last := ""
		for _, n := range names {
			base, rest, deep := strings.Cut(strings.TrimPrefix(n, strings.TrimSuffix(name, "/")+"/"), "/")
			switch {
			case deep && rest != "" && base != last:
				infos = append(infos, objectInfo{name: base})
			case !deep:
				infos = append(infos, b.objects[n].info(base))
			}
			last = base
		}
		return nil
	})
	return infos, err
}

// Remove implements [storage.FS].
func (c *Client) Remove(name string) error {
	return c.request("delete", name, func(b *Bucket) error {
		if b.objects[name] == nil {
			return fs.ErrNotExist
		}
		delete(b.objects, name)
		return nil
	})
}

// Create implements [storage.FS]: it is not offered, because what publishes stages.
func (c *Client) Create(name string, _ int64) (storage.Writer, error) {
	return nil, pathError("create", name, storage.ErrUnsupported)
}

// Rename implements [storage.FS]: there is none.
func (c *Client) Rename(from, _ string) error {
	return pathError("rename", from, storage.ErrUnsupported)
}

// Lock implements [storage.FS]: it is not offered, because what publishes swaps.
func (c *Client) Lock(name string) (storage.Lock, error) {
	return nil, pathError("lock", name, storage.ErrUnsupported)
}

// Resolve implements [storage.FS].
func (c *Client) Resolve(name string) (string, error) {
	_, err := c.Stat(name)
	return storage.Clean(name), err
}

// MkdirAll implements [storage.FS]: there are no folders.
func (c *Client) MkdirAll(string) error { return nil }

// SyncDir implements [storage.FS]: what is there survives.
func (c *Client) SyncDir(string) error { return nil }
