// Package s3test is an S3 server in memory, for tests.
//
//	client --HTTP, loopback--> Server.On(n, request)   a fault for the n-th request, or none
//	                                |
//	                                v
//	                           buckets, objects, pending uploads
//	                                |
//	           answer  <------------+   whole, lost, cut, stalled, or another status
//
// # Contract
//
// It has the requests that package s3 makes: ListObjectsV2, ranged GET and HEAD with
// If-Match, PUT and DELETE with conditions, and multipart uploads, completed with
// conditions. Requests are decided one after the other. A server that ignores conditions,
// as some do, is made with [Server.Ignore].
//
// # Not supported
//
// Signatures are not checked. Names are in the path of the URL, never in the host. There are
// no versions of an object, no permissions, no copies.
package s3test
