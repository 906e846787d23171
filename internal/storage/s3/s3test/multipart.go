package s3test

import (
	"bytes"
	"crypto/md5" // #nosec G501 -- ETags are MD5
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"hash/crc32"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// upload is a multipart upload.
type upload struct {
	id, bucket, key string
	meta            http.Header
	parts           map[int][]byte
	begun           time.Time
	done            bool   // completed
	etag            string // of the object, then
}

const minPart = 5 << 20

// multipart answers the requests of multipart uploads.
func (s *Server) multipart(b *bucket, c *call, op string) *answer {
	switch op {
	case "CreateMultipartUpload":
		return s.create(c)
	case "ListMultipartUploads":
		return s.listUploads(c)
	}
	u := s.uploads[c.query("uploadId")]
	if u == nil || u.bucket != c.bucket || u.key != c.key || u.done && (op != "CompleteMultipartUpload" || !s.Repeats) {
		return fails(http.StatusNotFound, "NoSuchUpload")
	}
	switch op {
	case "UploadPart":
		return s.part(u, c)
	case "CompleteMultipartUpload":
		return s.complete(b, u, c)
	case "AbortMultipartUpload":
		delete(s.uploads, u.id)
		return &answer{status: http.StatusNoContent, header: http.Header{}}
	case "ListParts":
		return u.list()
	}
	return fails(http.StatusNotImplemented, "NotImplemented")
}

func (s *Server) create(c *call) *answer {
	if a := s.checkSum(c.Header, nil); a != nil {
		return a
	}
	s.nextID++
	u := &upload{
		id: fmt.Sprintf("upload-%d", s.nextID), bucket: c.bucket, key: c.key, meta: metaOf(c.Header), parts: map[int][]byte{},
		begun: s.clock,
	}
	s.uploads[u.id] = u
	return xmlAnswer(struct {
		XMLName               xml.Name `xml:"InitiateMultipartUploadResult"`
		Bucket, Key, UploadId string
	}{Bucket: c.bucket, Key: c.key, UploadId: u.id})
}

func (s *Server) part(u *upload, c *call) *answer {
	n, err := strconv.Atoi(c.query("partNumber"))
	if err != nil || n < 1 || n > 10_000 {
		return fails(http.StatusBadRequest, "InvalidArgument")
	}
	if a := s.checkSum(c.Header, c.body); a != nil {
		return a
	}
	u.parts[n] = c.body
	return &answer{status: http.StatusOK, header: http.Header{"Etag": {etagOf(c.body)}}}
}

func (s *Server) complete(b *bucket, u *upload, c *call) *answer {
	if u.done {
		return completed(u)
	}
	if a := condition(b.objects[c.key], c.Header, s.Ignore.Complete); a != nil {
		return a
	}
	var list struct {
		Part []struct {
			PartNumber int
			ETag       string
		}
	}
	if err := decodeXML(c.body, &list); err != nil || len(list.Part) == 0 {
		return fails(http.StatusBadRequest, "MalformedXML")
	}
	var data, sums []byte
	for i, p := range list.Part {
		part, ok := u.parts[p.PartNumber]
		switch {
		case !ok || strings.Trim(p.ETag, `"`) != strings.Trim(etagOf(part), `"`):
			return fails(http.StatusBadRequest, "InvalidPart")
		case i > 0 && p.PartNumber <= list.Part[i-1].PartNumber:
			return fails(http.StatusBadRequest, "InvalidPartOrder")
		case i < len(list.Part)-1 && int64(len(part)) < s.minPart():
			return fails(http.StatusBadRequest, "EntityTooSmall")
		}
		sum := md5.Sum(part) // #nosec G401 -- as above
		data, sums = append(data, part...), append(sums, sum[:]...)
	}
	if want := c.Header.Get("X-Amz-Checksum-Crc64nvme"); want != "" && want != sum64(data) {
		return fails(http.StatusBadRequest, "BadDigest")
	}
	o := s.object(data, u.meta)
	all := md5.Sum(sums) // #nosec G401 -- as above
	o.etag = fmt.Sprintf(`"%s-%d"`, hex.EncodeToString(all[:]), len(list.Part))
	b.put(c.key, o)
	u.done, u.etag, u.parts = true, o.etag, nil
	return completed(u)
}

func (s *Server) minPart() int64 {
	if s.MinPart > 0 {
		return s.MinPart
	}
	return minPart
}

func completed(u *upload) *answer {
	return xmlAnswer(struct {
		XMLName           xml.Name `xml:"CompleteMultipartUploadResult"`
		Bucket, Key, ETag string
	}{Bucket: u.bucket, Key: u.key, ETag: u.etag})
}

// list answers ListParts.
func (u *upload) list() *answer {
	type part struct {
		PartNumber int
		ETag       string
		Size       int64
	}
	r := struct {
		XMLName               xml.Name `xml:"ListPartsResult"`
		Bucket, Key, UploadId string
		Part                  []part
	}{Bucket: u.bucket, Key: u.key, UploadId: u.id}
	for _, n := range slices.Sorted(maps.Keys(u.parts)) {
		r.Part = append(r.Part, part{n, etagOf(u.parts[n]), int64(len(u.parts[n]))})
	}
	return xmlAnswer(r)
}

// listUploads answers ListMultipartUploads, by pages of max-uploads.
func (s *Server) listUploads(c *call) *answer {
	type pending struct{ Key, UploadId, Initiated string }
	r := struct {
		XMLName                           xml.Name `xml:"ListMultipartUploadsResult"`
		Bucket, Prefix                    string
		IsTruncated                       bool
		NextKeyMarker, NextUploadIdMarker string `xml:",omitempty"`
		Upload                            []pending
	}{Bucket: c.bucket, Prefix: c.query("prefix")}
	most := maxKeys
	if n, err := strconv.Atoi(c.query("max-uploads")); err == nil {
		most = min(n, most)
	}
	all := []*upload{}
	for _, u := range s.uploads {
		if !u.done && u.bucket == c.bucket && strings.HasPrefix(u.key, r.Prefix) {
			all = append(all, u)
		}
	}
	slices.SortFunc(all, func(a, b *upload) int { return bytes.Compare([]byte(a.key+"\x00"+a.id), []byte(b.key+"\x00"+b.id)) })
	marker := c.query("key-marker") + "\x00" + c.query("upload-id-marker")
	for _, u := range all {
		if c.has("key-marker") && u.key+"\x00"+u.id <= marker {
			continue
		}
		if len(r.Upload) == most {
			r.IsTruncated = true
			break
		}
		r.NextKeyMarker, r.NextUploadIdMarker = u.key, u.id
		r.Upload = append(r.Upload, pending{u.key, u.id, stamp(u.begun)})
	}
	return xmlAnswer(r)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sum32c(data []byte) string {
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.Checksum(data, castagnoli)))
}
