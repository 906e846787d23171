package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/s3/s3test"
)

// each runs a test on the server in memory and on one that others made: bucket is empty.
func each(t *testing.T, test func(t *testing.T, f *FS)) {
	t.Run("memory", func(t *testing.T) {
		f, _ := memory(t, Options{})
		test(t, f)
	})
	t.Run("versitygw", func(t *testing.T) {
		r := s3test.NewReal(t)
		r.Setenv(t)
		r.Bucket(t, "bucket")
		f, err := New(t.Context(), "s3://bucket", &Options{PartSize: 5 << 20})
		must(t, err)
		test(t, f)
	})
}

// memory returns a bucket of a server in memory, with parts of a few bytes.
func memory(t *testing.T, o Options) (*FS, *s3test.Server) {
	s := s3test.New(t)
	s.MinPart = 1
	s.Put("bucket/", nil)
	s.Setenv(t)
	if o.PartSize == 0 {
		o.PartSize = 100
	}
	f, err := New(t.Context(), "s3://bucket", &o)
	must(t, err)
	f.wait = 4 * time.Millisecond
	return f, s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantIs(t *testing.T, what string, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("%s: got error %v, want %v", what, err, target)
	}
}

// put makes an object.
func put(t *testing.T, f *FS, name, data string) storage.Version {
	t.Helper()
	v, err := f.Swap("s3://bucket/"+name, storage.Any, []byte(data))
	must(t, err)
	return v
}

func TestObjects(t *testing.T) {
	each(t, func(t *testing.T, f *FS) {
		for _, name := range []string{"in/b.avro", "in/a.avro", "in/sub/c.avro", "in/a b+c=%C3ü&?#.avro", "top"} {
			put(t, f, name, "data of "+name)
		}
		i, err := f.Stat("s3://bucket/in/a.avro")
		must(t, err)
		if i.Name() != "a.avro" || i.Size() != 17 || i.IsDir() || storage.VersionOf(i) == storage.None || i.ModTime().Nanosecond() != 0 {
			t.Errorf("%+v", i)
		}
		for _, dir := range []string{"s3://bucket/in", "s3://bucket/in/", "s3://bucket", "s3://bucket/", "s3a://bucket/in/sub"} {
			if i, err := f.Stat(dir); err != nil || !i.IsDir() {
				t.Errorf("%s: %v, %v", dir, i, err)
			}
		}
		_, err = f.Stat("s3://bucket/i")
		wantIs(t, "stat of what only begins so", err, fs.ErrNotExist)
		_, err = f.Open("s3://bucket/none")
		wantIs(t, "open of nothing", err, fs.ErrNotExist)
		_, err = f.ReadDir("s3://bucket/none")
		wantIs(t, "listing of nothing", err, fs.ErrNotExist)
		if _, err = f.Open("s3://bucket/in"); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a folder was opened: %v", err)
		}

		got, want := []string{}, []string{"a b+c=%C3ü&?#.avro", "a.avro", "b.avro", "sub/"}
		infos, err := f.ReadDir("s3://bucket/in/")
		must(t, err)
		for _, i := range infos {
			got = append(got, i.Name()+strings.Repeat("/", map[bool]int{true: 1}[i.IsDir()]))
		}
		if !slices.Equal(got, want) {
			t.Errorf("entries %q, want %q", got, want)
		}
		got, want = []string{}, []string{"a b+c=%C3ü&?#.avro 30", "a.avro 17", "b.avro 17", "sub/c.avro 21"}
		must(t, f.List("s3://bucket/in", func(below string, i fs.FileInfo) error {
			if storage.VersionOf(i) == storage.None {
				t.Errorf("%s has no version", below)
			}
			got = append(got, fmt.Sprint(below, " ", i.Size()))
			return nil
		}))
		if !slices.Equal(got, want) {
			t.Errorf("listed %q, want %q", got, want)
		}
		enough := errors.New("enough")
		if err := f.List("s3://bucket", func(string, fs.FileInfo) error { return enough }); err != enough {
			t.Errorf("stopped with %v", err)
		}
		must(t, f.Remove("s3://bucket/top"))
		must(t, f.Remove("s3://bucket/top"))
		_, err = f.Stat("s3://bucket/top")
		wantIs(t, "stat after remove", err, fs.ErrNotExist)
		wantIs(t, "rename", f.Rename("s3://bucket/a", "s3://bucket/b"), storage.ErrUnsupported)
		_, err = f.Lock("s3://bucket/lock")
		wantIs(t, "lock", err, storage.ErrUnsupported)
		if real, err := f.Resolve("s3a://bucket/in/../x"); real != "s3://bucket/x" || err != nil {
			t.Errorf("resolved to %s, %v", real, err)
		}
	})
}

