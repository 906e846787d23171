package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"avro2trevni/trevni"
)

// file is an open Trevni file.
type file struct {
	*trevni.Reader
	name string
	size int64
	src  *counted
}

// counted counts the bytes that are read.
type counted struct {
	*os.File
	bytes    atomic.Int64
	progress *progress
}

// ReadAt implements io.ReaderAt.
func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.File.ReadAt(p, at)
	c.bytes.Add(int64(n))
	c.progress.add(n)
	return n, err
}

// open opens a file, which the caller closes.
func (c *command) open(name string) (*file, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	opened, err := c.read(f, name)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return opened, nil
}

func (c *command) read(f *os.File, name string) (*file, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a file: columns are read from all over it", name)
	}
	c.progress.opened(name)
	src := &counted{File: f, progress: c.progress}
	r, err := trevni.NewReader(src, info.Size(), &trevni.ReaderOptions{Path: name, ZeroChecksums: c.zeros})
	if err != nil {
		return nil, err
	}
	return &file{Reader: r, name: name, size: info.Size(), src: src}, nil
}

// Close closes the file.
func (f *file) Close() error { return f.src.Close() }

// each opens the files one behind the other, and calls do with each.
func (c *command) each(names []string, do func(*file) error) error {
	for _, name := range names {
		f, err := c.open(name)
		if err != nil {
			return err
		}
		if err := errors.Join(do(f), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// starts returns the offset of each column's descriptors, as the header has them,
// and the bytes of the header itself. The header must have been read by a
// trevni.Reader, which checked it; this walks over it once more.
func (f *file) starts() (header int64, starts []int64, err error) {
	src := &position{r: bufio.NewReader(io.NewSectionReader(f.src, 0, f.size))}
	columns := len(f.Header().Columns)
	src.skip(4 + 8 + 4) // magic, rows, columns
	for range 1 + columns {
		for n := src.long(); n > 0 && src.err == nil; n-- {
			src.skip(src.long()) // key
			src.skip(src.long()) // value
		}
	}
	starts = make([]int64, columns)
	for i := range starts {
		starts[i] = src.fixed64()
	}
	if src.err != nil {
		return 0, nil, fmt.Errorf("%s: header: %w", f.name, src.err)
	}
	return src.at, starts, nil
}

// position reads front to back, and keeps its first error and where it is.
type position struct {
	r   *bufio.Reader
	at  int64
	err error
}

func (p *position) skip(n int64) {
	if p.err != nil {
		return
	}
	var skipped int64
	skipped, p.err = io.CopyN(io.Discard, p.r, n)
	p.at += skipped
}

func (p *position) long() int64 {
	if p.err != nil {
		return 0
	}
	var v int64
	v, p.err = binary.ReadVarint(p)
	return v
}

// ReadByte implements io.ByteReader.
func (p *position) ReadByte() (byte, error) {
	p.at++
	return p.r.ReadByte()
}

func (p *position) fixed64() int64 {
	var b [8]byte
	if p.err == nil {
		_, p.err = io.ReadFull(p.r, b[:])
		p.at += 8
	}
	return int64(binary.LittleEndian.Uint64(b[:]))
}

// tableSize returns the bytes of a column's count and descriptors.
func tableSize(blocks []trevni.Block) int64 {
	n := int64(4)
	for i := range blocks {
		n += 12 + int64(len(blocks[i].First))
	}
	return n
}

// stored returns the bytes of a block in the file, with its checksum.
func stored(b *trevni.Block, sum trevni.Checksum) int64 { return int64(b.Size) + int64(sum.Size()) }

// columnSize returns the bytes of a column, descriptors included.
func columnSize(blocks []trevni.Block, sum trevni.Checksum) int64 {
	n := tableSize(blocks)
	for i := range blocks {
		n += stored(&blocks[i], sum)
	}
	return n
}

// sameColumns returns what differs first between two files' columns, or nil.
func sameColumns(a, b *file) error {
	x, y := a.Header().Columns, b.Header().Columns
	differ := func(what string) error {
		return fmt.Errorf("%s and %s are not one table: %s", a.name, b.name, what)
	}
	for i := range min(len(x), len(y)) {
		if x[i].Name != y[i].Name || kind(&x[i]) != kind(&y[i]) || x[i].Parent != y[i].Parent {
			return differ(fmt.Sprintf("column %d is %q, %s, in one and %q, %s, in the other",
				i, x[i].Name, kind(&x[i]), y[i].Name, kind(&y[i])))
		}
	}
	if len(x) != len(y) {
		return differ(fmt.Sprintf("%d columns in one, %d in the other", len(x), len(y)))
	}
	return nil
}

// kind returns a column's type as the tables show it.
func kind(c *trevni.Column) string {
	if c.Array {
		return c.Type.String() + " array"
	}
	return c.Type.String()
}
