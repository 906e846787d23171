package parquet

import (
	"bytes"
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
	"github.com/parquet-go/parquet-go/hashprobe"
)

// A dictionary numbers the values of a chunk in the order in which they first come.
//
//	table  key -> entry                8 bytes that stand for the value
//	data   | value 0 | value 1 | ...   the body of the dictionary page
//
// A value of up to 8 bytes in columns of fixed width, and of up to 7 otherwise, is its own key:
// byte arrays have their length in the highest byte. The key of a longer one is a hash with
// the highest bit set, and a value is compared with the entry that has its key. Were two values
// of one key to come, the dictionary takes no more: the hash is the same in each process, and
// so is what happens then. The table's own hash is not, so that no input makes it slow.
type dictionary struct {
	width int  // bytes of each value, or 0
	limit int  // most bytes of data
	room  *int // bytes that are left to the dictionaries of all columns
	table *hashprobe.Uint64Table
	keys  []uint64 // of the values being looked up, a batch at a time
	n     int      // entries
	data  []byte
	ends  []uint32 // of each value in data, where width is 0

	// Of byte arrays and long values, for bounds.
	page     uint32   // number of the page whose values are looked up, from 1
	seen     []uint32 // of each entry: the last page that had it
	distinct []uint32 // entries of the page, each once
}

// load is how full the table may be.
const load = 0.5

func newDictionary(width, limit int, room *int) *dictionary {
	batch := 512 // the keys stay in the nearest cache
	if limit < 64<<10 {
		batch = 64 // the table makes room for a batch at once, in each of many columns
	}
	return &dictionary{width: width, limit: limit, room: room, table: hashprobe.NewUint64Table(0, load), keys: make([]uint64, batch)}
}

// reset empties the dictionary.
func (d *dictionary) reset() {
	if d.n > 0 || d.table.Len() > 0 {
		d.table.Reset()
	}
	d.n, d.page = 0, 0
	*d.room += len(d.data)
	d.data, d.ends, d.seen, d.distinct = d.data[:0], d.ends[:0], d.seen[:0], d.distinct[:0]
}

// memory returns the bytes that the dictionary holds.
func (d *dictionary) memory() int {
	return 16*d.table.Cap() + 8*cap(d.keys) + cap(d.data) + 4*(cap(d.ends)+cap(d.seen)+cap(d.distinct))
}

// value returns an entry's value, without length.
func (d *dictionary) value(entry int) []byte {
	if d.width != 0 {
		return d.data[entry*d.width:][:d.width]
	}
	start := uint32(4)
	if entry > 0 {
		start += d.ends[entry-1]
	}
	return d.data[start:d.ends[entry]]
}

// look sets to[i] to the number of the page's value i, for all of them, and adds those that are
// new. It reports false, and adds none, if they cannot be added; then nothing may be looked up
// until reset. offsets is of byte arrays alone, and as split makes it.
func (d *dictionary) look(to []int32, data []byte, offsets []uint32) bool {
	before := d.n
	d.page++
	d.distinct = d.distinct[:0]
	for from := 0; from < len(to); from += len(d.keys) {
		n := min(len(d.keys), len(to)-from)
		ok := true
		if d.width == 0 {
			at := offsets[from : from+n+1]
			d.byteKeys(data, at)
			d.table.Probe(d.keys[:n], to[from:from+n])
			for i, entry := range to[from : from+n] {
				hashed := d.keys[i]>>63 != 0
				if !hashed && int(entry) < d.n && d.seen[entry] == d.page {
					continue // most are so
				}
				ok = ok && d.enter(int(entry), data[at[i]+4:at[i+1]], hashed)
			}
		} else {
			ok = d.lookFixed(to[from:from+n], data[from*d.width:(from+n)*d.width])
		}
		if !ok {
			d.truncate(before)
			return false
		}
	}
	return true
}

// lookFixed is look for a batch of values of fixed width.
func (d *dictionary) lookFixed(to []int32, data []byte) bool {
	d.fixedKeys(data)
	some := d.table.Probe(d.keys[:len(to)], to)
	if some == 0 && d.width <= 8 {
		return true
	}
	for i, entry := range to {
		value := data[i*d.width : (i+1)*d.width]
		switch {
		case d.width > 8:
			if !d.enter(int(entry), value, true) {
				return false
			}
		case int(entry) == d.n && !d.add(value):
			return false
		}
	}
	return true
}

// enter notes that the page has the value as the entry, which it adds if it is new. It reports
// false if there is no room, or the entry, found by a hash, is another value.
func (d *dictionary) enter(entry int, value []byte, hashed bool) bool {
	if entry == d.n {
		if !d.add(value) {
			return false
		}
		d.seen = append(d.seen, 0)
	} else if hashed && !bytes.Equal(d.value(entry), value) {
		return false
	}
	if d.seen[entry] != d.page {
		d.seen[entry] = d.page
		d.distinct = append(d.distinct, uint32(entry))
	}
	return true
}

// add adds an entry. It reports false if there is no room for it.
func (d *dictionary) add(value []byte) bool {
	size := len(value)
	if d.width == 0 {
		size += 4
	}
	if len(d.data)+size > d.limit || size > *d.room {
		return false
	}
	*d.room -= size
	if d.width == 0 {
		d.data = binary.LittleEndian.AppendUint32(d.data, uint32(len(value)))
		d.ends = append(d.ends, uint32(len(d.data)+len(value)))
	}
	d.data = append(d.data, value...)
	d.n++
	return true
}

// truncate forgets the entries from n on, but not in the table.
func (d *dictionary) truncate(n int) {
	d.n = n
	*d.room += len(d.data)
	defer func() { *d.room -= len(d.data) }()
	switch {
	case d.width != 0:
		d.data = d.data[:n*d.width]
	case n == 0:
		d.data, d.ends = d.data[:0], d.ends[:0]
	default:
		d.data, d.ends = d.data[:d.ends[n-1]], d.ends[:n]
	}
}

// fixedKeys sets the keys of values of fixed width.
func (d *dictionary) fixedKeys(data []byte) {
	keys := d.keys[:len(data)/d.width]
	switch {
	case d.width == 4:
		for i := range keys {
			keys[i] = uint64(binary.LittleEndian.Uint32(data[4*i:]))
		}
	case d.width == 8:
		for i := range keys {
			keys[i] = binary.LittleEndian.Uint64(data[8*i:])
		}
	case d.width < 8:
		for i := range keys {
			keys[i] = short(data[i*d.width : (i+1)*d.width])
		}
	default:
		for i := range keys {
			keys[i] = xxhash.Sum64(data[i*d.width:(i+1)*d.width]) | 1<<63
		}
	}
}

// byteKeys sets the keys of the byte arrays at the offsets in data.
func (d *dictionary) byteKeys(data []byte, at []uint32) {
	keys := d.keys[:len(at)-1]
	for i := range keys {
		start, end := at[i]+4, at[i+1]
		n := end - start
		switch {
		case n >= 8:
			keys[i] = xxhash.Sum64(data[start:end]) | 1<<63
		case uint64(start)+8 <= uint64(len(data)):
			keys[i] = binary.LittleEndian.Uint64(data[start:])&(1<<(8*n)-1) | uint64(n)<<56
		default:
			keys[i] = short(data[start:end]) | uint64(n)<<56
		}
	}
}

// short returns up to 8 bytes as a number.
func short(v []byte) uint64 {
	var key [8]byte
	copy(key[:], v)
	return binary.LittleEndian.Uint64(key[:])
}
