package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"avro2trevni/internal/storage"
)

const (
	tagKey    = "avro2trevni-upload" // of the metadata that hold a ticket's tag
	leastPart = 8 << 20
	mostParts = 10_000 // of an upload, by S3's rule
	partUnit  = 1 << 20
	inFlight  = 4 // most parts of a file that are on their way
)

// PartSize implements [storage.Stager].
func (f *FS) PartSize(size int64) int64 {
	part := (size + mostParts - 1) / mostParts
	if part <= f.part {
		return f.part
	}
	return (part + partUnit - 1) / partUnit * partUnit
}

// staged is an upload that is written. Its parts are sent by goroutines of their own.
//
//	Write --> buf --full--> send: UploadPart, again until it is there --> parts[n]
//	           ^                     |
//	           '------- free <-------'
type staged struct {
	f      *FS
	ticket storage.Ticket
	alg    *algorithm
	size   int64 // that was announced
	part   int64
	ctx    context.Context
	cancel context.CancelFunc

	buf    []byte
	free   chan []byte // buffers of parts that are there; nil ones are not made yet
	sent   int         // parts
	synced bool
	wait   sync.WaitGroup

	mu    sync.Mutex
	err   error
	parts []storage.Part
	sums  []uint64
	sizes []int64
}

// Stage implements [storage.Stager].
func (f *FS) Stage(name string, how storage.Staging) (storage.Staged, error) {
	s := &staged{
		f: f, ticket: storage.Ticket{Name: name, Tag: how.Tag}, size: how.Size, part: f.PartSize(how.Size),
	}
	buffers := int64(inFlight + 1)
	if how.Memory > 0 {
		buffers = max(1, min(buffers, how.Memory/s.part))
	}
	s.free = make(chan []byte, buffers)
	for range buffers {
		s.free <- nil
	}
	for {
		n := f.sums.Load()
		s.alg = &algorithms[n]
		err := s.create(key(name))
		if err == nil {
			break
		}
		if !f.unknownSum(err) {
			return nil, err
		}
		f.sums.CompareAndSwap(n, n+1)
	}
	s.ctx, s.cancel = context.WithCancel(f.ctx)
	return s, nil
}

// unknownSum reports whether a service may have refused a request for the checksum that it
// has, and there is another one to try.
func (f *FS) unknownSum(err error) bool {
	if int(f.sums.Load()) == len(algorithms)-1 {
		return false
	}
	switch status(err) {
	case http.StatusBadRequest, http.StatusNotImplemented:
	default:
		return false
	}
	switch code(err) {
	case "InvalidRequest", "InvalidArgument", "NotImplemented", "InvalidChecksumAlgorithm", "MalformedXML":
		return true
	}
	return false
}

func (s *staged) create(k string) error {
	in := &s3.CreateMultipartUploadInput{Bucket: &s.f.bucket, Key: &k, ContentType: aws.String("application/octet-stream")}
	if s.ticket.Tag != "" {
		in.Metadata = map[string]string{tagKey: s.ticket.Tag}
	}
	if s.alg.name != "" {
		in.ChecksumAlgorithm, in.ChecksumType = s.alg.name, types.ChecksumTypeFullObject
	}
	return s.f.try("stage", k, func() error {
		return s.f.watched(s.f.ctx, func(ctx context.Context, _ *watch) error {
			out, err := s.f.client.CreateMultipartUpload(ctx, in, s.f.inRegion)
			if err == nil {
				s.ticket.Upload = aws.ToString(out.UploadId)
			}
			return err
		})
	})
}

// Ticket implements [storage.Staged].
func (s *staged) Ticket() storage.Ticket { return s.ticket }

// failed returns the first error.
func (s *staged) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *staged) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

// Write implements io.Writer.
func (s *staged) Write(p []byte) (n int, err error) {
	if s.synced {
		s.fail(s.f.explain("write", key(s.ticket.Name), fmt.Errorf("%w: after Sync", fs.ErrClosed)))
	}
	for len(p) > 0 {
		if err := s.failed(); err != nil {
			return n, err
		}
		if s.buf == nil {
			s.take()
		}
		k := int(min(int64(len(p)), s.part-int64(len(s.buf))))
		s.buf = append(s.buf, p[:k]...)
		n, p = n+k, p[k:]
		if int64(len(s.buf)) == s.part {
			s.send()
		}
	}
	return n, s.failed()
}

// take waits for a buffer. One that is made is as large as a part, or as the file.
func (s *staged) take() {
	s.buf = <-s.free
	if s.buf == nil {
		room := s.part
		if s.size > 0 {
			room = max(1, min(room, s.size-int64(s.sent)*s.part))
		} else if s.sent == 0 {
			room = 64 << 10 // it grows
		}
		s.buf = make([]byte, 0, room)
	}
}