// What a listing says of an object, a description by its name and a file that is open say too.
func TestSameDescription(t *testing.T) {
	each(t, func(t *testing.T, f *FS) {
		put(t, f, "in/a.avro", "hello")
		byName, err := f.Stat("s3://bucket/in/a.avro")
		must(t, err)
		infos, err := f.ReadDir("s3://bucket/in")
		must(t, err)
		file, err := f.Open("s3://bucket/in/a.avro")
		must(t, err)
		defer file.Close()
		opened, err := file.Stat()
		must(t, err)
		for _, i := range []fs.FileInfo{infos[0], opened} {
			if storage.VersionOf(i) != storage.VersionOf(byName) || !i.ModTime().Equal(byName.ModTime()) || i.Size() != 5 {
				t.Errorf("%+v, and by name %+v", i, byName)
			}
		}
	})
}

func TestReading(t *testing.T) {
	each(t, func(t *testing.T, f *FS) {
		data := make([]byte, 300_000)
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		put(t, f, "a", string(data))
		info, err := f.Stat("s3://bucket/a")
		must(t, err)
		size := int64(len(data))
		for _, r := range [][2]int64{{0, 0}, {0, size}, {100_000, 200_000}, {size, size}} {
			file, err := storage.OpenAs(f, "s3://bucket/a", storage.Known(info, r[0], r[1]))
			must(t, err)
			for range 40 { // some in order, some not
				off := rng.Int64N(size + 10)
				for range 3 {
					buf := make([]byte, rng.IntN(50_000))
					n, err := file.ReadAt(buf, off)
					want := data[min(off, size):min(off+int64(len(buf)), size)]
					if !bytes.Equal(buf[:n], want) || (err != nil) != (n < len(buf)) || err != nil && err != io.EOF {
						t.Fatalf("range %v: %d bytes at %d: %d, %v", r, len(buf), off, n, err)
					}
					off += int64(n)
				}
			}
			must(t, file.Close())
		}
	})
}

// A file that is written over is not read on; nor is one that is gone.
func TestChangedWhileRead(t *testing.T) {
	each(t, func(t *testing.T, f *FS) {
		put(t, f, "a", strings.Repeat("x", 1000))
		file, err := f.Open("s3://bucket/a")
		must(t, err)
		defer file.Close()
		buf := make([]byte, 10)
		_, err = file.ReadAt(buf, 0)
		must(t, err)
		put(t, f, "a", strings.Repeat("y", 1000))
		_, err = file.ReadAt(buf, 500)
		wantIs(t, "read of another version", err, storage.ErrChanged)
		must(t, f.Remove("s3://bucket/a"))
		_, err = file.ReadAt(buf, 500)
		wantIs(t, "read of nothing", err, fs.ErrNotExist)
	})
}

// A service that ignores the condition of a read is noticed by what it answers.
func TestIgnoredCondition(t *testing.T) {
	f, s := memory(t, Options{})
	s.Ignore.Get = true
	s.Put("bucket/a", []byte("first"))
	file, err := f.Open("s3://bucket/a")
	must(t, err)
	s.Put("bucket/a", []byte("other"))
	_, err = file.ReadAt(make([]byte, 5), 0)
	wantIs(t, "read", err, storage.ErrChanged)
}

