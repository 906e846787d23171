// Package s3 is a bucket of S3, or of a service that speaks like it, as a [storage.FS].
//
//	s3://bucket/key     s3a://bucket/key is the same
//
//	storage.FS call --> retry (back-off, two minutes) --> SDK: credentials, signature --> endpoint
//	File.ReadAt  --> one GET a range, If-Match: resumed at the byte where it broke
//	List         --> ListObjectsV2, 1,000 objects a request
//	Staged.Write --> parts, several on their way, each with its checksum
//	Publish      --> CompleteMultipartUpload with a condition, then HEAD: is it ours?
//
// # Contract beyond that of package storage
//
// An [FS] is one bucket. It has no Rename and no Lock: it is [storage.Objects]. A folder is
// there if an object is below it, so MkdirAll and SyncDir do nothing.
//
// A name is the bucket and the key, unchanged: nothing in it is decoded. A key that is no
// clean path (a//b, a/../b) has no name; [FS.List] returns it as it is, and the caller
// refuses it.
//
// The version of a file is its ETag. Each range of a file that is read has the condition
// that the object still has it: [storage.ErrChanged] if not. Times are in whole seconds,
// because headers have no more.
//
// A request that fails in a way that passes is made again for two minutes: 500, 502, 503,
// 504, 429, 409 of a conflict, connections that break, and those on which nothing moves. Then
// the error is [storage.ErrUnavailable]. A lost answer is no failure: what a request has done
// is read back.
//
// When the context of [New] is done, reading and sending end. Requests that publish,
// withdraw or remove are made once: enough to take temporary objects away.
//
// # Configuration
//
// Credentials, region and endpoint are those of the AWS SDK's chain: variables, profiles,
// web identity, containers, instances. A bucket of another region is found by the answer
// that names it. Where an endpoint is given, buckets are in the path of the URL, not in the
// host's name, unless [Options] say otherwise.
//
// # Checksums
//
// A part is sent with its CRC-64/NVME, or its CRC-32C if the service does not know that, and
// completed with that of the whole object.
//
// # Not supported
//
// Versions of an object but the last, customer keys (SSE-C), access without a signature,
// S3 Express buckets.
package s3
