package ocf

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"
)

const hello = "hello hello hello hello\n"

// goldens are hello as other implementations compress it: zlib, libbz2, liblzma,
// libzstd and Rust's snap.
var goldens = []struct{ name, codec, hex string }{
	{"null", "null", "68656c6c6f2068656c6c6f2068656c6c6f2068656c6c6f0a"},
	{"deflate", "deflate", "cb48cdc9c957c84027b900"},
	{"snappy", "snappy", "181468656c6c6f20420600000a" + "0b598800"},
	{"bzip2", "bzip2", "425a68393141592653596f4f10f3000005d100001040000244a00030c002a834710dad870f1772453850906f4f10f3"},
	{"zstandard", "zstandard", "28b52ffd04586d00003868656c6c6f200a0100994b11a87c2ea8"},
	{"xz without check", "xz", "fd377a585a000000ff12d9410200210116000000742fe5a3e00017000c5d00341949ee8de9560ac121b0000000012018df096ea606729e7a010000000000595a"},
	{"xz crc32", "xz", "fd377a585a0000016922de360200210116000000742fe5a3e00017000c5d00341949ee8de9560ac121b000000088590b00012418dbcc02c29042990d010000000001595a"},
	{"xz crc64", "xz", "fd377a585a000004e6d6b4460200210116000000742fe5a3e00017000c5d00341949ee8de9560ac121b000006c14ed1b3b68bb9100012818d783b76e1fb6f37d010000000004595a"},
	{"xz sha256", "xz", "fd377a585a00000ae1fb0ca10200210116000000742fe5a3e00017000c5d00341949ee8de9560ac121b0000066dafcbddf1265a536c7cd4dc458b50de3c109cedc0896cdb77041616c98a00300014018786293c3189b4b9a01000000000a595a"},
	{"xz of two streams", "xz", "fd377a585a000004e6d6b4460200210116000000742fe5a301000968656c6c6f2068656c6c000000a62069e1c4494ef50001220a151ae1671fb6f37d010000000004595a" +
		"00000000fd377a585a000004e6d6b4460200210116000000742fe5a3e0000d000c5d00378809069422ee842a99c00000d8221eeda48ac50f0001280e8636639a1fb6f37d010000000004595a"},
}

func golden(t testing.TB, hexText string) []byte {
	t.Helper()
	b, err := hex.DecodeString(hexText)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCodecs(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			b := appendBlock(appendHeader(nil, g.codec), 1, golden(t, g.hex))
			all, err := readFile(appendBlock(b, 1, golden(t, g.hex)), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if len(all) != 2 || all[0].raw != hello || all[1].raw != hello {
				t.Errorf("got %v", all)
			}
		})
	}
	bz := func(name string) []byte { return testdata(t, "testdata/"+name) }
	for _, name := range []string{"lines-20000.bz2", "lines-20000-two-streams.bz2"} {
		t.Run(name, func(t *testing.T) {
			for _, lim := range []Limits{{}, {ReadBytes: 1000, WindowBytes: 1000}} {
				all, err := readFile(appendBlock(appendHeader(nil, "bzip2"), 20000, bz(name)), lim)
				if err != nil || len(all) != 1 || all[0].raw != string(lines(20000)) {
					t.Errorf("%+v: %d blocks, %v", lim, len(all), err)
				}
			}
		})
	}
}

// Bytes after the compressed data, within the block, are damage; but not after
// deflate's, where fastavro leaves a part of zlib's checksum.
func TestTrailingBytes(t *testing.T) {
	for _, g := range goldens {
		if g.codec == "null" {
			continue
		}
		t.Run(g.name, func(t *testing.T) {
			for _, more := range []string{"x", "four", "xyzzy, a lot more of it"} {
				all, err := readFile(appendBlock(appendHeader(nil, g.codec), 1, append(golden(t, g.hex), more...)), Limits{})
				if g.codec != "deflate" {
					checkError(t, err, ErrCorrupt)
				} else if err != nil || all[0].raw != hello {
					t.Errorf("got %v, %v", all, err)
				}
			}
		})
	}
}