// send sends the buffer as the next part.
func (s *staged) send() {
	data := s.buf
	s.buf = nil
	if s.sent == mostParts {
		s.fail(s.f.explain("write", key(s.ticket.Name), fmt.Errorf("%w: more than %d parts of %d bytes", storage.ErrUnsupported, mostParts, s.part)))
		return
	}
	n := s.sent
	s.sent++
	s.mu.Lock()
	s.parts, s.sums, s.sizes = append(s.parts, storage.Part{}), append(s.sums, 0), append(s.sizes, int64(len(data)))
	s.mu.Unlock()
	s.wait.Go(func() {
		sum := s.alg.sum(data)
		v, err := s.upload(n, data, sum)
		if err != nil {
			s.fail(err)
		}
		s.mu.Lock()
		s.parts[n], s.sums[n] = storage.Part{Version: v, Sum: s.alg.ticket(sum)}, sum
		s.mu.Unlock()
		s.free <- data[:0]
	})
}

// upload sends part n, counted from 0, until the service has it.
func (s *staged) upload(n int, data []byte, sum uint64) (v storage.Version, err error) {
	k := key(s.ticket.Name)
	in := &s3.UploadPartInput{
		Bucket: &s.f.bucket, Key: &k, UploadId: &s.ticket.Upload, PartNumber: aws.Int32(int32(n + 1)), ContentLength: aws.Int64(int64(len(data))),
	}
	setSum(s.alg.ticket(sum), &in.ChecksumCRC64NVME, &in.ChecksumCRC32C)
	err = s.f.try("write", k, func() error {
		return s.f.watched(s.ctx, func(ctx context.Context, w *watch) error {
			one := *in
			one.Body = &moving{bytes.NewReader(data), w}
			out, err := s.f.client.UploadPart(ctx, &one, s.f.inRegion)
			if err == nil {
				v = storage.Version(aws.ToString(out.ETag))
			}
			return err
		})
	})
	return v, err
}

// Sync implements [storage.Staged]: all parts are there. The last of them, or the only one,
// may have no bytes.
func (s *staged) Sync() error {
	if s.synced {
		return s.failed()
	}
	if s.buf == nil && s.sent == 0 {
		s.take()
	}
	if len(s.buf) > 0 || s.sent == 0 {
		s.send()
	}
	s.synced = true
	s.wait.Wait()
	if err := s.failed(); err != nil {
		return err
	}
	var sum uint64
	for i, n := range s.sizes {
		if i == 0 {
			sum = s.sums[0]
		} else {
			sum = s.alg.join(sum, s.sums[i], n)
		}
		s.ticket.Size += n
	}
	s.ticket.Parts, s.ticket.Sum = s.parts, s.alg.ticket(sum)
	s.release()
	return nil
}

// release frees the buffers.
func (s *staged) release() {
	s.buf = nil
	for {
		select {
		case <-s.free:
		default:
			return
		}
	}
}

// Close implements io.Closer.
func (s *staged) Close() error {
	if !s.synced {
		s.fail(s.f.explain("write", key(s.ticket.Name), fs.ErrClosed))
		s.synced = true
	}
	s.cancel()
	s.wait.Wait()
	s.release()
	return nil
}

// create is a file that appears when it is synced, for what is not published with others.
type created struct {
	storage.Staged
	f    *FS
	done bool
}

// Create implements [storage.FS]: the file appears, whole, at Sync.
func (f *FS) Create(name string, size int64) (storage.Writer, error) {
	_, err := f.head("create", key(name), false)
	if err == nil {
		return nil, f.explain("create", key(name), fs.ErrExist)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s, err := f.Stage(name, storage.Staging{Size: size, Tag: newTag()})
	if err != nil {
		return nil, err
	}
	return &created{Staged: s, f: f}, nil
}

// Sync implements [storage.Writer].
func (c *created) Sync() error {
	if c.done {
		return nil
	}
	if err := c.Staged.Sync(); err != nil {
		return err
	}
	err := c.f.Publish(c.Ticket(), storage.None)
	if errors.Is(err, storage.ErrChanged) {
		return c.f.explain("create", key(c.Ticket().Name), fs.ErrExist)
	}
	c.done = err == nil
	return err
}

// Close implements io.Closer. A file that was not synced never appears.
func (c *created) Close() error {
	err := c.Staged.Close()
	if !c.done {
		err = errors.Join(err, c.f.Withdraw(c.Ticket()))
	}
	return err
}
