package avrotest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Pressure is an input that is hard on its reader's memory: large blocks, long values,
// many columns, many files. Its bytes follow from its sizes.
type Pressure struct {
	Name, What string
	Write      func(path string) error // makes the file, or the folder, which must not exist
}

// Sizes are those of [Pressures].
type Sizes struct {
	Blocks   []int // raw bytes of a block, each in its own file for each codec
	Total    int   // raw bytes of such a file, at least; and three blocks
	String   int   // bytes of a string
	Columns  int
	Files    int // in a folder
	Elements int // of an array
}

// Pressures returns the inputs of some sizes.
func Pressures(s Sizes) []Pressure {
	var all []Pressure
	for _, size := range s.Blocks {
		for _, codec := range []string{"snappy", "deflate", "null", "zstandard"} {
			all = append(all, blocks(codec, size, max(3*size, s.Total)))
		}
	}
	file := func(name, what string, write func(w io.Writer) error) Pressure {
		return Pressure{name, what, func(path string) error { return toFile(path, write) }}
	}
	for _, rows := range []int{1, 10} {
		for _, codec := range []string{"snappy", "null"} {
			all = append(all, file(fmt.Sprintf("strings-%s-%d", codec, rows), fmt.Sprintf("%s of %s, each in a block, %s", plural(rows, "string"), plural(s.String, "byte"), codec),
				func(w io.Writer) error { return longStrings(w, codec, rows, s.String) }))
		}
	}
	return append(all,
		file("columns", fmt.Sprintf("a table of %s", plural(s.Columns, "column")), func(w io.Writer) error { return wide(w, s.Columns) }),
		file("arrays", fmt.Sprintf("arrays of %s in a row", plural(s.Elements, "element")), func(w io.Writer) error { return arrays(w, s.Elements) }),
		Pressure{"files", fmt.Sprintf("a folder of %s", plural(s.Files, "file")), func(path string) error { return files(path, s.Files) }},
	)
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// blocks is a flat table in blocks of a size.
func blocks(codec string, size, total int) Pressure {
	name := fmt.Sprintf("blocks-%s-%dKiB", codec, size>>10)
	return Pressure{name, fmt.Sprintf("blocks of %d KiB, %s", size>>10, codec), func(path string) error {
		return toFile(path, func(w io.Writer) error { return flat(w, codec, size, total) })
	}}
}

// toFile makes a file.
func toFile(path string, write func(w io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// container writes Avro data files whose blocks are what they are told to be.
type container struct {
	w        io.Writer
	compress func(raw []byte) ([]byte, error)
	marker   [16]byte
}

// newContainer writes a header.
func newContainer(w io.Writer, schema, codec string) (*container, error) {
	c := &container{w: w, marker: [16]byte([]byte("sixteen bytes ab"))}
	var err error
	if c.compress, err = compressor(codec); err != nil {
		return nil, err
	}
	b := binary.AppendVarint([]byte("Obj\x01"), 2)
	for _, s := range []string{"avro.schema", schema, "avro.codec", codec} {
		b = appendText(b, s)
	}
	_, err = w.Write(append(append(b, 0), c.marker[:]...))
	return c, err
}

// compressor returns what compresses blocks.
func compressor(codec string) (func(raw []byte) ([]byte, error), error) {
	switch codec {
	case "null":
		return func(raw []byte) ([]byte, error) { return raw, nil }, nil
	case "snappy":
		return func(raw []byte) ([]byte, error) {
			return binary.BigEndian.AppendUint32(s2.EncodeSnappy(nil, raw), crc32.ChecksumIEEE(raw)), nil
		}, nil
	case "deflate":
		return func(raw []byte) ([]byte, error) {
			var out strings.Builder
			w, err := flate.NewWriter(&out, 1)
			if err == nil {
				_, err = w.Write(raw)
				err = errors.Join(err, w.Close())
			}
			return []byte(out.String()), err
		}, nil
	case "zstandard":
		w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		return func(raw []byte) ([]byte, error) { return w.EncodeAll(raw, nil), nil }, err
	}
	return nil, fmt.Errorf("avrotest: codec %q cannot be written", codec)
}

// block writes a block.
func (c *container) block(rows int, raw []byte) error {
	data, err := c.compress(raw)
	if err != nil {
		return err
	}
	b := binary.AppendVarint(binary.AppendVarint(nil, int64(rows)), int64(len(data)))
	for _, part := range [][]byte{b, data, c.marker[:]} {
		if _, err := c.w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

const flatSchema = `{"type":"record","name":"Flat","fields":[{"name":"id","type":"long"},{"name":"price","type":"double"},{"name":"text","type":"string"},{"name":"code","type":["null","int"]}]}`

// flat writes rows of a number, a double, a text and an option, total bytes of them.
func flat(w io.Writer, codec string, size, total int) error {
	c, err := newContainer(w, flatSchema, codec)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(1, 2))
	raw := make([]byte, 0, size+200)
	for id := int64(0); total > 0; {
		raw = raw[:0]
		first := id
		for ; len(raw) < size; id++ {
			raw = binary.AppendVarint(raw, id)
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(float64(r.IntN(100_000))/100))
			raw = appendText(raw, words(r, 3+r.IntN(6)))
			raw = append(raw, 2, byte(2*r.IntN(60)))
		}
		if err := c.block(int(id-first), raw); err != nil {
			return err
		}
		total -= len(raw)
	}
	return nil
}

// vocabulary is of about the redundancy that text has.
var vocabulary = strings.Fields("furiously regular deposits sleep above the carefully ironic packages bold requests nag slyly even accounts wake quickly final ideas")

func words(r *rand.Rand, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(vocabulary[r.IntN(len(vocabulary))])
	}
	return b.String()
}

// longStrings writes rows of a number and one string, each in a block of its own.
// The strings hardly compress.
func longStrings(w io.Writer, codec string, rows, size int) error {
	c, err := newContainer(w, `{"type":"record","name":"Long","fields":[{"name":"id","type":"long"},{"name":"text","type":"string"}]}`, codec)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(3, 4))
	raw := make([]byte, 0, size+20)
	for id := range rows {
		raw = binary.AppendVarint(binary.AppendVarint(raw[:0], int64(id)), int64(size))
		for end := len(raw) + size; len(raw) < end; {
			v := r.Uint64()
			for i := 0; i < 10 && len(raw) < end; i++ {
				raw = append(raw, ' '+byte(v&63))
				v >>= 6
			}
		}
		if err := c.block(1, raw); err != nil {
			return err
		}
	}
	return nil
}

// wide writes about 24 MiB of rows of many columns of four types.
func wide(w io.Writer, columns int) error {
	types := []string{`"long"`, `"double"`, `"string"`, `["null","int"]`}
	var schema strings.Builder
	schema.WriteString(`{"type":"record","name":"Wide","fields":[`)
	for i := range columns {
		if i > 0 {
			schema.WriteByte(',')
		}
		fmt.Fprintf(&schema, `{"name":"f%d","type":%s}`, i, types[i%len(types)])
	}
	c, err := newContainer(w, schema.String()+"]}", "snappy")
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(5, 6))
	var raw []byte
	for total := 24 << 20; total > 0; total -= len(raw) {
		raw = raw[:0]
		for i := range columns {
			switch i % len(types) {
			case 0:
				raw = binary.AppendVarint(raw, int64(r.IntN(1_000_000)))
			case 1:
				raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(r.Float64()))
			case 2:
				raw = appendText(raw, vocabulary[r.IntN(len(vocabulary))])
			default:
				raw = append(raw, 2, byte(2*r.IntN(60)))
			}
		}
		if err := c.block(1, raw); err != nil {
			return err
		}
	}
	return nil
}

