package main

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dustin/go-humanize"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// hostile is an input made to harm, and what is to come of it.
type hostile struct {
	name string
	make func(t *testing.T, f *os.File)
	args []string
	exit int
	says string // on standard error
}

const marker = "sixteen bytes ab"

// header is an Avro file's header; meta is more of it, in pairs.
func header(schema, codec string, meta ...string) []byte {
	meta = append([]string{"avro.schema", schema, "avro.codec", codec}, meta...)
	b := binary.AppendVarint([]byte("Obj\x01"), int64(len(meta)/2))
	for _, s := range meta {
		b = append(binary.AppendVarint(b, int64(len(s))), s...)
	}
	return append(append(b, 0), marker...)
}

// block is a block of data as they are in the file.
func block(rows int64, data []byte) []byte {
	b := binary.AppendVarint(binary.AppendVarint(nil, rows), int64(len(data)))
	return append(append(b, data...), marker...)
}

// whole makes a file of these bytes.
func whole(parts ...[]byte) func(*testing.T, *os.File) {
	return func(t *testing.T, f *os.File) {
		t.Helper()
		if _, err := f.Write(bytes.Join(parts, nil)); err != nil {
			t.Fatal(err)
		}
	}
}

func longs(values ...int64) (b []byte) {
	for _, v := range values {
		b = binary.AppendVarint(b, v)
	}
	return b
}

