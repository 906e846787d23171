package parquet

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
)

// The seeds of the hashes are new in each process, so that no input can be made to collide.
// Entries are numbered as they come: the seeds are in no output.
var (
	seedBytes = maphash.MakeSeed()
	seedXor   = rand.Uint64()
	seedTimes = rand.Uint64() | 1
)

// batch is how many values are looked up at a time: their keys stay in the nearest cache.
const batch = 512

// A dictionary numbers the values of a chunk in the order in which they first come. It is a
// hash table with open addressing:
//
//	slots  | 0 | 3 | 0 | 1 | 2 | ...   1 + the entry's number, or 0: at least half are
//	keys   | entry 0 | entry 1 | ...   8 bytes that stand for the value
//	data   | value 0 | value 1 | ...   the body of the dictionary page
//
// A value of up to 8 bytes in columns of fixed width, and of up to 7 otherwise, is its own key:
// byte arrays have their length in the highest byte. The key of a longer one is a hash, with
// the highest bit set, and equal keys are looked into.
type dictionary struct {
	width int // bytes of each value, or 0
	limit int // most bytes of data
	slots []uint32
	shift uint // 64 less the bits of a slot's number
	keys  []uint64
	data  []byte
	ends  []uint32 // of each value in data, where width is 0

	page     uint32   // number of the page whose values are looked up, from 1
	seen     []uint32 // of each entry: the last page that had it
	distinct []uint32 // entries of the page, each once
}

func newDictionary(width, limit int) *dictionary {
	d := &dictionary{width: width, limit: limit}
	d.resize(6)
	return d
}

// reset empties the dictionary, and keeps its slots unless the last chunk needed few of them.
func (d *dictionary) reset() {
	sparse := len(d.slots) > 1024 && len(d.keys)*16 < len(d.slots)
	d.keys, d.data, d.ends, d.seen, d.distinct = d.keys[:0], d.data[:0], d.ends[:0], d.seen[:0], d.distinct[:0]
	d.page = 0
	if sparse {
		d.resize(10)
	} else {
		clear(d.slots)
	}
}

// resize makes 1<<bits slots, and enters what there is.
func (d *dictionary) resize(bits uint) {
	d.slots, d.shift = make([]uint32, 1<<bits), 64-bits
	for i, key := range d.keys {
		s := hash(key) >> d.shift
		for d.slots[s] != 0 {
			s = (s + 1) & uint64(len(d.slots)-1)
		}
		d.slots[s] = uint32(i) + 1
	}
}

func hash(key uint64) uint64 {
	hi, lo := bits.Mul64(key^seedXor, seedTimes)
	return hi ^ lo
}

// memory returns the bytes that the dictionary holds.
func (d *dictionary) memory() int {
	return 4*cap(d.slots) + 8*cap(d.keys) + cap(d.data) + 4*(cap(d.ends)+cap(d.seen)+cap(d.distinct))
}

// len returns the number of entries.
func (d *dictionary) len() int { return len(d.keys) }

// value returns an entry's value, without length.
func (d *dictionary) value(entry uint32) []byte {
	if d.width != 0 {
		return d.data[int(entry)*d.width:][:d.width]
	}
	start := uint32(4)
	if entry > 0 {
		start += d.ends[entry-1]
	}
	return d.data[start:d.ends[entry]]
}

// look sets to[i] to the number of the page's value i, for all of them, and adds those that are
// new. It reports false, and adds none, if they do not fit. offsets is of byte arrays alone,
// and as split makes it.
func (d *dictionary) look(to []int32, data []byte, offsets []uint32) bool {
	before := d.len()
	d.page++
	d.distinct = d.distinct[:0]
	var keys [batch]uint64
	for from := 0; from < len(to); from += batch {
		n := min(batch, len(to)-from)
		ok := false
		switch {
		case d.width == 0:
			at := offsets[from : from+n+1]
			byteKeys(&keys, data, at)
			ok = d.lookLong(to[from:from+n], &keys, data, at)
		case d.width <= 8:
			fixedKeys(&keys, data[from*d.width:(from+n)*d.width], d.width)
			ok = d.lookShort(to[from:from+n], &keys)
		default:
			at := data[from*d.width : (from+n)*d.width]
			for i := range n {
				keys[i] = maphash.Bytes(seedBytes, at[i*d.width:(i+1)*d.width]) | 1<<63
			}
			ok = d.lookLong(to[from:from+n], &keys, at, nil)
		}
		if !ok {
			d.truncate(before)
			return false
		}
	}
	return true
}

