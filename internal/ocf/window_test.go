package ocf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"pgregory.net/rapid"
)

// Windows of every size, whatever the caller keeps, give the same bytes.
func TestWindows(t *testing.T) {
	raw := lines(2000)
	for _, codec := range written {
		t.Run(codec, func(t *testing.T) {
			file := container(t, codec, piece{2000, raw}, piece{10, lines(10)})
			for _, read := range []int{minRead, 1 << 20} {
				for _, window := range []int{16, 17, 100, 1023, 1024, 1025, len(raw) - 1, len(raw), len(raw) + 1, 0} {
					for _, keep := range []func([]byte) int{keepNone, keepSome(1), keepSome(2), keepSome(9)} {
						checkWindows(t, file, Limits{ReadBytes: read, WindowBytes: window}, keep, raw)
					}
				}
			}
		})
	}
}

// keepSome keeps the last n-th of a window.
func keepSome(n int) func([]byte) int {
	return func(data []byte) int { return len(data) / n }
}

func checkWindows(t *testing.T, file []byte, lim Limits, keep func([]byte) int, raw []byte) {
	t.Helper()
	all, err := readAll(open(t, file, lim, nil, 0, int64(len(file))), keep)
	if err != nil {
		t.Fatalf("%+v: %v", lim, err)
	}
	if len(all) != 2 || all[0].raw != string(raw) || all[1].raw != string(lines(10)) {
		t.Fatalf("%+v: other bytes", lim)
	}
}

// As above, with what is kept drawn anew at each window, and windows asked for after
// the end.
func TestWindowsOfAny(t *testing.T) {
	raw := lines(1000)
	files := make(map[string][]byte)
	for _, codec := range written {
		files[codec] = container(t, codec, piece{1000, raw}, piece{10, lines(10)})
	}
	rapid.Check(t, func(rt *rapid.T) {
		file := files[rapid.SampledFrom(written).Draw(rt, "codec")]
		lim := Limits{
			ReadBytes:   rapid.IntRange(minRead, 9000).Draw(rt, "read"),
			WindowBytes: rapid.IntRange(minWindow, 9000).Draw(rt, "window"),
		}
		keep := func(data []byte) int { return rapid.IntRange(0, len(data)).Draw(rt, "keep") }
		checkWindows(t, file, lim, keep, raw)
		r := open(t, file, lim, nil, 0, int64(len(file)))
		if _, err := r.Next(); err != nil {
			rt.Fatal(err)
		}
		data, last, err := r.Window(0)
		for !last && err == nil {
			data, last, err = r.Window(len(data))
		}
		if err != nil || !bytes.Equal(data, raw) {
			rt.Fatalf("all in one window: %d bytes, %v", len(data), err)
		}
		n := keep(data)
		if data, last, err = r.Window(n); err != nil || !last || !bytes.Equal(data, raw[len(raw)-n:]) {
			rt.Fatalf("after the end: %q, %v, %v", data, last, err)
		}
	})
}

// A block that fits comes in one window, and takes nothing past the base.
func TestOneWindow(t *testing.T) {
	for _, codec := range written {
		raw := lines(40000)
		file := container(t, codec, piece{1, raw})
		r := open(t, file, Limits{}, &account{}, 0, int64(len(file)))
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		data, last, err := r.Window(0)
		if err != nil || !last || !bytes.Equal(data, raw) {
			t.Errorf("%s: %d of %d bytes, %v, %v", codec, len(data), len(raw), last, err)
		}
	}
}

// Memory past the base is asked for before it is taken, refused with its place, and
// returned.
func TestMemory(t *testing.T) {
	raw := []byte(strings.Repeat(string(lines(3000)), 20))
	for _, codec := range written {
		t.Run(codec, func(t *testing.T) {
			file := container(t, codec, piece{1, raw}, piece{1, raw}, piece{1, []byte("small")})
			lim := Limits{ReadBytes: 4096, WindowBytes: 4096}
			mem := &account{limit: 1 << 30}
			if _, err := readAll(open(t, file, lim, mem, 0, int64(len(file))), keepNone); err != nil {
				t.Fatal(err)
			}
			if mem.most != 0 {
				t.Errorf("took %d bytes for small windows", mem.most)
			}
			r := open(t, file, lim, mem, 0, int64(len(file)))
			if _, err := readAll(r, keepAll); err != nil {
				t.Fatal(err)
			}
			if mem.now != 0 || mem.most < int64(len(raw)) || mem.most > (2*rowShare+1)*int64(len(raw)) {
				t.Errorf("took %d bytes for %d, %d still", mem.most, len(raw), mem.now)
			}
			tight := &account{limit: mem.most - 1}
			_, err := readAll(open(t, file, lim, tight, 0, int64(len(file))), keepAll)
			checkError(t, err, errFull)
			if errors.Is(err, ErrCorrupt) || tight.now != 0 {
				t.Errorf("%v, %d bytes still", err, tight.now)
			}
		})
	}
}

