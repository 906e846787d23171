package ocf

import (
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/golang/snappy"
)

// snappyRatio is more than a snappy block can grow by: its longest copy makes 64
// bytes of 3.
const snappyRatio = 22

// snappySum is the bytes of the checksum after the data: the CRC-32 of what they
// decompress to, big-endian.
const snappySum = 4

// snappyWindows is how many windows a block may take up, compressed and not, to be
// decoded at once. A larger one is streamed, at a third of the speed.
const snappyWindows = 8

// atOnce decodes a block that is small enough.
func (d *snappyDecoder) atOnce() (bool, error) {
	w := d.w
	size := w.r.block.Size
	if size < snappySum {
		return false, corruptf("snappy: %d bytes are too few", size)
	}
	n, err := w.snappyLen()
	if err != nil || size+int64(n) > snappyWindows*int64(w.r.lim.WindowBytes) {
		return false, err
	}
	in, out, err := w.snappyRoom(int(size), n)
	if err != nil {
		return false, err
	}
	if w.r.body != nil {
		in = w.r.body
	} else if err := readFull(w.r.in.src, in, w.r.data); err != nil {
		return false, err
	}
	if w.data, err = snappy.Decode(out, in[:size-snappySum]); err != nil {
		return false, errSnappy
	}
	if err := checkSnappy(crc32.ChecksumIEEE(w.data), in[size-snappySum:]); err != io.EOF {
		return false, err
	}
	return true, nil
}

// snappyLen returns the decompressed size that the data declare, if it can be.
func (w *window) snappyLen() (int, error) {
	size := w.r.block.Size - snappySum
	head := w.r.body
	if head == nil {
		var err error
		if head, err = w.r.in.peek(w.r.data, int(min(size, maxBlockHeader))); err != nil {
			return 0, err
		}
	}
	n, k := binary.Uvarint(head)
	switch {
	case k <= 0 || n > maxWindow || n/snappyRatio > uint64(size):
		return 0, corruptf("snappy: the declared size is not one of %d bytes compressed", size)
	case int64(n) > w.r.lim.BlockBytes:
		return 0, limitf("the block declares to decompress to %d bytes, the limit is %d", n, w.r.lim.BlockBytes)
	}
	return int(n), nil
}

// snappyRoom returns buffers for the compressed data, if they are not in the reader's, and
// for n bytes decompressed. Memory beyond the base that an earlier block took is used again
// if it is large enough. Otherwise it is released before more is requested: a reader that
// waits for memory should hold none.
func (w *window) snappyRoom(size, n int) (in, out []byte, err error) {
	if w.r.body != nil {
		size = 0
	}
	if n <= w.r.lim.WindowBytes && size == 0 {
		if n > len(w.base) {
			w.base = make([]byte, min(max(n, 2*len(w.base)), w.r.lim.WindowBytes))
		}
		return nil, w.base, nil
	}
	if need := size + n; need > len(w.big) {
		w.drop()
		if w.big, err = w.room.make(need); err != nil {
			return nil, nil, err
		}
		w.took = need
	}
	return w.big[:size], w.big[size:], nil
}