// Every codec's bomb ends at the limit, whether or not the block fits the buffer.
func TestBombs(t *testing.T) {
	const size = 2 << 20
	for _, codec := range []string{"deflate", "snappy", "bzip2", "xz", "zstandard"} {
		t.Run(codec, func(t *testing.T) {
			var data []byte
			if codec == "bzip2" {
				data = testdata(t, "testdata/zeros-2MiB.bz2")
			} else {
				data = compress(t, codec, make([]byte, size))
			}
			file := appendBlock(appendHeader(nil, codec), 1, data)
			for _, read := range []int{minRead, len(data) + 1024} {
				mem := &account{limit: 1 << 30}
				err := bomb(t, file, Limits{BlockBytes: size - 1, WindowBytes: 1 << 16, ReadBytes: read}, mem)
				checkError(t, err, ErrLimit)
				if mem.most > 2*int64(len(data)) || mem.now != 0 {
					t.Errorf("took %d bytes, %d still", mem.most, mem.now)
				}
			}
			if err := bomb(t, file, Limits{BlockBytes: size, WindowBytes: 1 << 16}, &account{limit: 1 << 30}); err != nil {
				t.Errorf("a block as large as the limit: %v", err)
			}
		})
	}
}

func bomb(t *testing.T, file []byte, lim Limits, mem Memory) error {
	t.Helper()
	r := open(t, file, lim, mem, 0, int64(len(file)))
	if _, err := r.Next(); err != nil {
		return err
	}
	for last := false; !last; {
		var err error
		if _, last, err = r.Window(0); err != nil {
			return err
		}
	}
	r.Close()
	return nil
}

// Sizes that the data only declare are not allocated.
func TestDeclaredSizes(t *testing.T) {
	tests := []struct {
		name, codec string
		data        []byte
		kind        error
	}{
		{"snappy of 4 GiB", "snappy", golden(t, "ffffffff0f"+"00000000"), ErrCorrupt},
		{"snappy, more than its bytes can make", "snappy", append(golden(t, "ffffff3f"), make([]byte, 100)...), ErrCorrupt},
		{"snappy, size cut", "snappy", golden(t, "ffffff"+"00000000"), ErrCorrupt},
		{"snappy, no room for a checksum", "snappy", golden(t, "000000"), ErrCorrupt},
		// A frame of one segment that declares 1 GiB of content.
		{"zstandard, window", "zstandard", golden(t, "28b52ffda0"+"00000040"+"010000"), ErrLimit},
		// The window of 3.75 TiB.
		{"zstandard, huge window", "zstandard", golden(t, "28b52ffd00"+"ff"+"010000"), ErrLimit},
		// hello, its dictionary declared as 4 GiB: it needs no more than hello.
		{"xz, dictionary", "xz", xzWithDictionary(t, 40), nil},
		{"xz, dictionary past the format", "xz", xzWithDictionary(t, 41), ErrCorrupt},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := appendBlock(appendHeader(nil, tt.codec), 1, tt.data)
			err := bomb(t, file, Limits{}, &account{limit: 0})
			if tt.kind == nil && err == nil {
				return
			}
			checkError(t, err, tt.kind)
		})
	}
}

// xzWithDictionary is hello without check, its dictionary size replaced.
func xzWithDictionary(t testing.TB, code byte) []byte {
	for _, g := range goldens {
		if g.name == "xz without check" {
			b := golden(t, g.hex)
			b[16] = code
			head := b[12:24]
			copy(head[8:], leCRC(head[:8]))
			return b
		}
	}
	t.Fatal("no golden")
	return nil
}

func TestUnknownCodec(t *testing.T) {
	h := &Header{Codec: "lzo", Size: 1}
	err := NewReader(Limits{}, nil).Open(strings.NewReader("x"), "t.avro", 1, h, 0, 1)
	if !errors.Is(err, ErrCodec) {
		t.Errorf("got %v", err)
	}
}
