package trevni

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"avro2trevni/trevni/block"
)

// small is a file of 20 rows with all shapes of column, in three blocks each.
func small(t testing.TB, codec, sum string) []byte {
	tb := typed(Int, 20)
	for i, c := range typed(Boolean, 20).columns[:3] {
		c.Name = fmt.Sprint("b", i)
		tb.columns = append(tb.columns, c)
	}
	return tb.file(t, Metadata{{keyCodec, []byte(codec)}, {keyChecksum, []byte(sum)}, {"k", []byte("v")}}, 8)
}

// raw builds a file's header from its parts, whatever they are.
type rawHeader struct {
	magic   string
	rows    uint64
	columns uint32
	meta    []byte
	column  []byte // metadata of all columns
	starts  []uint64
	rest    []byte // after the header
}

func (h rawHeader) bytes() []byte {
	le := binary.LittleEndian
	b := append([]byte(nil), h.magic...)
	b = le.AppendUint64(b, h.rows)
	b = le.AppendUint32(b, h.columns)
	b = append(append(b, h.meta...), h.column...)
	for _, s := range h.starts {
		b = le.AppendUint64(b, s)
	}
	return append(b, h.rest...)
}

// props is the wire form of metadata given as key, value, key, value, ...
func props(kv ...string) []byte {
	var m Metadata
	for i := 0; i < len(kv); i += 2 {
		m = append(m, Property{kv[i], []byte(kv[i+1])})
	}
	return m.append(nil)
}

// one is the header of a file of one long column, which starts at start.
func one(rows, start uint64, rest ...byte) rawHeader {
	return rawHeader{magic: magic, rows: rows, columns: 1, meta: props(),
		column: props(keyName, "a", keyType, "long"), starts: []uint64{start}, rest: rest}
}

// oneStart is where the column of one starts at the earliest.
var oneStart = uint64(len(one(0, 0).bytes()))

