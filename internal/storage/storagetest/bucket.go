package storagetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"

	"avro2trevni/internal/storage"
)

// Bucket is object storage in memory: objects, and pending uploads. Processes use it by a
// [Client] each. Names are those of [storage.FS], of any root. It is safe for several
// goroutines.
//
//	run A --> Client --.
//	                    >-- Bucket: objects, uploads     each request is one instant
//	run B --> Client --'
//
// The fields say what the storage is bad at, and must not change while it is used.
type Bucket struct {
	IgnoreSwap    bool // conditions of Swap are ignored
	IgnorePublish bool // conditions of Publish are ignored
	IgnoreDelete  bool // conditions of Delete and Retract are ignored
	RefuseSwap    bool // Swap to an object that has the right version is refused
	Unlisted      bool // Pending finds nothing
	PartSize      int  // bytes of a part; default 1 MiB

	mu      sync.Mutex
	objects map[string]*object
	uploads map[string]*upload
	begun   int // uploads, ever
	clock   time.Time
}

// object is what stands under a name. It does not change.
type object struct {
	data    []byte
	version storage.Version
	tag     string
	mod     time.Time
}

// upload is a pending upload.
type upload struct {
	name, tag string
	parts     [][]byte
}

// NewBucket returns an empty bucket.
func NewBucket() *Bucket {
	return &Bucket{objects: map[string]*object{}, uploads: map[string]*upload{}, clock: time.Unix(1_700_000_000, 0)}
}

// Copy returns another bucket that holds the same. The uploads have the same names.
func (b *Bucket) Copy() *Bucket {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := NewBucket()
	c.IgnoreSwap, c.IgnorePublish, c.IgnoreDelete, c.RefuseSwap = b.IgnoreSwap, b.IgnorePublish, b.IgnoreDelete, b.RefuseSwap
	c.Unlisted, c.PartSize, c.begun, c.clock = b.Unlisted, b.PartSize, b.begun, b.clock
	maps.Copy(c.objects, b.objects)
	for id, u := range b.uploads {
		c.uploads[id] = &upload{u.name, u.tag, slices.Clone(u.parts)}
	}
	return c
}

// Write makes or replaces an object: how a test sets the scene.
func (b *Bucket) Write(name, data string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.put(name, []byte(data), "", versionOf([]byte(data)))
}

// Files returns all objects by name.
func (b *Bucket) Files() map[string]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := map[string]string{}
	for name, o := range b.objects {
		all[name] = string(o.data)
	}
	return all
}

// Uploads returns the names of the pending uploads' files, in order.
func (b *Bucket) Uploads() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var names []string
	for _, u := range b.uploads {
		names = append(names, u.name)
	}
	slices.Sort(names)
	return names
}

// Expire withdraws all pending uploads, as the storage's rule for old ones does.
func (b *Bucket) Expire() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.uploads)
}

// versionOf returns the version of some content: that of equal content is equal.
func versionOf(data []byte) storage.Version {
	return storage.Version(fmt.Sprintf(`"%016x"`, xxhash.Sum64(data)))
}

// put makes an object. The caller holds mu.
func (b *Bucket) put(name string, data []byte, tag string, v storage.Version) {
	b.clock = b.clock.Add(time.Second)
	b.objects[name] = &object{data: data, version: v, tag: tag, mod: b.clock}
}

// has reports whether a name has a version, or may have any. The caller holds mu.
func (b *Bucket) has(name string, v storage.Version) bool {
	is := storage.None
	if o := b.objects[name]; o != nil {
		is = o.version
	}
	return v == storage.Any || v == is
}

// names returns the names of the objects below a folder, in order. The caller holds mu.
func (b *Bucket) names(dir string) []string {
	var names []string
	for name := range b.objects {
		if strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// complete publishes an upload whose parts, those of a ticket, were acknowledged.
func (b *Bucket) complete(t storage.Ticket, old storage.Version) error {
	u := b.uploads[t.Upload]
	if u == nil || u.name != t.Name {
		return storage.ErrGone
	}
	if !b.IgnorePublish && !b.has(t.Name, old) {
		return storage.ErrChanged
	}
	if len(t.Parts) != len(u.parts) {
		return fmt.Errorf("%s: %d parts of %d", t.Name, len(t.Parts), len(u.parts))
	}
	for i, p := range u.parts {
		if t.Parts[i].Version != versionOf(p) {
			return fmt.Errorf("%s: part %d is another", t.Name, i)
		}
	}
	delete(b.uploads, t.Upload)
	data := slices.Concat(u.parts...)
	b.put(t.Name, data, u.tag, storage.Version(fmt.Sprintf(`"%016x-%d"`, xxhash.Sum64(data), len(u.parts))))
	return nil
}
