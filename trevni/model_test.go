package trevni

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"testing"

	"avro2trevni/trevni/block"
	"avro2trevni/trevni/internal/fault"
)

// A table is the plainest picture of a file's contents that the tests compare:
// for each column and row the lengths (one for each element of the parent, or one)
// and the values.
type table struct {
	rows    int
	columns []tableColumn
}

type tableColumn struct {
	Column
	lengths [][]int
	values  [][]any
}

// appendValue appends v as the format writes it. Booleans are the caller's.
func appendValue(dst []byte, v any) []byte {
	le := binary.LittleEndian
	switch v := v.(type) {
	case nil:
		return dst
	case int32:
		return block.AppendLong(dst, int64(v))
	case int64:
		return block.AppendLong(dst, v)
	case uint32:
		return le.AppendUint32(dst, v)
	case uint64:
		return le.AppendUint64(dst, v)
	case float32:
		return le.AppendUint32(dst, math.Float32bits(v))
	case float64:
		return le.AppendUint64(dst, math.Float64bits(v))
	case string:
		return appendBytes(dst, v)
	case []byte:
		return appendBytes(dst, v)
	}
	panic(fmt.Sprintf("%T", v))
}

// bits packs booleans.
type bits struct{ n int }

func (p *bits) append(dst []byte, v bool) []byte {
	if p.n%8 == 0 {
		dst = append(dst, 0)
	}
	if v {
		dst[len(dst)-1] |= 1 << (p.n % 8)
	}
	p.n++
	return dst
}

// block encodes rows from to to, before compression.
func (c *tableColumn) block(from, to int) []byte {
	var buf []byte
	var l block.Lengths
	var p bits
	l.Reset()
	for r := from; r < to; r++ {
		values := c.values[r]
		lengths := []int{len(values)}
		if c.Array {
			lengths = c.lengths[r]
		}
		for _, n := range lengths {
			if c.Array {
				buf, p = l.Add(buf, n), bits{}
			}
			for _, v := range values[:n] {
				if b, ok := v.(bool); ok {
					buf = p.append(buf, b)
				} else {
					buf = appendValue(buf, v)
				}
			}
			values = values[n:]
		}
	}
	return l.Close(buf)
}

// first returns the first value of a block, for columns with FirstValues.
func (c *tableColumn) first(row int) []byte {
	if !c.FirstValues {
		return nil
	}
	if v, ok := c.values[row][0].(bool); ok {
		return new(bits).append(nil, v)
	}
	return appendValue(nil, c.values[row][0])
}

// file writes the table with the header's metadata, in blocks of step rows.
func (tb *table) file(t testing.TB, meta Metadata, step int) []byte {
	t.Helper()
	h := &Header{Rows: uint64(tb.rows), Meta: meta}
	for i := range tb.columns {
		h.Columns = append(h.Columns, tb.columns[i].Column)
	}
	blocks, data := make([][]Block, len(tb.columns)), [][]byte{}
	for i := range tb.columns {
		c := &tb.columns[i]
		coding, err := h.Coding(i)
		must(t, err)
		enc := encoder(coding.Codec.Name, coding.Checksum)
		for from := 0; from < tb.rows; from += step {
			to := min(from+step, tb.rows)
			raw := c.block(from, to)
			d, err := enc.Append(nil, raw)
			must(t, err)
			blocks[i] = append(blocks[i], Block{
				Rows: uint32(to - from), RawSize: uint32(len(raw)), Size: uint32(len(d) - coding.Checksum.Size()), FirstValue: c.first(from),
			})
			data = append(data, d)
		}
	}
	return write(t, h, blocks, data)
}

// encoders are kept, one for each codec and checksum: those of deflate are large.
var encoders = map[string]*block.Encoder{}

func encoder(codec string, sum Checksum) *block.Encoder {
	key := codec + " " + sum.String()
	if encoders[key] == nil {
		encoders[key] = newEncoder(block.Codec{Name: codec}, sum)
	}
	return encoders[key]
}

// write writes a file and checks that it has the size foretold.
func write(t testing.TB, h *Header, blocks [][]Block, data [][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewBlockWriter(&out, h, blocks)
	must(t, err)
	for _, d := range data {
		must(t, w.WriteBlock(d))
	}
	must(t, w.Close())
	size, err := FileSize(h, blocks)
	must(t, err)
	if size != int64(out.Len()) || w.Size() != size {
		t.Fatalf("Size is %d, BlockWriter.Size %d, the file has %d", size, w.Size(), out.Len())
	}
	return out.Bytes()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// errBudget is returned by readTable for more values than asked for.
var errBudget = errors.New("more values than the test wants")

// readTable reads all columns value by value, at most budget lengths, values and
// rows.
func readTable(r *Reader, budget int) (*table, error) {
	h := r.Header()
	if h.Rows > uint64(budget) {
		return nil, errBudget
	}
	tb := &table{rows: int(h.Rows)}
	for i := range h.Columns {
		c := tableColumn{Column: h.Columns[i]}
		var parent *tableColumn
		if c.Parent != "" {
			parent = &tb.columns[h.Index(c.Parent)]
		}
		cr, err := r.Column(i)
		if err == nil {
			err = c.read(cr, parent, tb.rows, &budget)
		}
		if err != nil {
			return nil, err
		}
		tb.columns = append(tb.columns, c)
	}
	return tb, nil
}

// read reads the column to its end, length by length and value by value.
func (c *tableColumn) read(cr *ColumnReader, parent *tableColumn, rows int, budget *int) error {
	for row := range rows {
		elements := 1
		if parent != nil {
			elements = len(parent.values[row])
		}
		lengths, values, err := c.row(cr, elements, budget)
		if err == io.EOF {
			err = fault.Corruptf("column ends in row %d", row)
		}
		if err != nil {
			return err
		}
		c.lengths, c.values = append(c.lengths, lengths), append(c.values, values)
	}
	few := 2 // a length and a value
	if _, _, err := c.row(cr, 1, &few); err == nil || err == errBudget {
		return fault.Corruptf("values after the last row")
	} else if err != io.EOF {
		return fmt.Errorf("after the last row: %w", err)
	}
	return nil
}

// row reads the next row's lengths and values, of elements of the column's parent.
func (c *tableColumn) row(cr *ColumnReader, elements int, budget *int) (lengths []int, values []any, err error) {
	values = []any{}
	for range elements {
		n := 1
		if c.Array {
			if n, err = nextLength(cr); err != nil {
				return nil, nil, err
			}
			lengths = append(lengths, n)
		}
		if *budget -= n + 1; *budget < 0 {
			return nil, nil, errBudget
		}
		for range n {
			v, err := next(cr)
			if err != nil {
				return nil, nil, err
			}
			values = append(values, v)
		}
	}
	return lengths, values, nil
}

// next reads one value.
func next(c *ColumnReader) (any, error) {
	vs, err := batch(c, 1)
	if err != nil {
		return nil, err
	}
	return vs[0], nil
}

// nextLength reads one length.
func nextLength(c *ColumnReader) (int, error) {
	var n [1]int32
	_, err := c.ReadLengths(n[:])
	return int(n[0]), err
}

// open opens a file held in memory.
func open(t testing.TB, file []byte, opt *ReaderOptions) *Reader {
	t.Helper()
	r, err := NewReader(bytes.NewReader(file), int64(len(file)), opt)
	must(t, err)
	return r
}
