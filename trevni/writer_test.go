package trevni

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"

	"avro2trevni/trevni/block"
)

// give gives a value of any type.
func give(c *ColumnWriter, v any) error {
	switch v := v.(type) {
	case nil:
		return c.Null()
	case bool:
		return c.Boolean(v)
	case int32:
		return c.Int(v)
	case int64:
		return c.Long(v)
	case uint32:
		return c.Fixed32(v)
	case uint64:
		return c.Fixed64(v)
	case float32:
		return c.Float(v)
	case float64:
		return c.Double(v)
	case string:
		return c.String(v)
	}
	return c.Bytes(v.([]byte))
}

// giveRow gives a row of a column.
func (c *tableColumn) giveRow(b *ColumnWriter, row int) error {
	if err := b.Row(); err != nil {
		return err
	}
	values, lengths := c.values[row], []int{len(c.values[row])}
	if c.Array {
		lengths = c.lengths[row]
	}
	for _, n := range lengths {
		if c.Array {
			if err := b.Length(n); err != nil {
				return err
			}
		}
		for _, v := range values[:n] {
			if err := give(b, v); err != nil {
				return err
			}
		}
		values = values[n:]
	}
	return nil
}

// together gives rows with the columns of all together, in the order of nested records, and
// lengths in two parts.
type together struct {
	tb       *table
	w        *Writer
	children [][]int // of each column
	lengths  [][]int // of each column, that the row still has
	values   [][]any
}

func newTogether(tb *table, w *Writer) *together {
	n := &together{tb: tb, w: w, children: make([][]int, len(tb.columns)), lengths: make([][]int, len(tb.columns)), values: make([][]any, len(tb.columns))}
	for i := range tb.columns {
		for k := range tb.columns[:i] {
			if tb.columns[k].Name == tb.columns[i].Parent && tb.columns[i].Parent != "" {
				n.children[k] = append(n.children[k], i)
			}
		}
	}
	return n
}

func (n *together) row(row int) (err error) {
	for i := range n.tb.columns {
		c := &n.tb.columns[i]
		n.values[i] = c.values[row]
		if c.Array {
			n.lengths[i] = c.lengths[row]
		}
		err = errors.Join(err, n.w.Column(i).Row())
	}
	for i := range n.tb.columns {
		if n.tb.columns[i].Parent == "" {
			err = errors.Join(err, n.unit(i))
		}
	}
	return err
}

// unit gives a value of column i, or a length and all that belongs to it.
func (n *together) unit(i int) error {
	c := n.w.Column(i)
	if !n.tb.columns[i].Array {
		return n.value(i)
	}
	length := n.lengths[i][0]
	n.lengths[i] = n.lengths[i][1:]
	half := (length + 1) / 2
	err := c.Length(half)
	for k := range length {
		if k == half {
			err = errors.Join(err, c.Longer(length-half))
		}
		err = errors.Join(err, n.value(i))
		for _, child := range n.children[i] {
			err = errors.Join(err, n.unit(child))
		}
	}
	return err
}

func (n *together) value(i int) error {
	v := n.values[i][0]
	n.values[i] = n.values[i][1:]
	return give(n.w.Column(i), v)
}

// TestWriterNested: columns that are filled together are as those filled one by one.
func TestWriterNested(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tb := drawTable(rt)
		if len(tb.columns) == 0 {
			return
		}
		opt := &WriterOptions{BlockSize: rapid.IntRange(1, 100).Draw(rt, "block")}
		var want, got bytes.Buffer
		if err := tb.build(&want, nil, opt); err != nil {
			rt.Fatal(err)
		}
		h := &Header{}
		for i := range tb.columns {
			h.Columns = append(h.Columns, tb.columns[i].Column)
		}
		w, err := NewWriter(&got, h, opt)
		if err != nil {
			rt.Fatal(err)
		}
		n := newTogether(tb, w)
		for row := range tb.rows {
			if err := n.row(row); err != nil {
				rt.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			rt.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			rt.Error("other bytes")
		}
	})
}

// build makes a file of the table with a Writer.
func (tb *table) build(w io.Writer, meta Metadata, opt *WriterOptions) error {
	h := &Header{Meta: meta}
	for i := range tb.columns {
		h.Columns = append(h.Columns, tb.columns[i].Column)
	}
	b, err := NewWriter(w, h, opt)
	if err != nil {
		return err
	}
	for row := range tb.rows {
		for i := range tb.columns {
			if err := tb.columns[i].giveRow(b.Column(i), row); err != nil {
				return errors.Join(err, b.Abort())
			}
		}
	}
	return b.Close()
}

