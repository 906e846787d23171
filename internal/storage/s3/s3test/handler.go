package s3test

import (
	"bytes"
	"crypto/md5" // #nosec G501 -- ETags are MD5
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// answer is what a request is answered with.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// failure is an error of S3.
type failure struct {
	XMLName xml.Name `xml:"Error"`
	Code    string
	Message string
}

// fails returns the answer of a request that failed.
func fails(status int, code string) *answer {
	a := xmlAnswer(failure{Code: code, Message: "s3test: " + code})
	a.status = status
	return a
}

func xmlAnswer(v any) *answer {
	body, err := xml.Marshal(v)
	if err != nil {
		panic(err) // of types of this package
	}
	return &answer{status: http.StatusOK, header: http.Header{"Content-Type": {"application/xml"}}, body: append([]byte(xml.Header), body...)}
}

// codes are those of errors that a fault may be.
var codes = map[int]string{
	400: "RequestTimeout", 403: "AccessDenied", 404: "NoSuchKey", 409: "ConditionalRequestConflict",
	412: "PreconditionFailed", 429: "TooManyRequests", 500: "InternalError", 503: "SlowDown",
}

// call is one request, read whole.
type call struct {
	*http.Request
	bucket, key string
	body        []byte
}

// query returns a parameter.
func (c *call) query(name string) string { return c.URL.Query().Get(name) }

// has reports whether a parameter is there.
func (c *call) has(name string) bool { return c.URL.Query().Has(name) }

// op returns the name of the operation.
func (c *call) op() string {
	upload := c.has("uploadId")
	switch {
	case c.key == "" && c.Method == http.MethodGet && c.has("uploads"):
		return "ListMultipartUploads"
	case c.key == "" && c.Method == http.MethodGet:
		return "ListObjectsV2"
	case c.key == "" && c.Method == http.MethodPut:
		return "CreateBucket"
	case c.key == "" && c.Method == http.MethodHead:
		return "HeadBucket"
	case c.Method == http.MethodGet && upload:
		return "ListParts"
	case c.Method == http.MethodGet:
		return "GetObject"
	case c.Method == http.MethodHead:
		return "HeadObject"
	case c.Method == http.MethodPut && upload:
		return "UploadPart"
	case c.Method == http.MethodPut:
		return "PutObject"
	case c.Method == http.MethodPost && upload:
		return "CompleteMultipartUpload"
	case c.Method == http.MethodPost && c.has("uploads"):
		return "CreateMultipartUpload"
	case c.Method == http.MethodDelete && upload:
		return "AbortMultipartUpload"
	case c.Method == http.MethodDelete:
		return "DeleteObject"
	}
	return ""
}

// Op returns the name of a request's operation, for [Server.On].
func Op(r *http.Request) string {
	c := newCall(r)
	return c.op()
}

func newCall(r *http.Request) *call {
	b, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	return &call{Request: r, bucket: b, key: key}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := newCall(r)
	s.mu.Lock()
	s.requests = append(s.requests, Request{Op: c.op(), Key: c.bucket + "/" + c.key, Range: r.Header.Get("Range")})
	n, on := len(s.requests), s.On
	s.mu.Unlock()
	var f Fault
	if on != nil {
		if got := on(n, r); got != nil {
			f = *got
		}
	}
	var err error
	if c.body, err = io.ReadAll(r.Body); err != nil {
		panic(http.ErrAbortHandler) // the client has gone: nothing is done
	}
	if f.Before {
		panic(http.ErrAbortHandler)
	}
	var a *answer
	if f.Status > 0 {
		a = fails(f.Status, codes[f.Status])
	} else {
		s.mu.Lock()
		a = s.do(c)
		s.mu.Unlock()
	}
	if f.Lost {
		panic(http.ErrAbortHandler)
	}
	if f.Stall && (len(a.body) == 0 || c.Method == http.MethodHead) { // not even a header comes
		s.stall(c)
	}
	s.write(a, w, c, &f)
}

// stall waits until the client goes, and closes the connection.
func (s *Server) stall(c *call) {
	select {
	case <-c.Context().Done():
	case <-s.ended:
	}
	panic(http.ErrAbortHandler)
}

// write sends an answer, as much of it as a fault leaves.
func (s *Server) write(a *answer, w http.ResponseWriter, c *call, f *Fault) {
	for k, v := range a.header {
		w.Header()[k] = v
	}
	body := a.body
	if f.Short {
		body = body[:len(body)/2]
		a.header.Del("Content-Length")
	}
	if w.Header().Get("Content-Length") == "" {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	if f.Reset || f.Stall {
		body = body[:len(body)/2]
	}
	w.WriteHeader(a.status)
	if c.Method == http.MethodHead {
		return
	}
	_, _ = w.Write(body) // a client that has gone is no matter
	if f.Reset || f.Stall {
		_ = http.NewResponseController(w).Flush()
	}
	if f.Stall {
		s.stall(c)
	}
	if f.Reset {
		panic(http.ErrAbortHandler)
	}
}

// do makes a request. The caller holds mu.
func (s *Server) do(c *call) *answer {
	if s.Redirect != "" && !strings.Contains(c.Header.Get("Authorization"), "/"+s.Redirect+"/s3/") {
		a := fails(http.StatusMovedPermanently, "PermanentRedirect")
		a.header.Set("X-Amz-Bucket-Region", s.Redirect)
		return a
	}
	op := c.op()
	if op == "CreateBucket" {
		if s.buckets[c.bucket] == nil {
			s.buckets[c.bucket] = &bucket{objects: map[string]*object{}}
		}
		return &answer{status: http.StatusOK, header: http.Header{}}
	}
	b := s.buckets[c.bucket]
	if b == nil {
		return fails(http.StatusNotFound, "NoSuchBucket")
	}
	switch op {
	case "HeadBucket":
		return &answer{status: http.StatusOK, header: http.Header{}}
	case "ListObjectsV2":
		return b.list(c)
	case "GetObject", "HeadObject":
		return s.get(b, c)
	case "PutObject":
		return s.put(b, c)
	case "DeleteObject":
		return s.delete(b, c)
	}
	return s.multipart(b, c, op)
}

// condition checks the conditions of a request that writes or deletes.
func condition(o *object, h http.Header, ignore bool) *answer {
	match, none := h.Get("If-Match"), h.Get("If-None-Match")
	switch {
	case ignore:
	case match != "" && o == nil:
		return fails(http.StatusNotFound, "NoSuchKey")
	case match != "" && match != o.etag, none != "" && o != nil:
		return fails(http.StatusPreconditionFailed, "PreconditionFailed")
	}
	return nil
}

func (s *Server) put(b *bucket, c *call) *answer {
	if a := condition(b.objects[c.key], c.Header, s.Ignore.Put); a != nil {
		return a
	}
	if a := s.checkSum(c.Header, c.body); a != nil {
		return a
	}
	o := s.object(c.body, metaOf(c.Header))
	b.put(c.key, o)
	return &answer{status: http.StatusOK, header: http.Header{"Etag": {o.etag}}}
}

func (s *Server) delete(b *bucket, c *call) *answer {
	if a := condition(b.objects[c.key], c.Header, s.Ignore.Delete); a != nil {
		return a
	}
	b.remove(c.key)
	return &answer{status: http.StatusNoContent, header: http.Header{}}
}

// get answers GET and HEAD.
func (s *Server) get(b *bucket, c *call) *answer {
	o := b.objects[c.key]
	if o == nil {
		return fails(http.StatusNotFound, "NoSuchKey")
	}
	if match := c.Header.Get("If-Match"); match != "" && match != o.etag && !s.Ignore.Get {
		return fails(http.StatusPreconditionFailed, "PreconditionFailed")
	}
	h := http.Header{"Etag": {o.etag}, "Last-Modified": {o.mod.UTC().Format(http.TimeFormat)}, "Accept-Ranges": {"bytes"}}
	for k, v := range o.meta {
		h[k] = v
	}
	if c.Header.Get("X-Amz-Checksum-Mode") == "ENABLED" && !slices.Contains(s.NoSums, "crc64nvme") {
		h.Set("X-Amz-Checksum-Crc64nvme", o.sum)
		h.Set("X-Amz-Checksum-Type", "FULL_OBJECT")
	}
	a := &answer{status: http.StatusOK, header: h, body: o.data}
	if text := c.Header.Get("Range"); text != "" {
		first, last, err := parseRange(text, int64(len(o.data)))
		if err != nil {
			return fails(http.StatusRequestedRangeNotSatisfiable, "InvalidRange")
		}
		a.status, a.body = http.StatusPartialContent, o.data[first:last+1]
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, last, len(o.data)))
	}
	h.Set("Content-Length", strconv.Itoa(len(a.body)))
	return a
}

