package record_test

import (
	"bytes"
	"context"
	"io"
	"slices"
	"testing"

	layout "avro2trevni/internal/columns"
	format "avro2trevni/internal/format/trevni"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/schema"
	"avro2trevni/internal/tuple"
	"avro2trevni/mapper"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// fataler is a [testing.TB] or a [rapid.T].
type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// oneBlock gives rows as one block of an Avro file.
type oneBlock struct {
	data []byte
	rows int64
	done bool
}

func (b *oneBlock) Next() (ocf.Block, error) {
	if b.done {
		return ocf.Block{}, io.EOF
	}
	b.done = true
	return ocf.Block{Rows: b.rows}, nil
}

func (b *oneBlock) Window(int) ([]byte, bool, error) { return b.data, true, nil }

// columns collects a mapper's blocks.
type columns struct {
	blocks [][]trevni.Block
	data   [][][]byte
}

func (c *columns) Buffer(n int) ([]byte, error) { return make([]byte, 0, n), nil }

func (c *columns) Add(t tuple.Tuple) error {
	c.blocks[t.Column] = append(c.blocks[t.Column], trevni.Block{Rows: uint32(t.Rows), RawSize: uint32(t.Raw), Size: uint32(t.Size)})
	c.data[t.Column] = append(c.data[t.Column], t.Value)
	return nil
}

// shred makes a Trevni file of rows, with blocks of about size bytes.
func shred(t fataler, text string, rows []byte, n int64, size int, codec string) []byte {
	t.Helper()
	s, err := schema.ParseText(text)
	if err != nil {
		t.Fatal(err)
	}
	to, err := layout.LayOut(s.All())
	if err != nil {
		t.Fatal(err)
	}
	p, err := mapper.Compile(s.Schema, to)
	if err != nil {
		t.Fatal(err)
	}
	own := format.Columns(to)
	c := &columns{blocks: make([][]trevni.Block, len(own)), data: make([][][]byte, len(own))}
	codings := slices.Repeat([]block.Coding{{Codec: block.Codec{Name: codec}}}, len(own))
	m := mapper.New(p, mapper.Options{BlockSize: size}, format.NewEncoder(own, codings, false), c)
	m.Begin(0)
	if _, err := m.Segment(context.Background(), &oneBlock{data: rows, rows: n}); err != nil {
		t.Fatal(err)
	}
	if _, err := m.End(); err != nil {
		t.Fatal(err)
	}
	h := &trevni.Header{Rows: uint64(n), Columns: own}
	h.Meta = h.Meta.Set("avro.schema", []byte(text))
	h.SetCodec(codec)
	return c.file(t, h)
}

// file writes the blocks as a file.
func (c *columns) file(t fataler, h *trevni.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := trevni.NewBlockWriter(&out, h, c.blocks)
	if err != nil {
		t.Fatal(err)
	}
	for _, blocks := range c.data {
		for _, b := range blocks {
			if err := w.WriteBlock(b); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

var _ fataler = testing.TB(nil)

// openRapid opens a Trevni file in memory.
func openRapid(t fataler, data []byte) *trevni.Reader {
	t.Helper()
	f, err := trevni.NewReader(bytes.NewReader(data), int64(len(data)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
