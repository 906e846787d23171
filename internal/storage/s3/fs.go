package s3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"avro2trevni/internal/storage"
)

// info describes an object or a folder.
type info struct {
	name    string
	size    int64
	mod     time.Time
	version storage.Version
	dir     bool
	tag     string // of who staged it; only from HEAD
	sum     string // as in a ticket; only from HEAD
}

// Name returns the last part of the name.
func (i *info) Name() string { return i.name }

// Size returns the object's bytes.
func (i *info) Size() int64 { return i.size }

// Mode returns that of a file or a folder; who may read it is for the service to say.
func (i *info) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o755
	}
	return 0o644
}

// ModTime returns when the object was written, in whole seconds; the zero time for a folder.
func (i *info) ModTime() time.Time { return i.mod }

// IsDir reports whether it is a folder.
func (i *info) IsDir() bool { return i.dir }

// Sys returns the [storage.Version], nil for a folder.
func (i *info) Sys() any {
	if i.dir {
		return nil
	}
	return i.version
}

// seconds cuts a time to what headers have.
func seconds(t *time.Time) time.Time { return aws.ToTime(t).Truncate(time.Second) }

// Stat implements [storage.FS]. A name that ends in a slash is a folder's.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	k := key(name)
	if k != "" && !strings.HasSuffix(name, "/") {
		i, err := f.head("stat", k, false)
		if err == nil {
			return i, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return f.folder(k)
}

// head describes an object.
func (f *FS) head(op, k string, published bool) (*info, error) {
	in := &s3.HeadObjectInput{Bucket: &f.bucket, Key: &k}
	ctx := f.ctx
	if published {
		in.ChecksumMode = types.ChecksumModeEnabled
		c, cancel := f.once()
		defer cancel()
		ctx = c
	}
	var out *s3.HeadObjectOutput
	err := f.try(op, k, func() (err error) {
		return f.watched(ctx, func(ctx context.Context, _ *watch) (err error) {
			out, err = f.client.HeadObject(ctx, in, f.inRegion)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return &info{
		name: path.Base(k), size: aws.ToInt64(out.ContentLength), mod: seconds(out.LastModified), version: storage.Version(aws.ToString(out.ETag)),
		tag: out.Metadata[tagKey], sum: sumOf(out),
	}, nil
}

// folder describes a folder: one that has an object below it, or the bucket.
func (f *FS) folder(k string) (fs.FileInfo, error) {
	found := k == ""
	err := f.pages("stat", k, "", 1, func(out *s3.ListObjectsV2Output, _ decoder) error {
		found = found || len(out.Contents) > 0
		return errStop
	})
	if err == nil && !found {
		err = f.explain("stat", k, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	return &info{name: path.Base("/" + k), dir: true}, nil
}

// errStop ends a listing.
var errStop = errors.New("enough")

// decoder returns a key as it is of one of a page.
type decoder func(*string) (string, error)

// pages calls yield for each page of what is below a folder; delimiter is "/" for the
// folder's own entries and "" for all, and most the number of entries of a page, 0 for as many
// as the service gives. errStop ends it.
func (f *FS) pages(op, k, delimiter string, most int32, yield func(*s3.ListObjectsV2Output, decoder) error) error {
	p := prefix(k)
	in := &s3.ListObjectsV2Input{Bucket: &f.bucket, Prefix: &p, EncodingType: types.EncodingTypeUrl}
	if delimiter != "" {
		in.Delimiter = &delimiter
	}
	if most > 0 {
		in.MaxKeys = &most
	}
	for {
		var out *s3.ListObjectsV2Output
		err := f.try(op, k, func() error {
			return f.watched(f.ctx, func(ctx context.Context, _ *watch) (err error) {
				out, err = f.client.ListObjectsV2(ctx, in, f.inRegion)
				return err
			})
		})
		if err == nil {
			err = yield(out, decoderOf(out.EncodingType))
		}
		switch {
		case errors.Is(err, errStop):
			return nil
		case err != nil:
			return err
		case !aws.ToBool(out.IsTruncated):
			return nil
		case aws.ToString(out.NextContinuationToken) == "" || aws.ToString(out.NextContinuationToken) == aws.ToString(in.ContinuationToken):
			return f.explain(op, k, fmt.Errorf("the listing has more pages, and the service does not say how to get them"))
		}
		in.ContinuationToken = out.NextContinuationToken
	}
}

// decoderOf returns what decodes the keys of a page: some services ignore what was requested.
func decoderOf(encoding types.EncodingType) decoder {
	if encoding == types.EncodingTypeUrl {
		return func(s *string) (string, error) { return url.QueryUnescape(aws.ToString(s)) }
	}
	return func(s *string) (string, error) { return aws.ToString(s), nil }
}

// described returns an object of a listing.
func described(k string, o *types.Object) *info {
	return &info{name: path.Base(k), size: aws.ToInt64(o.Size), mod: seconds(o.LastModified), version: storage.Version(aws.ToString(o.ETag))}
}

// ReadDir implements [storage.FS].
func (f *FS) ReadDir(name string) ([]fs.FileInfo, error) {
	k, any := key(name), false
	var infos []fs.FileInfo
	err := f.pages("readdir", k, "/", 0, func(out *s3.ListObjectsV2Output, decode decoder) error {
		any = any || len(out.Contents)+len(out.CommonPrefixes) > 0
		for i := range out.Contents {
			full, err := decode(out.Contents[i].Key)
			if err != nil {
				return f.explain("readdir", k, err)
			}
			if full != prefix(k) { // an empty object that some programs make for a folder
				infos = append(infos, described(full, &out.Contents[i]))
			}
		}
		for i := range out.CommonPrefixes {
			full, err := decode(out.CommonPrefixes[i].Prefix)
			if err != nil {
				return f.explain("readdir", k, err)
			}
			if full = strings.TrimSuffix(full, "/"); full != "" && !strings.HasSuffix(full, "/") {
				infos = append(infos, &info{name: path.Base(full), dir: true})
			}
		}
		return nil
	})
	if err == nil && !any && k != "" {
		err = f.explain("readdir", k, fs.ErrNotExist)
	}
	slices.SortStableFunc(infos, func(a, b fs.FileInfo) int { return cmp.Compare(a.Name(), b.Name()) })
	return infos, err
}

// List implements [storage.Lister]. It leaves out the empty objects whose names end in a
// slash, which some programs make for folders.
func (f *FS) List(dir string, yield func(below string, info fs.FileInfo) error) error {
	k := key(dir)
	return f.pages("list", k, "", 0, func(out *s3.ListObjectsV2Output, decode decoder) error {
		for i := range out.Contents {
			full, err := decode(out.Contents[i].Key)
			if err != nil {
				return f.explain("list", k, err)
			}
			if strings.HasSuffix(full, "/") && aws.ToInt64(out.Contents[i].Size) == 0 {
				continue
			}
			if err := yield(strings.TrimPrefix(full, prefix(k)), described(full, &out.Contents[i])); err != nil {
				return err
			}
		}
		return nil
	})
}

// Resolve implements [storage.FS]: there are no links, and it makes no request.
func (f *FS) Resolve(name string) (string, error) { return f.uri(key(name)), nil }

// MkdirAll implements [storage.FS]: there are no folders to make.
func (f *FS) MkdirAll(string) error { return nil }

// SyncDir implements [storage.FS]: what a request has done is safe when it is answered.
func (f *FS) SyncDir(string) error { return nil }

// Rename implements [storage.FS]: there is none.
func (f *FS) Rename(from, _ string) error {
	return f.explain("rename", key(from), fmt.Errorf("%w: object storage has no rename", storage.ErrUnsupported))
}

// Lock implements [storage.FS]: there is none. A lease is made of a [storage.Swapper].
func (f *FS) Lock(name string) (storage.Lock, error) {
	return nil, f.explain("lock", key(name), fmt.Errorf("%w: object storage has no locks", storage.ErrUnsupported))
}

// Remove implements [storage.FS]. The service does not say whether there was an object, so
// this does not either.
func (f *FS) Remove(name string) error { return f.Delete(name, storage.Any) }
