package parquet

import (
	"encoding/binary"
	"math/bits"

	"github.com/cespare/xxhash/v2"
	"github.com/parquet-go/parquet-go/bloom"
	"github.com/parquet-go/parquet-go/format"
)

const (
	maxFilter  = 1 << 20 // bytes of a chunk's filter, a power of two
	falseRate  = 0.01    // of values that are not there, how many a filter may seem to have
	blockBytes = 32
)

// A filter is the bloom filter of a chunk: blocks of eight words. A value sets a bit in each
// word of its block (BloomFilter.md of the specification). While a chunk is made, its number of
// different values is unknown. So the filter begins large and is folded at the end: two
// adjacent blocks become one as long as few enough bits are set. The highest bits of a
// value's hash choose its block, so the result is the filter that would have been made with
// that number of blocks from the start.
type filter bloom.SplitBlockFilter

func newFilter() filter { return make(filter, maxFilter/blockBytes) }

// add adds a value, PLAIN without length.
func (f filter) add(value []byte) { bloom.SplitBlockFilter(f).Insert(xxhash.Sum64(value)) }

// addPage adds the values of a page.
func (f filter) addPage(p *plain) {
	if p.offsets != nil {
		for i := range p.n {
			f.add(p.data[p.offsets[i]+4 : p.offsets[i+1]])
		}
		return
	}
	width := p.leaf.width()
	for data := p.data; len(data) > 0; data = data[width:] {
		f.add(data[:width])
	}
}

// rate returns how many of the values that are not in the filter it seems to have, by the bits
// that are set.
func (f filter) rate() float64 {
	sum := 0.0
	for i := range f {
		p := 1.0
		for _, word := range f[i] {
			p *= float64(bits.OnesCount32(uint32(word))) / 32
		}
		sum += p
	}
	return sum / float64(len(f))
}

// fold returns the smallest filter that is right often enough.
func (f filter) fold() filter {
	for len(f) > 1 {
		half := make(filter, len(f)/2)
		for i := range half {
			for w := range half[i] {
				half[i][w] = f[2*i][w] | f[2*i+1][w]
			}
		}
		if half.rate() > falseRate {
			break
		}
		f = half
	}
	return f
}

// encode appends the filter with its header.
func (f filter) encode(dst []byte) ([]byte, Meta, error) {
	m := Meta{Kind: BloomFilter}
	header, err := marshal(&format.BloomFilterHeader{
		NumBytes:    int32(blockBytes * len(f)),
		Algorithm:   format.BloomFilterAlgorithm{Value: &format.SplitBlockAlgorithm{}},
		Hash:        format.BloomFilterHash{Value: &format.XxHash{}},
		Compression: format.BloomFilterCompression{Value: &format.BloomFilterUncompressed{}},
	})
	if err != nil {
		return dst, m, err
	}
	m.Stored = int64(len(header) + blockBytes*len(f))
	m.Raw = m.Stored
	dst = append(dst, header...)
	for i := range f {
		for _, word := range f[i] {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(word))
		}
	}
	return dst, m, nil
}