// A disk that fails in the middle of a large block is not the block's fault.
func TestStreamFailure(t *testing.T) {
	disk := errors.New("disk on fire")
	for _, codec := range written {
		t.Run(codec, func(t *testing.T) {
			file := container(t, codec, piece{1, noise(100_000)})
			h, err := header(file, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range []int64{h.Size + 1, h.Size + 10_000, h.Size + 80_000, int64(len(file)) - 5} {
				src := readerAt(func(p []byte, off int64) (int, error) {
					if off+int64(len(p)) > at {
						return 0, disk
					}
					return bytes.NewReader(file).ReadAt(p, off)
				})
				r := NewReader(Limits{ReadBytes: minRead}, nil)
				if err := r.Open(src, "t.avro", int64(len(file)), h, 0, int64(len(file))); err != nil {
					t.Fatal(err)
				}
				_, err := readAll(r, keepNone)
				checkError(t, err, disk)
				if errors.Is(err, ErrCorrupt) {
					t.Errorf("fails at %d: %v is called corrupt", at, err)
				}
			}
		})
	}
}

// noise is text that does not compress.
func noise(n int) []byte {
	b := make([]byte, n)
	x := uint32(1)
	for i := range b {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		b[i] = byte(x)
	}
	return b
}

// Blocks that fit the buffers are read without allocating.
func TestAllocations(t *testing.T) {
	if raced {
		t.Skip("the race detector allocates; make test runs this without the race detector too")
	}
	pieces := slices.Repeat([]piece{{1000, lines(1000)}}, 200)
	for _, codec := range []string{"null", "snappy", "deflate", "zstandard"} {
		file := container(t, codec, pieces...)
		h, err := header(file, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		r := NewReader(Limits{ReadBytes: 64 << 10}, nil)
		src := bytes.NewReader(file)
		n := testing.AllocsPerRun(3, func() {
			if err := r.Open(src, "t.avro", int64(len(file)), h, 0, int64(len(file))); err != nil {
				t.Fatal(err)
			}
			for {
				if _, err := r.Next(); err != nil {
					break
				}
				if _, last, err := r.Window(0); err != nil || !last {
					t.Fatal(last, err)
				}
			}
		})
		if n > 20 {
			t.Errorf("%s: %v allocations for 200 blocks", codec, n)
		}
	}
}

func BenchmarkReader(b *testing.B) {
	for _, codec := range written {
		b.Run("codec="+codec, func(b *testing.B) {
			raw := lines(10_000)
			file := container(b, codec, slices.Repeat([]piece{{10_000, raw}}, 100)...)
			b.SetBytes(int64(100 * len(raw)))
			b.ReportAllocs()
			h, err := header(file, Limits{})
			if err != nil {
				b.Fatal(err)
			}
			r := NewReader(Limits{}, nil)
			for b.Loop() {
				if err := r.Open(bytes.NewReader(file), "t.avro", int64(len(file)), h, 0, int64(len(file))); err != nil {
					b.Fatal(err)
				}
				for {
					if _, err := r.Next(); err != nil {
						break
					}
					if _, _, err := r.Window(0); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// A snappy block of some windows is decoded at once, in memory that is taken for it
// and used for the next one too.
func TestSnappyAtOnce(t *testing.T) {
	raw := lines(10_000)
	file := container(t, "snappy", piece{1, raw}, piece{1, raw[1:]}, piece{1, raw[2:]}, piece{1, []byte("small")})
	for _, read := range []int{minRead, 1 << 20} {
		mem := &account{limit: 1 << 30}
		r := open(t, file, Limits{ReadBytes: read, WindowBytes: len(raw) / 4}, mem, 0, int64(len(file)))
		for i := range 3 {
			if _, err := r.Next(); err != nil {
				t.Fatal(err)
			}
			if data, last, err := r.Window(0); err != nil || !last || !bytes.Equal(data, raw[i:]) {
				t.Fatalf("block %d: %d bytes, %v, %v", i, len(data), last, err)
			}
			if mem.now < int64(len(raw)) || mem.now != mem.most || mem.most > 2*int64(len(raw)) {
				t.Errorf("block %d: %d bytes taken, once %d", i, mem.now, mem.most)
			}
		}
		if rest, err := readAll(r, keepNone); err != nil || len(rest) != 1 || mem.now != 0 {
			t.Errorf("the rest: %v, %v, %d bytes still", rest, err, mem.now)
		}
	}
}

// Copies from further back than any encoder looks are decoded all the same.
func TestSnappyFarCopies(t *testing.T) {
	old := noise(300_000)
	raw := append(bytes.Clone(old), old[:64]...)
	raw = append(raw, "and more"...)
	raw = append(raw, old[100:164]...)
	data := binary.AppendUvarint(nil, uint64(len(raw)))
	data = append(append(data, 62<<2, byte(len(old)-1), byte((len(old)-1)>>8), byte((len(old)-1)>>16)), old...)
	far := func(offset int) {
		data = binary.LittleEndian.AppendUint32(append(data, 63<<2|tagCopy4), uint32(offset))
	}
	far(len(old))
	data = append(append(data, 7<<2), "and more"...)
	far(len(old) - 100 + 64 + 8)
	data = binary.BigEndian.AppendUint32(data, crc32.ChecksumIEEE(raw))
	file := appendBlock(appendBlock(appendHeader(nil, "snappy"), 1, data), 1, data)
	for _, read := range []int{minRead, 1 << 20} {
		for _, window := range []int{50, 1000, 1 << 20} {
			mem := &account{limit: 1 << 30}
			r := open(t, file, Limits{ReadBytes: read, WindowBytes: window}, mem, 0, int64(len(file)))
			all, err := readAll(r, keepSome(3))
			if err != nil || len(all) != 2 || all[0].raw != string(raw) || all[1].raw != string(raw) || mem.now != 0 {
				t.Fatalf("read %d, window %d: %d blocks, %v, %d bytes still", read, window, len(all), err, mem.now)
			}
		}
	}
	r := open(t, file, Limits{WindowBytes: 100}, &account{}, 0, int64(len(file)))
	_, err := readAll(r, keepNone)
	checkError(t, err, errFull)
}

// A snappy stream that is not one is found, at once and in windows.
func TestSnappyDamage(t *testing.T) {
	tests := []struct {
		name string
		data string
	}{
		{"copy from before the start", "\x04" + "\x00a" + "\x01\x05"},
		{"copy from nowhere", "\x05" + "\x00a" + "\x01\x00"},
		{"more than declared", "\x03" + "\x00a" + "\x01\x01"},
		{"less than declared", "\x09" + "\x00a" + "\x01\x01"},
		{"literal past the end", "\x05" + "\x10abc"},
		{"literal of 4 GiB", "\x05" + "\xfc\xff\xff\xff\xffabc"},
		{"copy cut", "\x09" + "\x00a" + "\x02\x01"},
	}
	for _, tt := range tests {
		for _, window := range []int{minWindow, 4096} {
			r := open(t, appendBlock(appendHeader(nil, "snappy"), 1, []byte(tt.data+"sum!"+strings.Repeat("\x00", 300))),
				Limits{WindowBytes: window}, nil, 0, 1<<20)
			_, err := readAll(r, keepNone)
			if checkError(t, err, ErrCorrupt); t.Failed() {
				t.Fatalf("%s, window of %d: %v", tt.name, window, err)
			}
		}
	}
}

// Dictionaries and windows past the base's are taken from Memory, and returned.
func TestLargeWindows(t *testing.T) {
	if raced {
		t.Skip("compressing this much takes too long under the race detector; make test runs this without the race detector too")
	}
	raw := bytes.Repeat(noise(1<<20), 9)
	var packed [2]bytes.Buffer
	zw, err := zstd.NewWriter(&packed[0], zstd.WithWindowSize(16<<20), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	xw, err := xz.WriterConfig{DictCap: 16 << 20}.NewWriter(&packed[1])
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range []io.WriteCloser{zw, xw} {
		codec := []string{"zstandard", "xz"}[i]
		if _, err := w.Write(raw); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		file := appendHeader(nil, codec)
		for range 2 {
			file = appendBlock(file, 1, packed[i].Bytes())
		}
		mem := &account{limit: 1 << 30}
		all, err := readAll(open(t, file, Limits{}, mem, 0, int64(len(file))), keepNone)
		if err != nil || len(all) != 2 || all[1].raw != string(raw) {
			t.Errorf("%s: %d blocks, %v", codec, len(all), err)
		}
		if mem.most < 9<<20 || mem.most > 40<<20 || mem.now != 0 {
			t.Errorf("%s: %d bytes taken, %d still", codec, mem.most, mem.now)
		}
		_, err = readAll(open(t, file, Limits{}, &account{}, 0, int64(len(file))), keepNone)
		checkError(t, err, errFull)
	}
}

// A zstd frame that declares a large window and holds little needs little.
func TestZstdIdleWindow(t *testing.T) {
	var packed bytes.Buffer
	w, err := zstd.NewWriter(&packed, zstd.WithWindowSize(128<<20), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	for range 100 { // in pieces, so that the frame does not declare its size
		if _, err := w.Write(lines(50)); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file := appendBlock(appendHeader(nil, "zstandard"), 1, packed.Bytes())
	all, err := readAll(open(t, file, Limits{}, &account{}, 0, int64(len(file))), keepNone)
	if err != nil || all[0].raw != strings.Repeat(string(lines(50)), 100) {
		t.Error(len(all), err)
	}
}
