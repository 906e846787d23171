package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"avro2trevni/internal/storage"
)

// Load implements [storage.Swapper].
func (f *FS) Load(name string, limit int64) (data []byte, v storage.Version, err error) {
	k := key(name)
	err = f.try("load", k, func() error {
		parent, cancel := f.once()
		defer cancel()
		w := newWatch(parent, f.stall)
		defer w.close()
		out, err := f.client.GetObject(w.ctx, &s3.GetObjectInput{Bucket: &f.bucket, Key: &k}, f.inRegion)
		if err != nil {
			return w.why(err)
		}
		defer func() { _ = out.Body.Close() }() // nothing was written
		size := aws.ToInt64(out.ContentLength)
		if size > limit {
			return fmt.Errorf("%w: larger than %d bytes", storage.ErrUnsupported, limit)
		}
		s := &stream{body: out.Body, w: w, end: size}
		data, v = make([]byte, size), storage.Version(aws.ToString(out.ETag))
		_, err = io.ReadFull(readerOf(s.read), data)
		return err
	})
	return data, v, err
}

// readerOf is a reader that is a function.
type readerOf func(p []byte) (int, error)

// Read implements io.Reader.
func (r readerOf) Read(p []byte) (int, error) { return r(p) }

// Swap implements [storage.Swapper].
func (f *FS) Swap(name string, old storage.Version, data []byte) (v storage.Version, err error) {
	k := key(name)
	for n := 0; ; n++ {
		v, err = f.put(k, old, data)
		if err == nil || !errors.Is(err, storage.ErrChanged) && !errors.Is(err, fs.ErrNotExist) {
			return v, err
		}
		// The condition does not hold: or it did, and the answer was lost.
		there, now, loadErr := f.Load(name, int64(len(data)))
		switch {
		case loadErr == nil && bytes.Equal(there, data):
			return now, nil
		case loadErr == nil || errors.Is(loadErr, storage.ErrUnsupported):
		case !errors.Is(loadErr, fs.ErrNotExist):
			return storage.None, loadErr
		case old == storage.None && n < 3:
			continue // another's object has gone
		}
		return storage.None, f.explain("swap", k, storage.ErrChanged)
	}
}

func (f *FS) put(k string, old storage.Version, data []byte) (v storage.Version, err error) {
	in := &s3.PutObjectInput{Bucket: &f.bucket, Key: &k, ContentLength: aws.Int64(int64(len(data)))}
	in.IfMatch, in.IfNoneMatch = condition(old)
	alg := &algorithms[f.sums.Load()]
	setSum(alg.ticket(alg.sum(data)), &in.ChecksumCRC64NVME, &in.ChecksumCRC32C)
	err = f.try("swap", k, func() error {
		parent, cancel := f.once()
		defer cancel()
		return f.watched(parent, func(ctx context.Context, w *watch) error {
			one := *in
			one.Body = &moving{bytes.NewReader(data), w}
			out, err := f.client.PutObject(ctx, &one, f.inRegion)
			if err == nil {
				v = storage.Version(aws.ToString(out.ETag))
			}
			return err
		})
	})
	if err != nil && f.unknownSum(err) {
		f.sums.Add(1)
		return f.put(k, old, data)
	}
	return v, err
}

// Delete implements [storage.Swapper].
func (f *FS) Delete(name string, old storage.Version) error {
	k := key(name)
	in := &s3.DeleteObjectInput{Bucket: &f.bucket, Key: &k}
	if old != storage.Any {
		in.IfMatch = aws.String(string(old))
	}
	err := f.quick("remove", k, func(ctx context.Context) error {
		_, err := f.client.DeleteObject(ctx, in, f.inRegion)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) && code(err) != "NoSuchBucket" {
		return nil
	}
	return err
}

var _ storage.Objects = (*FS)(nil)
