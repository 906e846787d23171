package storagetest

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"avro2trevni/internal/storage"
)

// Client is one process's use of a [Bucket]; it is a [storage.Objects]. Each request is
// counted, and one of them may fail, before or after it has its effect. Of a call with two
// requests, such as Publish, each counts. It is safe for several goroutines; its fields must
// not change while it is used.
type Client struct {
	Bucket *Bucket
	At     int                            // the request that fails, from 1; 0: none
	After  bool                           // it has its effect, and the answer is lost
	Dead   bool                           // all requests after it fail too, as in a process that was killed
	Before func(n int, op, name string)   // called before each request, while no other waits for it; may be nil
	Done   func(op, name string, e error) // called after each request that was made; may be nil

	mu    sync.Mutex
	calls int
}

// Calls returns how many requests there were.
func (c *Client) Calls() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls
}

// request makes a request: do is its effect, while the bucket stands still.
func (c *Client) request(op, name string, do func(b *Bucket) error) error {
	c.mu.Lock()
	c.calls++
	n := c.calls
	c.mu.Unlock()
	if c.Before != nil {
		c.Before(n, op, name)
	}
	if c.At > 0 && (n == c.At && !c.After || c.Dead && n > c.At) {
		return pathError(op, name, ErrFault)
	}
	c.Bucket.mu.Lock()
	err := do(c.Bucket)
	c.Bucket.mu.Unlock()
	if c.Done != nil {
		c.Done(op, name, err)
	}
	if c.At > 0 && n == c.At {
		return pathError(op, name, ErrFault)
	}
	if err != nil {
		return pathError(op, name, err)
	}
	return nil
}

// Load implements [storage.Swapper].
func (c *Client) Load(name string, limit int64) (data []byte, v storage.Version, err error) {
	err = c.request("get", name, func(b *Bucket) error {
		o := b.objects[name]
		switch {
		case o == nil:
			return fs.ErrNotExist
		case int64(len(o.data)) > limit:
			return fmt.Errorf("larger than %d bytes", limit)
		}
		data, v = o.data, o.version
		return nil
	})
	return data, v, err
}

// Swap implements [storage.Swapper].
func (c *Client) Swap(name string, old storage.Version, data []byte) (storage.Version, error) {
	v := versionOf(data)
	err := c.request("put", name, func(b *Bucket) error {
		if !b.IgnoreSwap && !b.has(name, old) || b.RefuseSwap && old != storage.None && old != storage.Any {
			return storage.ErrChanged
		}
		b.put(name, append([]byte(nil), data...), "", v)
		return nil
	})
	return v, err
}

// Delete implements [storage.Swapper].
func (c *Client) Delete(name string, old storage.Version) error {
	return c.request("delete", name, func(b *Bucket) error {
		if b.objects[name] == nil {
			return nil
		}
		if !b.IgnoreDelete && !b.has(name, old) {
			return storage.ErrChanged
		}
		delete(b.objects, name)
		return nil
	})
}

// Stage implements [storage.Stager].
func (c *Client) Stage(name string, how storage.Staging) (storage.Staged, error) {
	s := &staged{c: c, ticket: storage.Ticket{Name: name, Tag: how.Tag}}
	err := c.request("stage", name, func(b *Bucket) error {
		b.begun++
		s.ticket.Upload = fmt.Sprintf("upload-%d", b.begun)
		b.uploads[s.ticket.Upload] = &upload{name: name, tag: how.Tag}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Publish implements [storage.Stager]. It is two requests: the second looks what stands there.
func (c *Client) Publish(t storage.Ticket, old storage.Version) error {
	err := c.request("complete", t.Name, func(b *Bucket) error { return b.complete(t, old) })
	if err != nil && !errors.Is(err, storage.ErrGone) && !errors.Is(err, storage.ErrChanged) {
		return err
	}
	ours, there := false, false
	if err := c.request("head", t.Name, func(b *Bucket) error {
		o := b.objects[t.Name]
		there = o != nil
		ours = there && o.tag == t.Tag && int64(len(o.data)) == t.Size
		return nil
	}); err != nil {
		return err
	}
	switch {
	case ours:
		return nil
	case there:
		return pathError("publish", t.Name, storage.ErrChanged)
	case err == nil:
		return pathError("publish", t.Name, storage.ErrGone)
	}
	return err
}

// Withdraw implements [storage.Stager].
func (c *Client) Withdraw(t storage.Ticket) error {
	return c.request("abort", t.Name, func(b *Bucket) error {
		if u := b.uploads[t.Upload]; u != nil && u.name == t.Name {
			delete(b.uploads, t.Upload)
		}
		return nil
	})
}

// Retract implements [storage.Stager]. It is two requests: what is there, and its removal.
func (c *Client) Retract(t storage.Ticket) error {
	var v storage.Version
	err := c.request("head", t.Name, func(b *Bucket) error {
		if o := b.objects[t.Name]; o != nil && o.tag == t.Tag {
			v = o.version
		}
		return nil
	})
	if err != nil || v == storage.None {
		return err
	}
	if err := c.Delete(t.Name, v); !errors.Is(err, storage.ErrChanged) {
		return err
	}
	return nil
}

// Pending implements [storage.Stager].
func (c *Client) Pending(name string, yield func(storage.Ticket) error) error {
	var all []storage.Ticket
	err := c.request("uploads", name, func(b *Bucket) error {
		for id, u := range b.uploads {
			if storage.Within(u.name, name) && !b.Unlisted {
				all = append(all, storage.Ticket{Name: u.name, Upload: id})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, t := range all {
		if err := yield(t); err != nil {
			return err
		}
	}
	return nil
}

// List implements [storage.Lister].
func (c *Client) List(dir string, yield func(below string, info fs.FileInfo) error) error {
	var names []string
	var infos []fs.FileInfo
	err := c.request("list", dir, func(b *Bucket) error {
		names = b.names(dir)
		for _, name := range names {
			infos = append(infos, b.objects[name].info(path.Base(name)))
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, name := range names {
		if err := yield(strings.TrimPrefix(name, strings.TrimSuffix(dir, "/")+"/"), infos[i]); err != nil {
			return err
		}
	}
	return nil
}

// PartSize implements [storage.Stager].
func (c *Client) PartSize(int64) int64 {
	if c.Bucket.PartSize > 0 {
		return int64(c.Bucket.PartSize)
	}
	return 1 << 20
}

// staged is a file that is being staged. Its parts are sent one after another.
type staged struct {
	c      *Client
	ticket storage.Ticket
	buf    []byte
	err    error
}

// Write implements io.Writer.
func (s *staged) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	s.buf = append(s.buf, p...)
	s.ticket.Size += int64(len(p))
	for size := int(s.c.PartSize(0)); len(s.buf) > size && s.err == nil; {
		s.send(s.buf[:size])
		s.buf = s.buf[size:]
	}
	return len(p), s.err
}

func (s *staged) send(part []byte) {
	part = append([]byte(nil), part...)
	s.err = s.c.request("part", s.ticket.Name, func(b *Bucket) error {
		u := b.uploads[s.ticket.Upload]
		if u == nil {
			return storage.ErrGone
		}
		u.parts = append(u.parts, part)
		return nil
	})
	s.ticket.Parts = append(s.ticket.Parts, storage.Part{Version: versionOf(part)})
}

// Sync implements [storage.Staged].
func (s *staged) Sync() error {
	if s.err == nil {
		s.send(s.buf)
	}
	return s.err
}

// Ticket implements [storage.Staged].
func (s *staged) Ticket() storage.Ticket { return s.ticket }

// Close implements io.Closer.
func (s *staged) Close() error { return nil }
