package storagetest

import (
	"errors"
	"testing"

	"avro2trevni/internal/storage"
)

func TestBucketKeepsTheContract(t *testing.T) {
	b := NewBucket()
	b.PartSize = 100
	Contract(t, &Client{Bucket: b}, "s3://bucket/dir")
	if len(b.Files()) > 0 || len(b.Uploads()) > 0 {
		t.Errorf("left: %v, %v", b.Files(), b.Uploads())
	}
}

// A request fails before its effect, or after it, and all after it do in a process that died.
func TestClientFailsTheKth(t *testing.T) {
	for _, test := range []struct {
		after, dead bool
		files       int // of two writes, the first of which fails
		second      error
	}{{false, false, 1, nil}, {true, false, 2, nil}, {false, true, 0, ErrFault}, {true, true, 1, ErrFault}} {
		c := &Client{Bucket: NewBucket(), At: 1, After: test.after, Dead: test.dead}
		if _, err := c.Swap("/a", storage.None, nil); !errors.Is(err, ErrFault) {
			t.Errorf("%+v: %v", test, err)
		}
		if _, err := c.Swap("/b", storage.None, nil); !errors.Is(err, test.second) {
			t.Errorf("%+v: then %v", test, err)
		}
		if n := len(c.Bucket.Files()); n != test.files || c.Calls() != 2 {
			t.Errorf("%+v: %d files, %d requests", test, n, c.Calls())
		}
	}
}

// A bucket can be as bad as storage is that only says it speaks S3.
func TestBucketIgnoresConditions(t *testing.T) {
	b := NewBucket()
	b.IgnoreSwap, b.IgnorePublish, b.IgnoreDelete = true, true, true
	c := &Client{Bucket: b}
	for _, data := range []string{"one", "two"} {
		if _, err := c.Swap("/a", storage.None, []byte(data)); err != nil {
			t.Error(err)
		}
		if err := c.Publish(stage(t, c, "/b", data, []byte(data)), storage.None); err != nil {
			t.Error(err)
		}
	}
	if d := b.Files(); d["/a"] != "two" || d["/b"] != "two" {
		t.Errorf("%v", d)
	}
	if err := c.Delete("/a", "x"); err != nil || len(b.Files()) != 1 {
		t.Errorf("%v, %v", err, b.Files())
	}
	refuses := &Client{Bucket: &Bucket{RefuseSwap: true, objects: map[string]*object{}}}
	v, err := refuses.Swap("/a", storage.None, nil)
	must(t, err)
	if _, err := refuses.Swap("/a", v, []byte("x")); !errors.Is(err, storage.ErrChanged) {
		t.Error(err)
	}
}
