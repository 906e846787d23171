// Package storagetest holds file systems for tests: one in memory that can crash,
// and one that fails, or dies, at its k-th call.
//
//	job under test --> Fault (counts calls; fails or dies at the k-th) --> Mem
//	                                                   Mem.Crash: what a disk would still hold
package storagetest

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"avro2trevni/internal/storage"
)

// Mem is a file system in memory that remembers, beside what it shows, what a
// crash of the machine would leave: bytes that were synced under names whose
// folder was. Names are absolute paths; "/" exists. It is safe for several
// goroutines.
type Mem struct {
	mu    sync.Mutex
	root  *node
	locks map[string]*node // the lock files of those that are held
	clock time.Time
}

// node is a file or, if entries is not nil, a folder.
type node struct {
	entries, durable map[string]*node
	data, synced     []byte
	mod              time.Time
}

func newDir() *node { return &node{entries: map[string]*node{}, durable: map[string]*node{}} }

// NewMem returns an empty file system.
func NewMem() *Mem {
	return &Mem{root: newDir(), locks: map[string]*node{}, clock: time.Unix(1_700_000_000, 0)}
}

var (
	errIsDir    = errors.New("is a folder")
	errNotDir   = errors.New("not a folder")
	errNotEmpty = errors.New("folder not empty")
)

func pathError(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// find returns the node of a name, or nil.
func (m *Mem) find(name string) *node {
	n := m.root
	for part := range strings.SplitSeq(filepath.Clean(name), "/") {
		if part == "" {
			continue
		}
		if n == nil || n.entries == nil {
			return nil
		}
		n = n.entries[part]
	}
	return n
}

// folder returns the folder that a name is in.
func (m *Mem) folder(op, name string) (*node, string, error) {
	dir := m.find(filepath.Dir(name))
	if dir == nil {
		return nil, "", pathError(op, name, fs.ErrNotExist)
	}
	if dir.entries == nil {
		return nil, "", pathError(op, name, errNotDir)
	}
	return dir, filepath.Base(name), nil
}

// Open implements [storage.FS].
func (m *Mem) Open(name string) (storage.File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.find(name)
	if n == nil {
		return nil, pathError("open", name, fs.ErrNotExist)
	}
	return &memFile{m: m, n: n, name: name}, nil
}

// Create implements [storage.FS].
func (m *Mem) Create(name string, _ int64) (storage.Writer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, err := m.folder("create", name)
	if err != nil {
		return nil, err
	}
	if dir.entries[base] != nil {
		return nil, pathError("create", name, fs.ErrExist)
	}
	n := &node{mod: m.clock}
	dir.entries[base] = n
	return &memFile{m: m, n: n, name: name}, nil
}

// Rename implements [storage.FS].
func (m *Mem) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	src, srcBase, err := m.folder("rename", from)
	if err != nil {
		return err
	}
	dst, dstBase, err := m.folder("rename", to)
	if err != nil {
		return err
	}
	n := src.entries[srcBase]
	if n == nil {
		return pathError("rename", from, fs.ErrNotExist)
	}
	if old := dst.entries[dstBase]; old != nil && old.entries != nil {
		return pathError("rename", to, errIsDir)
	}
	delete(src.entries, srcBase)
	dst.entries[dstBase] = n
	return nil
}

// Remove implements [storage.FS].
func (m *Mem) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, err := m.folder("remove", name)
	if err != nil {
		return err
	}
	switch n := dir.entries[base]; {
	case n == nil:
		return pathError("remove", name, fs.ErrNotExist)
	case len(n.entries) > 0:
		return pathError("remove", name, errNotEmpty)
	}
	delete(dir.entries, base)
	return nil
}

// MkdirAll implements [storage.FS].
func (m *Mem) MkdirAll(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.root
	for part := range strings.SplitSeq(filepath.Clean(name), "/") {
		if part == "" {
			continue
		}
		if n.entries == nil {
			return pathError("mkdir", name, errNotDir)
		}
		if n.entries[part] == nil {
			n.entries[part] = newDir()
		}
		n = n.entries[part]
	}
	if n.entries == nil {
		return pathError("mkdir", name, errNotDir)
	}
	return nil
}

// ReadDir implements [storage.FS].
func (m *Mem) ReadDir(name string) ([]fs.FileInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.find(name)
	if n == nil {
		return nil, pathError("readdir", name, fs.ErrNotExist)
	}
	if n.entries == nil {
		return nil, pathError("readdir", name, errNotDir)
	}
	infos := make([]fs.FileInfo, 0, len(n.entries))
	for base, e := range n.entries {
		infos = append(infos, e.info(base))
	}
	sort.Slice(infos, func(i, j int) bool { return infos[i].Name() < infos[j].Name() })
	return infos, nil
}

// Stat implements [storage.FS].
func (m *Mem) Stat(name string) (fs.FileInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.find(name)
	if n == nil {
		return nil, pathError("stat", name, fs.ErrNotExist)
	}
	return n.info(filepath.Base(name)), nil
}