// arrays writes rows of an array of numbers, one of records, and one of arrays.
func arrays(w io.Writer, elements int) error {
	c, err := newContainer(w, `{"type":"record","name":"Arrays","fields":[{"name":"numbers","type":{"type":"array","items":"long"}},
		{"name":"records","type":{"type":"array","items":{"type":"record","name":"Pair","fields":[{"name":"k","type":"string"},{"name":"v","type":"double"}]}}},
		{"name":"lists","type":{"type":"array","items":{"type":"array","items":"int"}}}]}`, "snappy")
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(7, 8))
	var raw []byte
	array := func(n int, item func()) {
		raw = binary.AppendVarint(raw, int64(n))
		for range n {
			item()
		}
		raw = append(raw, 0)
	}
	for range 4 {
		raw = raw[:0]
		array(elements, func() { raw = binary.AppendVarint(raw, int64(r.IntN(1_000_000))) })
		array(elements, func() {
			raw = appendText(raw, vocabulary[r.IntN(len(vocabulary))])
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(r.Float64()))
		})
		array(elements, func() { array(1+r.IntN(3), func() { raw = append(raw, byte(2*r.IntN(60))) }) })
		if err := c.block(1, raw); err != nil {
			return err
		}
	}
	return nil
}

// files makes a folder of small files of ten rows, a thousand in a folder of it.
func files(dir string, n int) error {
	for i := range n {
		sub := filepath.Join(dir, fmt.Sprintf("%03d", i/1000))
		if i%1000 == 0 {
			if err := os.MkdirAll(sub, 0o777); err != nil {
				return err
			}
		}
		err := toFile(filepath.Join(sub, fmt.Sprintf("%06d.avro", i)), func(w io.Writer) error {
			c, err := newContainer(w, flatSchema, "null")
			if err != nil {
				return err
			}
			var raw []byte
			for row := range 10 {
				raw = binary.AppendVarint(raw, int64(10*i+row))
				raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(float64(i)))
				raw = append(appendText(raw, vocabulary[(i+row)%len(vocabulary)]), 0)
			}
			return c.block(10, raw)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