func TestWriter(t *testing.T) {
	for typ := range types {
		for _, rows := range []int{0, 1, 8, 9, 200} {
			tb := typed(typ, rows)
			var same []byte
			for _, memory := range []int64{0, 1, 300, 1 << 20} {
				dir := t.TempDir()
				var out bytes.Buffer
				meta := Metadata{{keyCodec, []byte("snappy")}, {keyChecksum, []byte("crc32")}}
				must(t, tb.build(&out, meta, &WriterOptions{BlockSize: 50, Memory: memory, TempDir: dir}))
				if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
					t.Fatalf("%d files left, error %v", len(left), err)
				}
				if same == nil {
					same = out.Bytes()
				}
				if !bytes.Equal(same, out.Bytes()) {
					t.Fatalf("memory %d: other bytes", memory)
				}
			}
			r := open(t, same, nil)
			got, err := readTable(r, 1<<20)
			must(t, err)
			compare(t, got, tb)
			blocks, err := r.Blocks(1)
			must(t, err)
			for b, row := 0, 0; b < len(blocks); b++ {
				if want := tb.columns[1].first(row); !bytes.Equal(blocks[b].FirstValue, want) {
					t.Errorf("%s: first value of block %d is %x, want %x", typ, b, blocks[b].FirstValue, want)
				}
				row += int(blocks[b].Rows)
			}
		}
	}
}

func TestWriterAnyTable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tb := drawTable(rt)
		if len(tb.columns) == 0 {
			return
		}
		var out bytes.Buffer
		if err := tb.build(&out, nil, &WriterOptions{BlockSize: rapid.IntRange(1, 100).Draw(rt, "block")}); err != nil {
			rt.Fatalf("%v", err)
		}
		got, err := readTable(open(t, out.Bytes(), nil), 1<<24)
		if err != nil {
			rt.Fatalf("%v", err)
		}
		compare(rt, got, tb)
	})
}

// TestWriterMisuse: a call out of order ends the writer, and nothing is written.
func TestWriterMisuse(t *testing.T) {
	for name, f := range map[string]func(plain, array, child *ColumnWriter) error{
		"value before its row": func(p, a, c *ColumnWriter) error { return p.Int(1) },
		"another type":         func(p, a, c *ColumnWriter) error { return errors.Join(p.Row(), p.Long(1)) },
		"two values":           func(p, a, c *ColumnWriter) error { return errors.Join(p.Row(), p.Int(1), p.Int(1)) },
		"no value":             func(p, a, c *ColumnWriter) error { return errors.Join(p.Row(), p.Row()) },
		"no length":            func(p, a, c *ColumnWriter) error { return errors.Join(a.Row(), a.Null()) },
		"length of plain":      func(p, a, c *ColumnWriter) error { return errors.Join(p.Row(), p.Length(1)) },
		"negative length":      func(p, a, c *ColumnWriter) error { return errors.Join(a.Row(), a.Length(-1)) },
		"length after it":      func(p, a, c *ColumnWriter) error { return errors.Join(a.Row(), a.Length(0), a.Length(0)) },
		"length before values": func(p, a, c *ColumnWriter) error { return errors.Join(a.Row(), a.Length(2), a.Null(), a.Length(0)) },
		"block within a row":   func(p, a, c *ColumnWriter) error { return errors.Join(p.Row(), p.EndBlock()) },
		"child before parent":  func(p, a, c *ColumnWriter) error { return c.Row() },
		"next row, parts less": func(p, a, c *ColumnWriter) error {
			return errors.Join(a.Row(), a.Length(1), a.Null(), c.Row(), a.Row(), a.Length(0), c.Row())
		},
		"a child's value early": func(p, a, c *ColumnWriter) error { return errors.Join(a.Row(), c.Row(), c.Int(1)) },
		"two rows ahead": func(p, a, c *ColumnWriter) error {
			return errors.Join(a.Row(), a.Length(0), a.Row(), a.Length(0), c.Row())
		},
		"block before it ends": func(p, a, c *ColumnWriter) error { return errors.Join(a.Row(), c.Row(), c.EndBlock()) },
		"nothing to be longer": func(p, a, c *ColumnWriter) error { return errors.Join(a.Row(), a.Longer(1)) },
		"longer than none":     func(p, a, c *ColumnWriter) error { return errors.Join(a.Row(), a.Length(0), a.Longer(1)) },
		"longer without array": func(p, a, c *ColumnWriter) error { return errors.Join(p.Row(), p.Int(1), p.Longer(1)) },
		"too long":             func(p, a, c *ColumnWriter) error { return errors.Join(a.Row(), a.Length(1), a.Longer(math.MaxInt32)) },
		"last row's parts less": func(p, a, c *ColumnWriter) error {
			return errors.Join(p.Row(), p.Int(1), a.Row(), a.Length(1), a.Null(), c.Row(), p.w.Close())
		},
		"a child's value more":  func(p, a, c *ColumnWriter) error { return errors.Join(a.Row(), a.Length(0), c.Row(), c.Int(1)) },
		"rows differ":           func(p, a, c *ColumnWriter) error { return errors.Join(p.Row(), p.Int(1), p.w.Close()) },
		"last row is not whole": func(p, a, c *ColumnWriter) error { return errors.Join(p.Row(), p.w.Close()) },
	} {
		var out bytes.Buffer
		b, err := NewWriter(&out, &Header{Columns: []Column{{Name: "p", Type: Int}, {Name: "a[]", Array: true}, {Name: "c", Type: Int, Parent: "a[]"}}}, nil)
		must(t, err)
		if err := f(b.Column(0), b.Column(1), b.Column(2)); !errors.Is(err, ErrMisuse) {
			t.Errorf("%s: error is %v, want ErrMisuse", name, err)
		}
		p, a := b.Column(0), b.Column(1)
		for _, again := range []error{p.Row(), p.Int(1), p.Boolean(true), p.EndBlock(), a.Length(0)} {
			if again == nil {
				t.Errorf("%s, then another call: no error", name)
			}
		}
		if err := b.Close(); err == nil || out.Len() > 0 {
			t.Errorf("%s: Close gives %v, %d bytes written", name, err, out.Len())
		}
	}
}