// bomb makes a file with a block that is small and decompresses to a string of 64 MiB.
func bomb(codec string) func(*testing.T, *os.File) {
	return func(t *testing.T, f *os.File) {
		t.Helper()
		var out bytes.Buffer
		var w io.WriteCloser
		var err error
		const size = 64 << 20
		switch codec {
		case "deflate":
			w, err = flate.NewWriter(&out, 9)
		case "zstandard":
			w, err = zstd.NewWriter(&out)
		case "xz":
			w, err = xz.NewWriter(&out)
		case "bzip2": // of which Go has no encoder
			var packed []byte
			packed, err = base64.StdEncoding.DecodeString("eNpzisqwNHSMVAuOnMUpas5aZ3nE4QCDAxAycCgwBKTN4lw1b/IdVwfvIE/W0LMrQlj2JTVt8lm2ebrWvkOMLm8aGBsYGAQcGBIZgsxMXV3UmkKcCstVgls5+X+UBzwAAFLrHtA=")
			if err == nil {
				var r io.Reader
				r, err = zlib.NewReader(bytes.NewReader(packed))
				if err == nil {
					_, err = out.ReadFrom(r)
				}
			}
		case "snappy":
			raw := append(longs(size), make([]byte, size)...)
			out.Write(binary.BigEndian.AppendUint32(s2.EncodeSnappy(nil, raw), crc32.ChecksumIEEE(raw)))
		}
		if err == nil && w != nil {
			_, err = io.Copy(w, io.MultiReader(bytes.NewReader(longs(size)), io.LimitReader(zeros{}, size)))
			if err == nil {
				err = w.Close()
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		whole(header(`"string"`, codec), block(1, out.Bytes()))(t, f)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// record is a record of n fields of a type.
func record(n int, typ string) string {
	var b strings.Builder
	b.WriteString(`{"type":"record","name":"R","fields":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"f%d","type":%s}`, i, typ)
	}
	return b.String() + "]}"
}

// nest is n records in each other.
func nest(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"type":"record","name":"R%d","fields":[{"name":"f","type":`, i)
	}
	return b.String() + `"int"` + strings.Repeat("}]}", n)
}

// doubling unfolds to 2^n columns, by records used twice.
func doubling(n int) string {
	s := `{"type":"record","name":"R0","fields":[{"name":"x","type":"int"}]}`
	for i := 1; i <= n; i++ {
		s = fmt.Sprintf(`{"type":"record","name":"R%d","fields":[{"name":"a","type":%s},{"name":"b","type":"R%d"}]}`, i, s, i-1)
	}
	return s
}

const (
	items   = `{"type":"array","items":"long"}`
	nothing = `{"type":"array","items":{"type":"record","name":"N","fields":[{"name":"n","type":"null"}]}}`
	empty   = `{"type":"array","items":{"type":"fixed","name":"F","size":0}}`
)

func hostiles() []hostile {
	all := []hostile{
		{"rows of 2^63-1", whole(header(`"int"`, "null"), longs(math.MaxInt64, 2), []byte{2, 4}, []byte(marker)), nil, 4, "claims 9223372036854775807 rows"},
		{"size of 2^63-1", whole(header(`"int"`, "null"), longs(2, math.MaxInt64), []byte{2, 4}, []byte(marker)), nil, 4, "claims a size of 9223372036854775807 bytes"},
		{"size of -2^63", whole(header(`"int"`, "null"), longs(2, math.MinInt64), []byte{2, 4}, []byte(marker)), nil, 4, "claims a size of -9223372036854775808 bytes"},
		{"string of 2^63-1", whole(header(`"string"`, "null"), block(1, longs(math.MaxInt64))), nil, 4, "length 9223372036854775807"},
		{"bytes of 2^31-12", whole(header(`"bytes"`, "null"), block(1, longs(math.MaxInt32-11, 1))), nil, 4, "too few"},
		{"array of 2^63-1", whole(header(items, "null"), block(1, longs(math.MaxInt64, 1, 0))), nil, 4, "array of more than"},
		{"array of -2^63", whole(header(items, "null"), block(1, longs(math.MinInt64, 1, 0))), nil, 4, "array of more than"},
		{"array of negative count", whole(header(items, "null"), block(1, longs(-2, 2, 5, 6, 0))), nil, 0, ""},
		{"array block of negative bytes", whole(header(items, "null"), block(1, longs(-2, -2, 5, 6, 0))), nil, 4, "array block of -2 bytes"},
		{"elements of no bytes", whole(header(nothing, "null"), block(1, longs(math.MaxInt32, 0))), nil, 0, ""},
		{"too many elements of no bytes", whole(header(empty, "null"), block(1, longs(1<<30, 0))), nil, 4, "values of no bytes"},
		{"rows of no bytes", whole(header(`"null"`, "null"), block(math.MaxInt32, nil)), nil, 0, ""},
		{"a million empty blocks", whole(header(`"int"`, "null"), bytes.Repeat(block(0, nil), 1_000_000)), nil, 0, ""},
		{"200,000 blocks of a row", whole(header(`"int"`, "null"), bytes.Repeat(block(1, longs(7)), 200_000)), nil, 0, ""},
		{"100,000 nested records", whole(header(nest(100_000), "null"), block(1, longs(1))), nil, 3, "schema"},
		{"256 nested records", whole(header(nest(250), "null"), block(1, longs(1))), nil, 0, ""},
		{"50,000 columns in 64 MiB", whole(header(record(50_000, `"int"`), "null"), block(1, make([]byte, 50_000))), nil, 3, "needs at least"},
		{"50,000 columns in 1 GiB", whole(header(record(50_000, `"int"`), "null"), block(1, make([]byte, 50_000))), []string{"--memory", "1GiB"}, 0, ""},
		{"200,000 columns", whole(header(record(200_000, `"int"`), "null"), block(1, make([]byte, 200_000))), nil, 3, "too little for the schema"},
		{"2^200 columns", whole(header(doubling(200), "null"), block(1, longs(1))), []string{"--memory", "96MiB"}, 3, "columns"},
		{"duplicate names", whole(header(`{"type":"record","name":"R","fields":[{"name":"a","type":"int"},{"name":"a","type":"int"}]}`, "null")), nil, 3, `"a"`},
		{"a name twice", whole(header(`["null",{"type":"enum","name":"E","symbols":["A"]},{"type":"fixed","name":"E","size":1}]`, "null")), nil, 3, "E"},
		{"a metadata key twice", whole(header(`"int"`, "null", "k", "1", "k", "2"), block(1, longs(1))), nil, 0, ""},
		{"metadata of a gigabyte", func(t *testing.T, f *os.File) {
			head := binary.AppendVarint([]byte("Obj\x01\x04\x02x"), 1<<30)
			whole(head)(t, f)
			if err := f.Truncate(1<<30 + 1000); err != nil { // a hole
				t.Fatal(err)
			}
		}, nil, 4, "header is larger than the limit"},
		{"metadata that claims a gigabyte", whole(binary.AppendVarint([]byte("Obj\x01\x04\x02x"), 1<<30), make([]byte, 1000)), nil, 4, "ends inside its header"},
		{"names with path separators", whole(header(`{"type":"record","name":"../../R","fields":[{"name":"../f","type":"int"}]}`, "null", "../k", "../v"), block(1, longs(1))), nil, 0, ""},
		{"no end", whole(header(`"int"`, "null"), bytes.Repeat([]byte{0xff}, 1000)), nil, 4, "more than 64 bits"},
		{"empty file", whole(), nil, 4, "the file is empty"},
	}
	for _, codec := range []string{"deflate", "snappy", "bzip2", "xz", "zstandard"} {
		all = append(all, hostile{"bomb of " + codec, bomb(codec), []string{"--memory", "512MiB", "--max-block-bytes", "16MiB"}, 4, "limit"})
	}
	return all
}

// Inputs made to harm are errors that name the file, or are converted if they are legal,
// in the memory that was allowed. How much that was, and how long it took, is logged.
func TestHostileInputs(t *testing.T) {
	if raced {
		t.Skip("the race detector takes memory; make test runs this without the race detector too")
	}
	t.Chdir(t.TempDir())
	if err := os.Mkdir("x", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, h := range hostiles() {
		t.Run(h.name, func(t *testing.T) {
			f, err := os.Create("x/hostile.avro")
			if err != nil {
				t.Fatal(err)
			}
			h.make(t, f)
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			memory, args := uint64(64<<20), append([]string{"--memory", "64MiB"}, h.args...)
			if len(h.args) > 1 && h.args[0] == "--memory" {
				if memory, err = humanize.ParseBytes(h.args[1]); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command("convert-measured", append(args, "x/hostile.avro", "x/out")...)
			var text strings.Builder
			cmd.Stderr = &text
			_ = cmd.Run() // its status is what is asked for
			if got := cmd.ProcessState.ExitCode(); got != h.exit {
				t.Fatalf("exit status %d, want %d: %s", got, h.exit, text.String())
			}
			if !strings.Contains(text.String(), h.says) || h.exit != 0 && h.exit != 3 && !strings.Contains(text.String(), "x/hostile.avro") {
				t.Errorf("it says %q", text.String())
			}
			if len(text.String()) > 2000 {
				t.Errorf("a message of %d bytes", len(text.String()))
			}
			used := peak(t)
			t.Logf("%d MiB of %d, %v", used>>20, memory>>20, cmd.ProcessState.UserTime())
			if used > int64(memory) {
				t.Errorf("%d MiB used, %d MiB allowed", used>>20, memory>>20)
			}
			if h.exit == 0 {
				if err := errors.Join(os.Remove("x/out/part-00000.trv"), os.Remove("x/out/_SUCCESS"), os.Remove("x/out")); err != nil {
					t.Error(err)
				}
			}
			onlyInput(t)
		})
	}
}

// measured is convert that leaves in the file "peak" the most memory it had, as the system
// tells it: not that of wait(2), which counts what the process was forked from.
func measured() {
	code := run(os.Args[1:], os.Stdout, os.Stderr)
	data, _ := os.ReadFile("/proc/self/status") // no such file: nothing is known
	if err := os.WriteFile("peak", data, 0o666); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// peak returns what measured left, and removes it; 0, and a word of it, where the system is
// not Linux and does not tell.
func peak(t *testing.T) (bytes int64) {
	t.Helper()
	data, err := os.ReadFile("peak")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if n, err := fmt.Sscanf(line, "VmHWM: %d kB", &bytes); n == 1 && err == nil {
			bytes <<= 10
			break
		}
	}
	if err := os.Remove("peak"); err != nil {
		t.Fatal(err)
	}
	switch {
	case bytes > 0:
	case runtime.GOOS == "linux":
		t.Fatalf("no peak of memory in %q", data)
	default:
		t.Log("the system does not tell what memory a process had: nothing was compared")
	}
	return bytes
}

// onlyInput checks that nothing but the input is there.
func onlyInput(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err == nil && path != "." && path != "x" && path != "x/hostile.avro" {
			t.Errorf("left: %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
