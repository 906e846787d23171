package trevni

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// BlockWriter writes a file front to back from compressed blocks: all sizes are known
// before the first byte. It holds no blocks, only the header and the descriptors it was
// given, which must not change until Close. After an error it stays failed, and returns
// that error again. It is for one goroutine.
//
// Each header, table of descriptors and block is one Write: use a bufio.Writer if there are
// many small columns or blocks.
type BlockWriter struct {
	w      io.Writer
	h      *Header
	blocks [][]Block
	plan   *plan
	column int // where the next block belongs
	block  int
	at     int64 // bytes written
	buf    []byte
	err    error
}

// NewBlockWriter checks the header and the descriptors, one list for each column, and
// writes the header to w. The sum of Rows in each column must be the header's.
func NewBlockWriter(w io.Writer, h *Header, blocks [][]Block) (*BlockWriter, error) {
	l, err := layout(h, blocks)
	if err != nil {
		return nil, err
	}
	tw := &BlockWriter{w: w, h: h, blocks: blocks, plan: l}
	head := l.header
	for _, start := range l.starts {
		head = binary.LittleEndian.AppendUint64(head, uint64(start))
	}
	l.header = nil
	if err := tw.write(head); err != nil {
		return nil, err
	}
	tw.column = -1
	return tw, tw.nextColumn()
}

// WriteBlock writes the next block, in order of columns and of blocks within them: the
// compressed bytes and the checksum after them, as [block.Encoder.Append] makes it. Its
// length must match its descriptor. data is not kept.
func (w *BlockWriter) WriteBlock(data []byte) error {
	if w.err != nil {
		return w.err
	}
	if w.column == len(w.blocks) {
		return w.fail(errors.New("trevni: more blocks than descriptors"))
	}
	b, sum := &w.blocks[w.column][w.block], w.plan.columns[w.column].coding.Checksum
	if want := int64(b.Size) + int64(sum.Size()); int64(len(data)) != want {
		return w.fail(fmt.Errorf("trevni: column %q block %d: %d bytes given, its descriptor and checksum make %d",
			w.h.Columns[w.column].Name, w.block, len(data), want))
	}
	if err := w.write(data); err != nil {
		return err
	}
	if w.block++; w.block < len(w.blocks[w.column]) {
		return nil
	}
	return w.nextColumn()
}

// Size returns the bytes of the whole file.
func (w *BlockWriter) Size() int64 { return w.plan.size }

// Close returns an error if blocks are missing. It does not close the underlying writer.
func (w *BlockWriter) Close() error {
	if w.err != nil {
		return w.err
	}
	if w.column < len(w.blocks) {
		return w.fail(fmt.Errorf("trevni: column %q block %d: never written", w.h.Columns[w.column].Name, w.block))
	}
	w.err = errors.New("trevni: writer is closed")
	return nil
}

// nextColumn goes to the next column that has blocks, writing the counts and
// descriptors on the way.
func (w *BlockWriter) nextColumn() error {
	for w.block = 0; ; {
		if w.column++; w.column == len(w.blocks) {
			return nil
		}
		if err := w.write(w.descriptors(w.blocks[w.column])); err != nil {
			return err
		}
		if len(w.blocks[w.column]) > 0 {
			return nil
		}
	}
}

// descriptors returns a column's count and descriptors.
func (w *BlockWriter) descriptors(blocks []Block) []byte {
	le := binary.LittleEndian
	buf := le.AppendUint32(w.buf[:0], uint32(len(blocks)))
	for i := range blocks {
		buf = le.AppendUint32(buf, blocks[i].Rows)
		buf = le.AppendUint32(buf, blocks[i].RawSize)
		buf = le.AppendUint32(buf, blocks[i].Size)
		buf = append(buf, blocks[i].FirstValue...)
	}
	w.buf = buf
	return buf
}

func (w *BlockWriter) write(p []byte) error {
	n, err := w.w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return w.fail(fmt.Errorf("trevni: write at %d: %w", w.at+int64(n), err))
	}
	w.at += int64(n)
	return nil
}

func (w *BlockWriter) fail(err error) error {
	w.err = err
	return err
}
