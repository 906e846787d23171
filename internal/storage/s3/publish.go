package s3

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"avro2trevni/internal/storage"
)

// completing is how long the service may take to put the parts of an object together, in times
// that nothing may move: 5 minutes.
const completing = 15

// newTag returns a tag that nobody else has.
func newTag() string { return rand.Text() }

// Publish implements [storage.Stager]. No answer to the request is proof: some services say
// yes to one that did nothing, and an answer may be lost. So what stands under the name is
// looked at.
func (f *FS) Publish(t storage.Ticket, old storage.Version) error {
	k := key(t.Name)
	var failed error
	for n := 0; ; n++ {
		failed = f.complete(k, t, old)
		if unsure(failed) {
			return failed
		}
		h, err := f.head("publish", k, true)
		switch {
		case err == nil && h.tag == t.Tag && t.Tag != "":
			return f.whole(k, t, h)
		case err == nil:
			return f.explain("publish", k, fmt.Errorf("%w: another file has the name", storage.ErrChanged))
		case !errors.Is(err, fs.ErrNotExist):
			return err
		case failed == nil || errors.Is(failed, storage.ErrGone):
			return f.explain("publish", k, fmt.Errorf("%w: its upload was ended", storage.ErrGone))
		case !errors.Is(failed, storage.ErrChanged) && !errors.Is(failed, fs.ErrNotExist):
			return failed
		case old != storage.None || n == 3:
			return f.explain("publish", k, fmt.Errorf("%w: there is no file of that version", storage.ErrChanged))
		}
		// Another file had the name, and has gone.
	}
}

// unsure reports whether a request may yet take effect, so that looking would prove nothing.
func unsure(err error) bool {
	return errors.Is(err, storage.ErrUnavailable) || errors.Is(err, context.Canceled) || errors.Is(err, fs.ErrPermission)
}

// whole compares what was published with the ticket.
func (f *FS) whole(k string, t storage.Ticket, h *info) error {
	algorithm, _, _ := strings.Cut(t.Sum, ":")
	switch {
	case h.size != t.Size:
		return f.explain("publish", k, fmt.Errorf("%w: it has %d bytes, and %d were sent", storage.ErrLost, h.size, t.Size))
	case t.Sum != "" && strings.HasPrefix(h.sum, algorithm+":") && h.sum != t.Sum:
		return f.explain("publish", k, fmt.Errorf("%w: its checksum is %s, and that of what was sent %s", storage.ErrLost, h.sum, t.Sum))
	}
	return nil
}

// complete makes the request that publishes.
func (f *FS) complete(k string, t storage.Ticket, old storage.Version) error {
	in := &s3.CompleteMultipartUploadInput{Bucket: &f.bucket, Key: &k, UploadId: &t.Upload, MultipartUpload: &types.CompletedMultipartUpload{}}
	for i, p := range t.Parts {
		part := types.CompletedPart{PartNumber: aws.Int32(int32(i + 1)), ETag: aws.String(string(p.Version))}
		setSum(p.Sum, &part.ChecksumCRC64NVME, &part.ChecksumCRC32C)
		in.MultipartUpload.Parts = append(in.MultipartUpload.Parts, part)
	}
	in.IfMatch, in.IfNoneMatch = condition(old)
	if t.Sum != "" {
		in.ChecksumType = types.ChecksumTypeFullObject
		setSum(t.Sum, &in.ChecksumCRC64NVME, &in.ChecksumCRC32C)
	}
	return f.try("publish", k, func() error {
		parent, cancel := f.once()
		defer cancel()
		w := newWatch(parent, completing*f.stall)
		defer w.close()
		_, err := f.client.CompleteMultipartUpload(w.ctx, in, f.inRegion)
		return w.why(err)
	})
}

// condition returns the headers of a condition.
func condition(old storage.Version) (match, none *string) {
	switch old {
	case storage.None:
		return nil, aws.String("*")
	case storage.Any:
		return nil, nil
	}
	return aws.String(string(old)), nil
}

// aborts is how often an upload is ended, at the most: parts that are on their way bring
// their upload back on some services.
const aborts = 5

// Withdraw implements [storage.Stager].
func (f *FS) Withdraw(t storage.Ticket) error {
	k := key(t.Name)
	for range aborts {
		err := f.quick("withdraw", k, func(ctx context.Context) error {
			_, err := f.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &f.bucket, Key: &k, UploadId: &t.Upload}, f.inRegion)
			return err
		})
		if gone(err) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return f.quick("withdraw", k, func(ctx context.Context) error { // some services end what is not there without an error
		out, err := f.client.ListParts(ctx, &s3.ListPartsInput{Bucket: &f.bucket, Key: &k, UploadId: &t.Upload}, f.inRegion)
		switch {
		case err != nil && gone(reason(err)) || err == nil && len(out.Parts) == 0:
			return nil
		case err != nil:
			return err
		}
		return fmt.Errorf("the upload is still there after %d requests to end it", aborts)
	})
}

// gone reports whether an upload is not there.
func gone(err error) bool {
	return errors.Is(err, storage.ErrGone) || errors.Is(err, fs.ErrNotExist)
}

// quick makes a request whose answer is short, also when the context is done.
func (f *FS) quick(op, k string, request func(context.Context) error) error {
	return f.try(op, k, func() error {
		ctx, cancel := f.once()
		defer cancel()
		return f.watched(ctx, func(ctx context.Context, _ *watch) error { return request(ctx) })
	})
}

// Retract implements [storage.Stager].
func (f *FS) Retract(t storage.Ticket) error {
	k := key(t.Name)
	for {
		h, err := f.head("retract", k, true)
		switch {
		case errors.Is(err, fs.ErrNotExist) || err == nil && (h.tag != t.Tag || t.Tag == ""):
			return nil
		case err != nil:
			return err
		}
		if err := f.Delete(t.Name, h.version); !errors.Is(err, storage.ErrChanged) {
			return err
		}
	}
}

// Pending implements [storage.Stager].
func (f *FS) Pending(name string, yield func(storage.Ticket) error) error {
	k := key(name)
	in := &s3.ListMultipartUploadsInput{Bucket: &f.bucket, Prefix: &k}
	for {
		var out *s3.ListMultipartUploadsOutput
		err := f.quick("list uploads", k, func(ctx context.Context) (err error) {
			out, err = f.client.ListMultipartUploads(ctx, in, f.inRegion)
			return err
		})
		if err != nil {
			return err
		}
		for _, u := range out.Uploads {
			at := aws.ToString(u.Key)
			if at != k && !strings.HasPrefix(at, prefix(k)) {
				continue
			}
			if err := yield(storage.Ticket{Name: f.named(name, at), Upload: aws.ToString(u.UploadId)}); err != nil {
				return err
			}
		}
		if !aws.ToBool(out.IsTruncated) {
			return nil
		}
		if aws.ToString(out.NextKeyMarker) == aws.ToString(in.KeyMarker) && aws.ToString(out.NextUploadIdMarker) == aws.ToString(in.UploadIdMarker) {
			return f.explain("list uploads", k, fmt.Errorf("the listing has more pages, and the service does not say how to get them"))
		}
		in.KeyMarker, in.UploadIdMarker = out.NextKeyMarker, out.NextUploadIdMarker
	}
}

// named returns the name of a key, with the scheme of another name.
func (f *FS) named(like, k string) string {
	root, _ := storage.Split(like)
	return root + "/" + k
}