func TestWriterFaults(t *testing.T) {
	tb := typed(Long, 50)
	for k := range 5 {
		if err := tb.build(&cutWriter{n: k}, nil, nil); !errors.Is(err, errFull) {
			t.Errorf("write %d fails: error is %v", k, err)
		}
	}
	err := tb.build(io.Discard, nil, &WriterOptions{BlockSize: 9, Memory: 1, TempDir: t.TempDir() + "/none"})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: error is %v", err)
	}
	for _, opt := range []WriterOptions{{BlockSize: -1}, {BlockSize: 1<<30 + 1}, {Memory: -1}} {
		if _, err := NewWriter(io.Discard, &Header{}, &opt); err == nil {
			t.Errorf("%+v is no error", opt)
		}
	}
	if _, err := NewWriter(io.Discard, &Header{Meta: Metadata{{keyCodec, []byte("bzip2")}}, Columns: []Column{{Name: "a"}}}, nil); !errors.Is(err, ErrUnsupported) {
		t.Errorf("bzip2: %v", err)
	}
}

// TestWriterHolds checks what the memory of a Writer is spent on: blocks as long as
// they are compressed, and one encoder for all columns of a coding.
func TestWriterHolds(t *testing.T) {
	h := &Header{}
	for i := range 6 {
		h.Columns = append(h.Columns, Column{Name: fmt.Sprint(i), Type: Bytes})
	}
	h.Columns[4].Codec, h.Columns[5].Checksum = "snappy", "crc-32"
	h.SetCodec("deflate")
	b, err := NewWriter(io.Discard, h, nil)
	must(t, err)
	for i := range h.Columns {
		for range 5 {
			must(t, b.Column(i).Row())
			must(t, b.Column(i).Bytes(make([]byte, 100_000)))
		}
		must(t, b.Column(i).EndBlock())
	}
	encoders := map[*block.Encoder]bool{}
	for _, c := range b.columns {
		encoders[c.enc] = true
		for i, p := range c.data {
			if room := cap(p.data); room > 2*p.size || p.size > 10_000 {
				t.Errorf("column %q block %d: %d bytes held for its %d", c.c.Name, i, room, p.size)
			}
		}
	}
	if len(encoders) != 3 {
		t.Errorf("%d encoders, want 3: of deflate, snappy, and deflate with another checksum", len(encoders))
	}
	must(t, b.Abort())
}