// truncate forgets the entries from n on. No more values may be looked up.
func (d *dictionary) truncate(n int) {
	d.keys = d.keys[:n]
	switch {
	case d.width != 0:
		d.data = d.data[:n*d.width]
	case n == 0:
		d.data, d.ends = d.data[:0], d.ends[:0]
	default:
		d.data, d.ends = d.data[:d.ends[n-1]], d.ends[:n]
	}
}

// fixedKeys sets the keys of values of up to 8 bytes.
func fixedKeys(keys *[batch]uint64, data []byte, width int) {
	switch width {
	case 4:
		for i := 0; len(data) >= 4; i++ {
			keys[i] = uint64(binary.LittleEndian.Uint32(data))
			data = data[4:]
		}
	case 8:
		for i := 0; len(data) >= 8; i++ {
			keys[i] = binary.LittleEndian.Uint64(data)
			data = data[8:]
		}
	default:
		for i := 0; len(data) >= width; i++ {
			var key [8]byte
			copy(key[:], data[:width])
			keys[i] = binary.LittleEndian.Uint64(key[:])
			data = data[width:]
		}
	}
}

// byteKeys sets the keys of the byte arrays at the offsets in data.
func byteKeys(keys *[batch]uint64, data []byte, at []uint32) {
	for i := range len(at) - 1 {
		start, end := at[i]+4, at[i+1]
		n := end - start
		switch {
		case n >= 8:
			keys[i&(batch-1)] = maphash.Bytes(seedBytes, data[start:end]) | 1<<63
		case uint64(start)+8 <= uint64(len(data)):
			keys[i&(batch-1)] = binary.LittleEndian.Uint64(data[start:])&(1<<(8*n)-1) | uint64(n)<<56
		default:
			var key [8]byte
			copy(key[:], data[start:end])
			keys[i&(batch-1)] = binary.LittleEndian.Uint64(key[:]) | uint64(n)<<56
		}
	}
}

// lookShort is look for values that are their keys.
func (d *dictionary) lookShort(to []int32, keys *[batch]uint64) bool {
	slots, entries := d.slots, d.keys
	for i := range to {
		key := keys[i&(batch-1)]
		s := hash(key) >> d.shift
		for {
			entry := slots[s&uint64(len(slots)-1)]
			if entry == 0 {
				var value [8]byte
				binary.LittleEndian.PutUint64(value[:], key)
				if !d.add(s, key, value[:d.width]) {
					return false
				}
				slots, entries = d.slots, d.keys
				to[i] = int32(len(entries) - 1)
				break
			}
			if entries[entry-1] == key {
				to[i] = int32(entry - 1)
				break
			}
			s = (s + 1) & uint64(len(slots)-1)
		}
	}
	return true
}

// lookLong is look for values whose keys may be hashes, at the offsets in data or, if there are
// none, one after the other. It notes which entries the page has.
func (d *dictionary) lookLong(to []int32, keys *[batch]uint64, data []byte, at []uint32) bool {
	for i := range to {
		start, end := i*d.width, (i+1)*d.width
		if at != nil {
			start, end = int(at[i]+4), int(at[i+1])
		}
		key := keys[i&(batch-1)]
		s := hash(key) >> d.shift
		for {
			entry := d.slots[s]
			if entry == 0 {
				if !d.add(s, key, data[start:end]) {
					return false
				}
				entry = uint32(d.len())
			}
			if entry--; d.keys[entry] == key && (key>>63 == 0 || bytes.Equal(d.value(entry), data[start:end])) {
				to[i] = int32(entry)
				if d.seen[entry] != d.page {
					d.seen[entry] = d.page
					d.distinct = append(d.distinct, entry)
				}
				break
			}
			s = (s + 1) & uint64(len(d.slots)-1)
		}
	}
	return true
}

// add makes a new entry in the free slot s. It reports false if there is no room for it.
func (d *dictionary) add(s uint64, key uint64, value []byte) bool {
	size := len(value)
	if d.width == 0 {
		size += 4
	}
	if len(d.data)+size > d.limit {
		return false
	}
	if d.width == 0 {
		d.data = binary.LittleEndian.AppendUint32(d.data, uint32(len(value)))
		d.ends = append(d.ends, uint32(len(d.data)+len(value)))
	}
	d.data = append(d.data, value...)
	d.keys = append(d.keys, key)
	d.slots[s] = uint32(len(d.keys))
	if d.width == 0 || d.width > 8 {
		d.seen = append(d.seen, 0)
	}
	if 2*len(d.keys) > len(d.slots) {
		d.resize(64 - d.shift + 1)
	}
	return true
}