// words is 32-bit numbers as they stand in a file.
func words(ns ...uint32) []byte {
	var b []byte
	for _, n := range ns {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}

// with returns the file of a changed copy of h.
func with(h rawHeader, change func(*rawHeader)) []byte {
	h.starts, h.rest = slices.Clone(h.starts), slices.Clone(h.rest)
	change(&h)
	return h.bytes()
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func TestReaderRefuses(t *testing.T) {
	ok := one(2, oneStart, join(words(1, 2, 2, 2), []byte{2, 4})...)
	if _, err := readTable(open(t, ok.bytes(), nil), 100); err != nil {
		t.Fatal(err)
	}
	column := func(kv ...string) []byte {
		return with(ok, func(h *rawHeader) { h.column = props(kv...); h.starts[0] += uint64(len(h.column)) - 36 })
	}
	two := func(second ...string) []byte {
		return with(ok, func(h *rawHeader) {
			h.columns, h.column = 2, join(h.column, props(second...))
			h.starts = []uint64{oneStart + 100, oneStart + 110}
			h.rest = make([]byte, 200)
		})
	}
	// overlap has a second column by bytes after the first's start, or before it.
	overlap := func(by int64) []byte {
		return with(ok, func(h *rawHeader) {
			second := props(keyName, "b", keyType, "long")
			at := oneStart + uint64(len(second)) + startSize
			h.columns, h.column, h.starts = 2, join(h.column, second), []uint64{at + uint64(max(0, -by)), at + uint64(max(0, by))}
			h.rest = append(h.rest, make([]byte, 40)...)
		})
	}
	for _, c := range []struct {
		name string
		file []byte
		kind error
		want string // in the error's text
	}{
		{"nothing", nil, ErrCorrupt, `magic is ""`},
		{"three bytes", []byte("Trv"), ErrCorrupt, `magic is "Trv"`},
		{"an Avro file", []byte("Obj\x01 and so on"), ErrCorrupt, `magic is "Obj\x01", want "Trv\x02"`},
		{"version 1", []byte("Trv\x01 and so on"), ErrUnsupported, "version 1 of the format"},
		{"magic alone", []byte(magic), ErrCorrupt, "ends inside the header"},
		{"rows past 63 bits", with(ok, func(h *rawHeader) { h.rows = 1 << 63 }), ErrCorrupt, "9223372036854775808 rows"},
		{"4 G columns", with(ok, func(h *rawHeader) { h.columns = math.MaxUint32 }), ErrCorrupt, "4294967295 columns"},
		{"negative count of properties", with(ok, func(h *rawHeader) { h.meta = block.AppendLong(nil, -1) }), ErrCorrupt, "-1 metadata properties"},
		{"huge count of properties", with(ok, func(h *rawHeader) { h.meta = block.AppendLong(nil, math.MaxInt64) }), ErrCorrupt, "metadata properties in the"},
		{"negative length of a key", with(ok, func(h *rawHeader) { h.meta = join(block.AppendLong(nil, 1), block.AppendLong(nil, -7)) }), ErrCorrupt, "negative length -7"},
		{"huge length of a key", with(ok, func(h *rawHeader) { h.meta = join(block.AppendLong(nil, 1), block.AppendLong(nil, math.MaxInt64)) }), ErrCorrupt, "ends inside the header"},
		{"number of 11 bytes", with(ok, func(h *rawHeader) { h.meta = bytes.Repeat([]byte{0xff}, 11) }), ErrCorrupt, "more than 64 bits"},
		{"unknown codec", with(ok, func(h *rawHeader) { h.meta = props(keyCodec, "lzo"); h.starts[0] += 50; h.rest = make([]byte, 90) }), ErrUnsupported, `codec "lzo"`},
		{"unknown checksum", with(ok, func(h *rawHeader) { h.meta = props(keyChecksum, "md5"); h.starts[0] += 50; h.rest = make([]byte, 90) }), ErrUnsupported, `checksum "md5"`},
		{"unknown codec of a column", column(keyName, "a", keyType, "long", keyCodec, "lzo"), ErrUnsupported, `column "a": codec "lzo"`},
		{"no name", column(keyType, "long"), ErrCorrupt, `without metadata key "trevni.name"`},
		{"no type", column(keyName, "a"), ErrCorrupt, `without metadata key "trevni.type"`},
		{"unknown type", column(keyName, "a", keyType, "lang"), ErrCorrupt, `unknown type "lang"`},
		{"name twice", column(keyName, "a", keyType, "long", keyName, "b"), ErrCorrupt, `"trevni.name" stands twice`},
		{"parent of itself", column(keyName, "a", keyType, "long", keyParent, "a", keyArray, ""), ErrCorrupt, `parent "a" is not among the columns before it`},
		{"first values in an array", column(keyName, "a", keyType, "long", keyArray, "", keyValues, ""), ErrCorrupt, "first values are not permitted"},
		{"two of a name", two(keyName, "a", keyType, "int"), ErrCorrupt, `column "a" stands twice`},
		{"parent not an array", two(keyName, "b", keyType, "int", keyParent, "a"), ErrCorrupt, `parent "a" is not an array`},
		{"starts in the header", with(ok, func(h *rawHeader) { h.starts[0]-- }), ErrCorrupt, "column 0 starts at"},
		{"starts at the end", with(ok, func(h *rawHeader) { h.starts[0] = oneStart + 15 }), ErrCorrupt, "column 0 starts at"},
		{"starts nowhere", with(ok, func(h *rawHeader) { h.starts[0] = math.MaxUint64 }), ErrCorrupt, "column 0 starts at"},
		{"4 G blocks", with(ok, func(h *rawHeader) { h.rest = words(math.MaxUint32) }), ErrCorrupt, "4294967295 blocks in the 0 bytes left"},
		{"one block too many", with(ok, func(h *rawHeader) { h.rest[0] = 2 }), ErrCorrupt, "2 blocks in the 14 bytes left"},
		{"block past the end", with(ok, func(h *rawHeader) { h.rest = h.rest[:len(h.rest)-1] }), ErrCorrupt, "its column at"},
		{"block into the next column", overlap(4 + 12 + 1), ErrCorrupt, "its column at"},
		{"starts fall", overlap(-18), ErrCorrupt, "column 1 starts at"},
		{"block of 4 GiB", with(ok, func(h *rawHeader) { h.rest = words(1, 2, 2, math.MaxUint32) }), ErrCorrupt, "are more than 2147483647"},
		{"raw of 4 GiB", with(ok, func(h *rawHeader) { h.rest = words(1, 2, math.MaxUint32, 2) }), ErrCorrupt, "are more than 2147483647"},
		{"4 G rows in a block", with(ok, func(h *rawHeader) { h.rest = words(1, math.MaxUint32, 2, 2) }), ErrCorrupt, "rows are more than"},
		{"rows missing", with(ok, func(h *rawHeader) { h.rows = 3 }), ErrCorrupt, "2 rows in the column's blocks, 3 in the file"},
		{"fewer bytes than rows", with(ok, func(h *rawHeader) { h.rows = 3; h.rest[4] = 3 }), ErrCorrupt, "2 bytes cannot be 3 rows of long"},
		{"a value too few", with(ok, func(h *rawHeader) { h.rest[17] = 0x84 }), ErrCorrupt, "number is cut short"},
		{"a value too many", with(ok, func(h *rawHeader) { h.rows = 1; h.rest[4] = 1 }), ErrCorrupt, "1 bytes after the last value"},
		{"raw size differs", with(ok, func(h *rawHeader) { h.rest[8] = 3 }), ErrCorrupt, "block of 2 bytes, its descriptor says 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := NewReader(bytes.NewReader(c.file), int64(len(c.file)), &ReaderOptions{Path: "f.trv"})
			if err == nil {
				_, err = readTable(r, 100)
			}
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v,\nwant one of kind %q with %q", err, c.kind, c.want)
			}
			var e *Error
			if !errors.As(err, &e) || e.Path != "f.trv" || e.Offset < 0 || e.Offset > int64(len(c.file)) {
				t.Errorf("%#v does not say where", err)
			}
		})
	}
}

