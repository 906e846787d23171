package trevni

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"avro2trevni/trevni/block"
	"avro2trevni/trevni/internal/fault"
)

// Reader reads a file. Opening it reads only the header; a column's descriptors are read
// when they are first needed, and kept. Several goroutines may call its methods if that is
// allowed for the [io.ReaderAt]; each ColumnReader is for one goroutine.
//
// Every error about the file is an [*Error]. Any bytes give data or an error; allocations
// are bounded by the options and proportional to the file.
type Reader struct {
	src       io.ReaderAt
	size      int64
	opt       ReaderOptions
	header    *Header
	head      int64 // bytes of the header
	columns   []column
	unchecked atomic.Int64
}

// column is what a Reader knows of a column beside its metadata.
type column struct {
	start, end int64 // its bytes in the file, and at most that
	resolved

	mu    sync.Mutex // held while index is read
	index *index     // nil until read

	free sync.Pool // of *blockReader
}

// NewReader reads the header of a file of size bytes. opt may be nil. The reader
// does not close src.
func NewReader(src io.ReaderAt, size int64, opt *ReaderOptions) (*Reader, error) {
	o := opt.withDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	if size < 0 {
		return nil, fmt.Errorf("trevni: size %d is negative", size)
	}
	p := newParser(src, size, &o)
	h, starts := p.header()
	if err := p.error(o.Path); err != nil {
		return nil, err
	}
	r := &Reader{src: src, size: size, opt: o, header: h, head: p.at, columns: make([]column, len(starts))}
	for i := range r.columns {
		c := &r.columns[i]
		c.start, c.end, c.resolved = starts[i], size, p.columns[i]
		if i+1 < len(starts) {
			c.end = starts[i+1]
		}
	}
	return r, nil
}

// ColumnNamed returns a reader of the named column, before its first row. A name that no
// column has is [ErrMisuse].
func (r *Reader) ColumnNamed(name string) (*ColumnReader, error) {
	i := r.header.Index(name)
	if i < 0 {
		return nil, fault.Misusef("no column %q", name)
	}
	return r.Column(i)
}

// Header returns the file's header, which must not be changed.
func (r *Reader) Header() *Header { return r.header }

// HeaderSize returns the size of the header in bytes; the columns follow it.
func (r *Reader) HeaderSize() int64 { return r.head }

// ColumnOffset returns the offset in the file of column i, which must be one of the
// header's: of its descriptors.
func (r *Reader) ColumnOffset(i int) int64 { return r.columns[i].start }

// BlockOffsets returns the offset in the file of each block of column i and, after
// them, that of the column's end. They must not be changed.
func (r *Reader) BlockOffsets(i int) ([]int64, error) {
	x, err := r.indexOf(i)
	if err != nil {
		return nil, err
	}
	return x.at, nil
}

// Coding returns the codec and the checksum of column i, which must be one of the
// header's.
func (r *Reader) Coding(i int) block.Coding { return r.columns[i].coding }

// Unchecked returns the number of blocks with a checksum of zeros that were accepted
// because of [ReaderOptions].ZeroChecksums.
func (r *Reader) Unchecked() int64 { return r.unchecked.Load() }

// Blocks returns the descriptors of column i, which must not be changed. Their Rows
// add up to the header's.
func (r *Reader) Blocks(i int) ([]Block, error) {
	x, err := r.indexOf(i)
	if err != nil {
		return nil, err
	}
	return x.blocks, nil
}

// ReadBlock appends block b of column i to dst, decompressed and its checksum
// verified, and returns it.
func (r *Reader) ReadBlock(i, b int, dst []byte) ([]byte, error) {
	x, err := r.indexOf(i)
	if err != nil {
		return dst, err
	}
	if b < 0 || b >= len(x.blocks) {
		return dst, fault.Misusef("column %q has no block %d", r.header.Columns[i].Name, b)
	}
	br, _ := r.columns[i].free.Get().(*blockReader)
	if br == nil {
		if br, err = r.newBlockReader(i); err != nil {
			return dst, err
		}
	}
	defer r.columns[i].free.Put(br)
	return br.read(x, b, dst)
}

// indexOf returns the index of column i, read at the first call that succeeds.
func (r *Reader) indexOf(i int) (*index, error) {
	if i < 0 || i >= len(r.columns) {
		return nil, fault.Misusef("no column %d", i)
	}
	c := &r.columns[i]
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.index == nil {
		x, err := r.readIndex(i)
		if err != nil {
			return nil, err
		}
		c.index = x
	}
	return c.index, nil
}

// blockReader reads blocks of one column, one goroutine at a time.
type blockReader struct {
	r   *Reader
	col int
	dec *block.Decoder
	sum int    // bytes of a block's checksum
	buf []byte // the last block, compressed and with its checksum
}

func (r *Reader) newBlockReader(col int) (*blockReader, error) {
	coding := r.columns[col].coding
	dec, err := block.NewDecoder(coding)
	if err != nil {
		return nil, err
	}
	dec.ZeroChecksums = r.opt.ZeroChecksums
	return &blockReader{r: r, col: col, dec: dec, sum: coding.Checksum.Size()}, nil
}

// read appends block b to dst.
func (br *blockReader) read(x *index, b int, dst []byte) ([]byte, error) {
	size := int(x.blocks[b].Size) + br.sum
	if cap(br.buf) < size {
		br.buf = make([]byte, size)
	}
	buf := br.buf[:size]
	if size > 0 {
		if n, err := br.r.src.ReadAt(buf, x.at[b]); n < size {
			return dst, br.error(x, b, readError(err))
		}
	}
	dst, err := br.dec.Decode(dst, buf, int(x.blocks[b].RawSize))
	if err != nil {
		return dst, br.error(x, b, err)
	}
	br.r.unchecked.Add(br.dec.Unchecked)
	br.dec.Unchecked = 0
	return dst, nil
}

// error says where a block's error was met.
func (br *blockReader) error(x *index, b int, err error) error {
	return &Error{Path: br.r.opt.Path, Column: br.r.header.Columns[br.col].Name, Block: b, Offset: x.at[b], Err: err}
}