// parseRange returns the first and last byte of a range of a body of that size.
func parseRange(text string, size int64) (first, last int64, err error) {
	from, to, ok := strings.Cut(strings.TrimPrefix(text, "bytes="), "-")
	first, err = strconv.ParseInt(from, 10, 64)
	last = size - 1
	if err == nil && to != "" {
		last, err = strconv.ParseInt(to, 10, 64)
		last = min(last, size-1)
	}
	if !ok || err == nil && first > last {
		err = errors.New("no such range")
	}
	return first, last, err
}

// metaOf returns what of a request's header is the object's.
func metaOf(h http.Header) http.Header {
	meta := http.Header{}
	for k, v := range h {
		if strings.HasPrefix(k, "X-Amz-Meta-") {
			meta[k] = v
		}
	}
	return meta
}

// checkSum compares a body with the checksums that its request has.
func (s *Server) checkSum(h http.Header, body []byte) *answer {
	for _, name := range s.NoSums {
		if h.Get("X-Amz-Checksum-"+name) != "" || strings.EqualFold(h.Get("X-Amz-Checksum-Algorithm"), name) {
			return fails(http.StatusBadRequest, "InvalidRequest")
		}
	}
	for name, want := range map[string]string{
		"Content-Md5": md5base64(body), "X-Amz-Checksum-Crc64nvme": sum64(body), "X-Amz-Checksum-Crc32c": sum32c(body),
	} {
		if got := h.Get(name); got != "" && got != want {
			return fails(http.StatusBadRequest, "BadDigest")
		}
	}
	return nil
}

func etagOf(data []byte) string {
	sum := md5.Sum(data) // #nosec G401 -- as above
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

func md5base64(data []byte) string {
	sum := md5.Sum(data) // #nosec G401 -- as above
	return base64.StdEncoding.EncodeToString(sum[:])
}

// nvme is the table of CRC-64/NVME.
var nvme = crc64.MakeTable(0x9a6c9329ac4bc9b5)

func sum64(data []byte) string {
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint64(nil, crc64.Checksum(data, nvme)))
}

// decodeXML decodes the body of a request.
func decodeXML(body []byte, v any) error { return xml.NewDecoder(bytes.NewReader(body)).Decode(v) }