// TestErrorPlace checks what an error says about where it was met.
func TestErrorPlace(t *testing.T) {
	file := small(t, "snappy", "crc32")
	r := open(t, file, &ReaderOptions{Path: "part-00003.trv"})
	_, err := r.Blocks(2)
	must(t, err)
	at := r.columns[2].index.at[1]
	file[at+5] ^= 1
	_, err = r.ReadBlock(2, 1, nil)
	var e *Error
	if !errors.As(err, &e) || e.Column != "array[]" || e.Block != 1 || e.Offset != at || !errors.Is(err, ErrCorrupt) {
		t.Errorf("error is %#v", err)
	}
	if want := `trevni: part-00003.trv: column "array[]" block 1 at `; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error is %q, want it to start with %q", err, want)
	}
}

func TestLimits(t *testing.T) {
	file := small(t, "deflate", "crc32")
	for _, c := range []struct {
		name string
		opt  ReaderOptions
		want error
	}{
		{"defaults", ReaderOptions{}, nil},
		{"header", ReaderOptions{MaxHeader: 100}, ErrLimit},
		{"properties", ReaderOptions{MaxProperties: 20}, ErrLimit},
		{"blocks", ReaderOptions{MaxBlocks: 2}, ErrLimit},
		{"blocks just enough", ReaderOptions{MaxBlocks: 3}, nil},
		{"raw", ReaderOptions{MaxBlockRaw: 1}, ErrLimit},
	} {
		r, err := NewReader(bytes.NewReader(file), int64(len(file)), &c.opt)
		if err == nil {
			_, err = readTable(r, 1<<20)
		}
		if !errors.Is(err, c.want) || errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: error is %v, want %v", c.name, err, c.want)
		}
	}
	for _, opt := range []ReaderOptions{{MaxHeader: -1}, {MaxProperties: -1}, {MaxBlocks: -1}, {MaxBlockRaw: block.MaxRaw + 1}} {
		if _, err := NewReader(bytes.NewReader(file), int64(len(file)), &opt); err == nil || !strings.Contains(err.Error(), "ReaderOptions.Max") {
			t.Errorf("%+v: error is %v", opt, err)
		}
	}
}