// Resolve implements [storage.FS]: there are no links.
func (m *Mem) Resolve(name string) (string, error) {
	if _, err := m.Stat(name); err != nil {
		return "", err
	}
	return filepath.Clean(name), nil
}

// SyncDir implements [storage.FS].
func (m *Mem) SyncDir(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.find(name)
	if n == nil || n.entries == nil {
		return pathError("sync", name, fs.ErrNotExist)
	}
	n.durable = map[string]*node{}
	for base, e := range n.entries {
		n.durable[base] = e
	}
	return nil
}

// Lock implements [storage.FS].
func (m *Mem) Lock(name string) (storage.Lock, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, err := m.folder("lock", name)
	if err != nil {
		return nil, err
	}
	if m.locks[name] != nil {
		return nil, fmt.Errorf("%s: %w", name, storage.ErrLocked)
	}
	n := &node{mod: m.clock}
	m.locks[name], dir.entries[base] = n, n
	return memLock{m, name, n}, nil
}

// LoseLocks takes every lock away from its holder, as when leases run out. The lock files
// stay.
func (m *Mem) LoseLocks() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.locks)
}

type memLock struct {
	m    *Mem
	name string
	file *node
}

// Held implements [storage.Lock]: a lock is lost with its file, or to another.
func (l memLock) Held() error {
	l.m.mu.Lock()
	defer l.m.mu.Unlock()
	if l.m.locks[l.name] != l.file || l.m.find(l.name) != l.file {
		return fmt.Errorf("%s: %w", l.name, storage.ErrLockLost)
	}
	return nil
}

// Close removes the lock file and gives the lock up.
func (l memLock) Close() error {
	if err := l.Held(); err != nil {
		return err
	}
	err := l.m.Remove(l.name)
	l.m.mu.Lock()
	defer l.m.mu.Unlock()
	delete(l.m.locks, l.name)
	return err
}

// Write makes or replaces a file, durably: how a test sets the scene.
func (m *Mem) Write(name, data string) {
	if err := m.MkdirAll(filepath.Dir(name)); err != nil {
		panic(err)
	}
	m.mu.Lock()
	dir, base, _ := m.folder("write", name)
	m.clock = m.clock.Add(time.Second)
	dir.entries[base] = &node{data: []byte(data), synced: []byte(data), mod: m.clock}
	m.mu.Unlock()
	for d := filepath.Dir(name); ; d = filepath.Dir(d) {
		if err := m.SyncDir(d); err != nil {
			panic(err)
		}
		if d == "/" {
			return
		}
	}
}

// Files returns all files by name, with what they hold, and folders, by their name
// and a slash.
func (m *Mem) Files() map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := map[string]string{}
	m.root.collect("", all)
	return all
}

func (n *node) collect(name string, all map[string]string) {
	if n.entries == nil {
		all[name] = string(n.data)
		return
	}
	if name != "" {
		all[name+"/"] = ""
	}
	for base, e := range n.entries {
		e.collect(name+"/"+base, all)
	}
}

// PowerCut returns the file system as found after the machine stopped: without every byte
// and name that was not synced. Locks are gone.
func (m *Mem) PowerCut() *Mem {
	return m.copy(func(n *node, same func(*node) *node) *node {
		if n.entries == nil {
			return &node{data: n.synced, synced: n.synced, mod: n.mod}
		}
		to := newDir()
		for base, e := range n.durable {
			to.entries[base], to.durable[base] = same(e), same(e)
		}
		return to
	})
}

// Kill returns the file system as found after the process stopped: all that it did is
// there, and what it had not synced is still not synced. Locks are gone.
func (m *Mem) Kill() *Mem {
	return m.copy(func(n *node, same func(*node) *node) *node {
		if n.entries == nil {
			return &node{data: slices.Clip(n.data), synced: n.synced, mod: n.mod} // bytes are only ever appended: these may be shared
		}
		to := newDir()
		for base, e := range n.entries {
			to.entries[base] = same(e)
		}
		for base, e := range n.durable {
			to.durable[base] = same(e)
		}
		return to
	})
}

// Crash is [Mem.PowerCut], or else [Mem.Kill].
func (m *Mem) Crash(powerCut bool) *Mem {
	if powerCut {
		return m.PowerCut()
	}
	return m.Kill()
}

// copy returns another file system of nodes that are made of those of m, each once.
func (m *Mem) copy(of func(n *node, same func(*node) *node) *node) *Mem {
	m.mu.Lock()
	defer m.mu.Unlock()
	copies := map[*node]*node{}
	var same func(n *node) *node
	same = func(n *node) *node {
		if copies[n] == nil {
			copies[n] = of(n, same)
		}
		return copies[n]
	}
	c := NewMem()
	c.clock, c.root = m.clock, same(m.root)
	return c
}
