// Package storage is the part of a file system that a job needs: ten calls, so that another
// file system, or one that fails on purpose, can replace the local one.
//
//	jobs: plan ----> Stat ReadDir Resolve Open     inputs: read at any offset, never written
//	jobs: commit --> Lock MkdirAll Create Rename   outputs: written front to back, synced,
//	                 Remove SyncDir                renamed; never opened again for writing
//	jobs: commit --> Stager Swapper Lister         outputs on object storage, which does not
//	                                               rename: see object.go
//
// # Contract
//
// Names are paths of the file system, as the user gave them, or URIs. [Join], [Dir] and
// similar functions accept both; path/filepath would damage a URI. Errors are those of
// package io/fs: errors.Is with fs.ErrNotExist, fs.ErrExist and fs.ErrPermission works, and
// the message names the path. Several goroutines may use an FS or a [File] at the same
// time; a [Writer] is for one at a time.
//
// Create takes the number of bytes that are going to be written. On the local file system a
// file of 16 MiB or more then bypasses the page cache, if that pays, and takes
// [WriterMemory] meanwhile; HDFS makes it one block.
//
// After Sync has returned, data survives a crash of the machine. After SyncDir of its
// folder has returned, so does a name (created, renamed or removed).
//
// Not offered: appending, writing at an offset, permissions, links.
package storage
