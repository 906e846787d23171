// Package storage is the little of a file system that a job needs: ten calls, so
// that another file system, or one that fails on purpose, can take the place of
// the local one.
//
//	jobs: plan ----> Stat ReadDir Resolve Open     inputs: read at any offset, never written
//	jobs: commit --> Lock MkdirAll Create Rename   outputs: written front to back, synced,
//	                 Remove SyncDir                renamed; never opened again for writing
//
// # Contract
//
// Names are paths of the file system, as the user gave them, or URIs; [Join], [Dir]
// and their like take both, where path/filepath would spoil a URI. Errors are those
// of package io/fs: errors.Is with fs.ErrNotExist, fs.ErrExist and fs.ErrPermission
// works, and the message names the path. Every FS may be used by several
// goroutines at once; a [File] too; a [Writer] by one at a time.
//
// Create is told how many bytes are going to be written. On the local file system a file
// of 16 MiB or more is then written past the page cache, where that pays, and takes
// [WriterMemory] meanwhile; HDFS makes it one block.
//
// What was written is safe from a crash of the machine once Sync returned, and a
// name (created, renamed or removed) once SyncDir of its folder returned.
//
// Not offered: appending, writing at an offset, permissions, links.
package storage
