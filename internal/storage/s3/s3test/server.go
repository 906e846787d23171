package s3test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server is an S3 server on loopback. Its fields are set before the first request, or
// with [Server.Set]. It is safe for several goroutines.
type Server struct {
	URL string // the endpoint

	// On returns what goes wrong with a request, nil for nothing; n counts from 1. It may
	// be nil. It is called without any lock, before the request takes effect.
	On func(n int, r *http.Request) *Fault
	// Ignore says which conditions the server does not look at.
	Ignore Ignore
	// Repeats says that completing an upload that was completed is answered with 200, as
	// AWS does, and not with 404.
	Repeats bool
	// MinPart is the least size of a part that is not the last; 0 for 5 MiB.
	MinPart int64
	// Sums says which checksums the server refuses, by their header's last word: crc64nvme.
	NoSums []string
	// Redirect is the region that all others are referred to; "" for none.
	Redirect string

	mu       sync.Mutex
	buckets  map[string]*bucket
	uploads  map[string]*upload
	clock    time.Time
	requests []Request
	nextID   int
	ended    chan struct{}
}

// Ignore says which conditions a server ignores.
type Ignore struct{ Get, Put, Complete, Delete bool }

// Fault is what goes wrong with one request. Exactly one field is set.
type Fault struct {
	Status int  // the request is not made, and answered with this status
	Lost   bool // the request is made, and the connection closed without an answer
	Reset  bool // the request is made, and the connection closed after half of the answer's body
	Short  bool // the request is made, and the answer's body has half of what was requested, with a length that says so
	Stall  bool // the request is made, and half of the answer's body comes; then nothing, until the client goes
	Before bool // the connection is closed before the request is made
}

// Request is one request that was made.
type Request struct {
	Op    string // as S3 calls it: GetObject, ListObjectsV2, ...
	Key   string // bucket/key
	Range string
}

type bucket struct {
	objects map[string]*object
	sorted  []string // keys, nil if not known
}

type object struct {
	data []byte
	etag string
	sum  string // CRC64NVME, base64
	meta http.Header
	mod  time.Time
}

// New starts a server that ends with the test.
func New(t testing.TB) *Server {
	s := &Server{buckets: map[string]*bucket{}, uploads: map[string]*upload{}, ended: make(chan struct{}), clock: time.Now().Add(-1000 * time.Hour).Truncate(time.Second)}
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		close(s.ended)
		h.Close()
	})
	s.URL = h.URL
	return s
}

// Setenv sets the variables of the environment that lead a client to the server, with
// static credentials, and keep it from anything beyond.
func (s *Server) Setenv(t testing.TB) { Setenv(t, s.URL, "key", "secret") }

// Setenv sets the variables that lead a client to an endpoint with these credentials. No
// file of the user's is read, and the metadata of an instance are not asked for.
func Setenv(t testing.TB, endpoint, key, secret string) {
	for _, kv := range Env(endpoint, key, secret) {
		name, value, _ := strings.Cut(kv, "=")
		t.Setenv(name, value)
	}
}

// Env returns those variables, for another process.
func Env(endpoint, key, secret string) []string {
	return []string{
		"AWS_ENDPOINT_URL_S3=" + endpoint, "AWS_ENDPOINT_URL=", "AWS_REGION=us-east-1",
		"AWS_ACCESS_KEY_ID=" + key, "AWS_SECRET_ACCESS_KEY=" + secret, "AWS_SESSION_TOKEN=", "AWS_PROFILE=",
		"AWS_EC2_METADATA_DISABLED=true", "AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null",
		"NO_PROXY=127.0.0.1",
	}
}

// Set changes fields while the server serves.
func (s *Server) Set(change func(s *Server)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

// Requests returns the requests so far. Forget empties the list, and begins to count anew.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Forget forgets the requests so far.
func (s *Server) Forget() { s.Set(func(s *Server) { s.requests = nil }) }

// Count returns how many requests there were of each operation.
func (s *Server) Count() map[string]int {
	n := map[string]int{}
	for _, r := range s.Requests() {
		n[r.Op]++
	}
	return n
}

// Put makes or replaces an object, as another client does; name is bucket/key. It makes the
// bucket if there is none.
func (s *Server) Put(name string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, key, _ := strings.Cut(name, "/")
	if s.buckets[b] == nil {
		s.buckets[b] = &bucket{objects: map[string]*object{}}
	}
	if key != "" {
		s.buckets[b].put(key, s.object(data, nil))
	}
}

// Remove removes an object, as another client does.
func (s *Server) Remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, key, _ := strings.Cut(name, "/")
	s.buckets[b].remove(key)
}

// Get returns what an object holds; false if there is none.
func (s *Server) Get(name string) (data []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, key, _ := strings.Cut(name, "/")
	if s.buckets[b] == nil || s.buckets[b].objects[key] == nil {
		return nil, false
	}
	return slices.Clone(s.buckets[b].objects[key].data), true
}

// Names returns the names of all objects, bucket/key, in order.
func (s *Server) Names() (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, b := range s.buckets {
		for key := range b.objects {
			names = append(names, name+"/"+key)
		}
	}
	slices.Sort(names)
	return names
}

// Pending returns the names of the pending uploads, in order.
func (s *Server) Pending() (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.uploads {
		if !u.done {
			names = append(names, u.bucket+"/"+u.key)
		}
	}
	slices.Sort(names)
	return names
}

// object returns a new object. Time moves on by a second, so that no two writes have one.
func (s *Server) object(data []byte, meta http.Header) *object {
	s.clock = s.clock.Add(time.Second)
	return &object{data: data, etag: etagOf(data), sum: sum64(data), meta: meta, mod: s.clock}
}

func (b *bucket) put(key string, o *object) {
	if b.objects[key] == nil {
		b.sorted = nil
	}
	b.objects[key] = o
}

func (b *bucket) remove(key string) {
	if b.objects[key] != nil {
		b.sorted = nil
	}
	delete(b.objects, key)
}

// keys returns the bucket's keys in order.
func (b *bucket) keys() []string {
	if b.sorted == nil {
		b.sorted = make([]string, 0, len(b.objects))
		for key := range b.objects {
			b.sorted = append(b.sorted, key)
		}
		slices.Sort(b.sorted)
	}
	return b.sorted
}

// String names a request.
func (r Request) String() string { return fmt.Sprintf("%s %s %s", r.Op, r.Key, r.Range) }
