package s3test

import (
	"encoding/xml"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxKeys is the most entries of a page.
const maxKeys = 1000

type listResult struct {
	XMLName               xml.Name `xml:"ListBucketResult"`
	Name                  string
	Prefix                string
	Delimiter             string `xml:",omitempty"`
	EncodingType          string `xml:",omitempty"`
	KeyCount              int
	MaxKeys               int
	IsTruncated           bool
	NextContinuationToken string `xml:",omitempty"`
	Contents              []listed
	CommonPrefixes        []commonPrefix
}

type listed struct {
	Key          string
	LastModified string
	ETag         string
	Size         int64
	StorageClass string
}

type commonPrefix struct{ Prefix string }

// list answers ListObjectsV2.
func (b *bucket) list(c *call) *answer {
	r := listResult{Name: c.bucket, Prefix: c.query("prefix"), Delimiter: c.query("delimiter"), EncodingType: c.query("encoding-type"), MaxKeys: maxKeys}
	if n, err := strconv.Atoi(c.query("max-keys")); err == nil && n < maxKeys {
		r.MaxKeys = n
	}
	if c.query("list-type") != "2" {
		return fails(http.StatusNotImplemented, "NotImplemented")
	}
	after := max(c.query("start-after"), c.query("continuation-token"))
	keys := b.keys()
	i, _ := slices.BinarySearch(keys, max(r.Prefix, after))
	last := after
	for ; i < len(keys) && strings.HasPrefix(keys[i], r.Prefix); i++ {
		key := keys[i]
		entry, folder := key, false
		if at := strings.Index(key[len(r.Prefix):], r.Delimiter); r.Delimiter != "" && at >= 0 {
			entry, folder = key[:len(r.Prefix)+at+len(r.Delimiter)], true
		}
		if key <= after || folder && (entry == last || strings.HasPrefix(after, entry)) {
			continue
		}
		if r.KeyCount == r.MaxKeys {
			r.IsTruncated, r.NextContinuationToken = true, last
			break
		}
		r.add(b, key, entry, folder)
		last = entry
	}
	return xmlAnswer(r)
}

func (r *listResult) add(b *bucket, key, entry string, folder bool) {
	r.KeyCount++
	if r.EncodingType == "url" {
		entry = url.QueryEscape(entry)
	}
	if folder {
		r.CommonPrefixes = append(r.CommonPrefixes, commonPrefix{entry})
		return
	}
	o := b.objects[key]
	r.Contents = append(r.Contents, listed{entry, o.mod.UTC().Format("2006-01-02T15:04:05.000Z"), o.etag, int64(len(o.data)), "STANDARD"})
}

// stamp is the time of an upload in a listing.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