// inOrder reads a file in order, as a mapper does.
func inOrder(f *FS, name string, d storage.Described, step int) ([]byte, error) {
	file, err := storage.OpenAs(f, name, d)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data := make([]byte, d.Size)
	for at := 0; at < len(data); at += step {
		if _, err := file.ReadAt(data[at:min(at+step, len(data))], int64(at)); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// Whatever happens to the first requests, the bytes are the same; and a range that is read in
// order is one request, or one more for each that broke.
func TestBrokenReads(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789"), 10_000)
	for _, test := range []struct {
		name  string
		fault s3test.Fault
	}{
		{"reset", s3test.Fault{Reset: true}},
		{"short", s3test.Fault{Short: true}},
		{"stall", s3test.Fault{Stall: true}},
		{"lost", s3test.Fault{Lost: true}},
		{"no connection", s3test.Fault{Before: true}},
		{"503", s3test.Fault{Status: 503}},
		{"500", s3test.Fault{Status: 500}},
		{"429", s3test.Fault{Status: 429}},
		{"400 RequestTimeout", s3test.Fault{Status: 400}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, s := memory(t, Options{Stall: time.Second})
			s.Put("bucket/a", want)
			info, err := f.Stat("s3://bucket/a")
			must(t, err)
			const faults = 2
			s.Forget()
			s.Set(func(s *s3test.Server) {
				s.On = func(n int, _ *http.Request) *s3test.Fault {
					if n <= faults {
						return &test.fault
					}
					return nil
				}
			})
			got, err := inOrder(f, "s3://bucket/a", storage.Known(info, 0, info.Size()), 7000)
			must(t, err)
			if !bytes.Equal(got, want) {
				t.Error("other bytes")
			}
			if n := len(s.Requests()); n != faults+1 {
				t.Errorf("%d requests: %v", n, s.Requests())
			}
		})
	}
}

// A read that breaks off continues at the byte where it broke.
func TestResumed(t *testing.T) {
	f, s := memory(t, Options{})
	s.Put("bucket/a", make([]byte, 1000))
	info, err := f.Stat("s3://bucket/a")
	must(t, err)
	s.Forget()
	s.Set(func(s *s3test.Server) {
		s.On = func(n int, _ *http.Request) *s3test.Fault {
			if n == 1 {
				return &s3test.Fault{Reset: true}
			}
			return nil
		}
	})
	_, err = inOrder(f, "s3://bucket/a", storage.Known(info, 0, 1000), 1000)
	must(t, err)
	var ranges []string
	for _, r := range s.Requests() {
		ranges = append(ranges, r.Range)
	}
	if want := []string{"bytes=0-999", "bytes=500-999"}; !slices.Equal(ranges, want) {
		t.Errorf("requested %q, want %q", ranges, want)
	}
}

// A service that stays away is waited for as long as the options say.
func TestAway(t *testing.T) {
	f, s := memory(t, Options{Patience: time.Millisecond})
	s.Put("bucket/a", []byte("hello"))
	file, err := f.Open("s3://bucket/a")
	must(t, err)
	s.Set(func(s *s3test.Server) {
		s.On = func(int, *http.Request) *s3test.Fault { return &s3test.Fault{Status: 503} }
	})
	_, err = file.ReadAt(make([]byte, 5), 0)
	wantIs(t, "read", err, storage.ErrUnavailable)
	if _, err := f.Stat("s3://bucket/a"); !errors.Is(err, storage.ErrUnavailable) || !strings.Contains(err.Error(), "s3://bucket/a") {
		t.Errorf("stat: %v", err)
	}
}

// When the context ends nothing is read, and nothing is waited for; what cleans up is still
// done.
func TestInterrupted(t *testing.T) {
	s := s3test.New(t)
	s.Put("bucket/a", []byte("hello"))
	s.Setenv(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	f, err := New(ctx, "s3://bucket", &Options{})
	must(t, err)
	file, err := f.Open("s3://bucket/a")
	must(t, err)
	w, err := f.Stage("s3://bucket/b", storage.Staging{Tag: "t"})
	must(t, err)
	why := errors.New("interrupted")
	cancel(why)
	_, err = file.ReadAt(make([]byte, 5), 0)
	wantIs(t, "read", err, why)
	must(t, w.Close())
	must(t, f.Withdraw(w.Ticket()))
	if p := s.Pending(); len(p) > 0 {
		t.Errorf("pending: %v", p)
	}
	must(t, f.Delete("s3://bucket/a", storage.Any))
	if n := s.Names(); len(n) > 0 {
		t.Errorf("left: %v", n)
	}
}

// A bucket of another region is found by the answer that names it.
func TestOtherRegion(t *testing.T) {
	f, s := memory(t, Options{})
	s.Put("bucket/a", []byte("hello"))
	s.Set(func(s *s3test.Server) { s.Redirect = "eu-central-1" })
	for range 2 {
		if _, err := f.Stat("s3://bucket/a"); err != nil {
			t.Error(err)
		}
	}
	if n := s.Count()["HeadObject"]; n != 3 {
		t.Errorf("%d requests, want 3: the region is learned once", n)
	}
}

// Errors say what S3 answered, in few words, and are those of package io/fs.
func TestErrors(t *testing.T) {
	f, s := memory(t, Options{})
	for _, test := range []struct {
		status int
		is     error
		says   string
	}{
		{403, fs.ErrPermission, "list s3://bucket/in: AccessDenied: s3test: AccessDenied (403)"},
		{404, fs.ErrNotExist, "list s3://bucket/in: NoSuchKey"},
	} {
		s.Set(func(s *s3test.Server) {
			s.On = func(int, *http.Request) *s3test.Fault { return &s3test.Fault{Status: test.status} }
		})
		err := f.List("s3://bucket/in", func(string, fs.FileInfo) error { return nil })
		if !errors.Is(err, test.is) || !strings.HasPrefix(err.Error(), test.says) {
			t.Errorf("%d: %v", test.status, err)
		}
	}
	s.Set(func(s *s3test.Server) { s.On = nil })
	other, err := New(t.Context(), "s3://nowhere", &Options{})
	must(t, err)
	_, err = other.Stat("s3://nowhere/")
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "NoSuchBucket") {
		t.Errorf("no bucket: %v", err)
	}
}

// Without credentials the error says how to give some.
func TestNoCredentials(t *testing.T) {
	s := s3test.New(t)
	s.Setenv(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	f, err := New(t.Context(), "s3://bucket", &Options{})
	must(t, err)
	_, err = f.Stat("s3://bucket/a")
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") {
		t.Errorf("%v", err)
	}
	if n := len(s.Requests()); n > 0 {
		t.Errorf("%d requests", n)
	}
}

func TestOptions(t *testing.T) {
	for _, test := range []struct {
		o    Options
		says string
	}{
		{Options{}, ""},
		{Options{Endpoint: "http://127.0.0.1:1", PathStyle: "false"}, ""},
		{Options{Endpoint: "127.0.0.1:1"}, "s3 endpoint"},
		{Options{Endpoint: "ftp://127.0.0.1:1"}, "s3 endpoint"},
		{Options{PathStyle: "perhaps"}, "s3 path style"},
	} {
		err := test.o.Validate()
		if test.says == "" && err != nil || test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)) {
			t.Errorf("%+v: %v", test.o, err)
		}
	}
	s3test.New(t).Setenv(t)
	for _, root := range []string{"s3://", "hdfs://host"} {
		if _, err := New(t.Context(), root, &Options{}); err == nil {
			t.Errorf("%s: no error", root)
		}
	}
}

// The bucket is in the path where there is an endpoint, or by what options and environment say.
func TestPathStyle(t *testing.T) {
	for _, test := range []struct {
		endpoint, env, option string
		want                  bool
	}{
		{"", "", "", false},
		{"http://127.0.0.1:1", "", "", true},
		{"http://127.0.0.1:1", "false", "", false},
		{"http://127.0.0.1:1", "false", "true", true},
		{"", "true", "", true},
	} {
		s3test.Setenv(t, test.endpoint, "k", "s")
		t.Setenv(pathStyleVar, test.env)
		f, err := New(t.Context(), "s3://bucket", &Options{PathStyle: test.option})
		must(t, err)
		if got := f.client.Options().UsePathStyle; got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}