// TestAllocationsAreBounded declares what isn't there, and measures.
func TestAllocationsAreBounded(t *testing.T) {
	snappyHuge := binary.AppendUvarint(nil, block.MaxRaw)
	for name, file := range map[string][]byte{
		"columns":          with(one(0, 0), func(h *rawHeader) { h.columns = math.MaxUint32 }),
		"properties":       with(one(0, 0), func(h *rawHeader) { h.meta = block.AppendLong(nil, 1<<40) }),
		"a key":            with(one(0, 0), func(h *rawHeader) { h.meta = join(block.AppendLong(nil, 1), block.AppendLong(nil, 1<<40)) }),
		"blocks":           one(0, oneStart, words(math.MaxUint32)...).bytes(),
		"a null block":     one(1, oneStart, words(1, 1, block.MaxRaw, block.MaxRaw)...).bytes(),
		"a snappy block":   packed("snappy", snappyHuge, block.MaxRaw),
		"a deflate block":  packed("deflate", []byte{3, 0}, block.MaxRaw),
		"a bzip2 block":    packed("bzip2", []byte("BZh9"), block.MaxRaw),
		"a string":         packed("null", block.AppendLong(nil, block.MaxRaw), 5),
		"a run of lengths": packed("null", block.AppendLong(nil, math.MinInt32), 5),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := NewReader(bytes.NewReader(file), int64(len(file)), &ReaderOptions{MaxBlockRaw: block.MaxRaw})
		if err == nil {
			_, err = readTable(r, 1000)
		}
		runtime.ReadMemStats(&after)
		most := uint64(512 << 10)
		if strings.Contains(name, "bzip2") {
			most = 4 << 20 // its decoder's table, whatever the block
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > most || err == nil {
			t.Errorf("%s: %d bytes allocated for a file of %d, error %v", name, got, len(file), err)
		}
	}
}

// packed is a file of one row in one array column of strings, in a block given as it
// is compressed.
func packed(codec string, data []byte, raw uint32) []byte {
	h := rawHeader{magic: magic, rows: 1, columns: 1, meta: props(keyCodec, codec),
		column: props(keyName, "a", keyType, "string", keyArray, ""), starts: []uint64{0},
		rest: join(words(1, 1, raw, uint32(len(data))), data)}
	h.starts[0] = uint64(len(h.bytes()) - len(h.rest))
	return h.bytes()
}

// failing is an io.ReaderAt whose reads fail from the k-th on.
type failing struct {
	io.ReaderAt
	left int
	err  error
}

func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	if f.left--; f.left < 0 {
		return 0, f.err
	}
	return f.ReaderAt.ReadAt(p, off)
}

// TestReadFaults fails the k-th read, for every k: that is not corruption, unless the
// file ended too soon.
func TestReadFaults(t *testing.T) {
	file := small(t, "snappy", "crc32")
	disk := errors.New("disk on fire")
	for k := 0; ; k++ {
		var err error
		for _, cause := range []error{disk, io.EOF} {
			var r *Reader
			r, err = NewReader(&failing{bytes.NewReader(file), k, cause}, int64(len(file)), nil)
			if err == nil {
				_, err = readTable(r, 1<<20)
			}
			if err != nil && (errors.Is(err, disk) != (cause == disk) || errors.Is(err, ErrCorrupt) != (cause == io.EOF)) {
				t.Errorf("read %d fails with %v: error is %v", k, cause, err)
			}
		}
		if err == nil {
			if k < 10 {
				t.Errorf("only %d reads", k)
			}
			return
		}
	}
}

// A reader that gives less than it was asked for, and says nothing, against its contract,
// is an error and not zeros.
func TestShortReadsAreErrors(t *testing.T) {
	for _, n := range []int{4, 100, 5000} {
		r := &shortReader{bytes.NewReader(bytes.Repeat([]byte("Trv\x02"), 4000))}
		c := &cursor{src: r, end: 16000}
		if n <= cursorRoom {
			c.fetch(n)
		} else {
			c.full(make([]byte, n))
		}
		if !errors.Is(c.err, io.ErrUnexpectedEOF) || !strings.Contains(c.err.Error(), "short read") {
			t.Errorf("%d bytes: %v", n, c.err)
		}
	}
}

type shortReader struct{ *bytes.Reader }

func (r *shortReader) ReadAt(p []byte, off int64) (int, error) {
	return r.Reader.ReadAt(p[:len(p)/2], off)
}
