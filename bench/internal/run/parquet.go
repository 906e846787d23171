package run

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/parquet-go/parquet-go"

	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// parquetColumn sums a flat column of Parquet as Trevni would write its values, so
// that the digest can be held against that of a Trevni column.
type parquetColumn struct {
	digest *digester
	values []byte
	nulls  bool // some row had none
	raw    int64
}

// addParquet takes in a Parquet file of flat columns.
func (a *Answer) addParquet(name string) (err error) {
	defer func() {
		if p := recover(); p != nil { // parquet-go on what it doesn't foresee, as a file of no columns
			err = fmt.Errorf("bench: parquet-go: %v", p)
		}
	}()
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	file, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		return err
	}
	if a.Columns == nil {
		if err := a.parquetColumns(file.Schema()); err != nil {
			return err
		}
	}
	a.Rows += file.NumRows()
	for _, group := range file.RowGroups() {
		chunks := group.ColumnChunks()
		if len(chunks) != len(a.Columns) {
			return fmt.Errorf("%d columns, %d in the files before", len(chunks), len(a.Columns))
		}
		err := eachColumn(len(chunks), func(i int) error {
			if err := a.Columns[i].addChunk(chunks[i]); err != nil {
				return fmt.Errorf("column %s: %w", a.Columns[i].Name, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// parquetColumns begins a column for each of the schema's fields.
func (a *Answer) parquetColumns(schema *parquet.Schema) error {
	for _, field := range schema.Fields() {
		if !field.Leaf() || field.Repeated() {
			return fmt.Errorf("field %s is nested: not compared", field.Name())
		}
		kind, err := trevniType(field)
		if err != nil {
			return fmt.Errorf("field %s: %w", field.Name(), err)
		}
		c := trevni.Column{Name: field.Name(), Type: kind, Array: field.Optional()}
		a.Columns = append(a.Columns, columnAnswer{Name: c.Name, Type: kind.String(), parquet: &parquetColumn{digest: newDigester(c)}})
	}
	return nil
}

// trevniType is the type in which a Trevni file holds such values.
func trevniType(n parquet.Node) (trevni.Type, error) {
	if logical := n.Type().LogicalType(); logical != nil && logical.String() == "STRING" {
		return trevni.String, nil
	}
	switch n.Type().Kind() {
	case parquet.Boolean:
		return trevni.Boolean, nil
	case parquet.Int32:
		return trevni.Int, nil
	case parquet.Int64:
		return trevni.Long, nil
	case parquet.Float:
		return trevni.Float, nil
	case parquet.Double:
		return trevni.Double, nil
	case parquet.ByteArray:
		return trevni.Bytes, nil
	default:
		return 0, fmt.Errorf("nothing in Trevni is like %s of Parquet", n.Type())
	}
}

func (c *columnAnswer) addChunk(chunk parquet.ColumnChunk) (err error) {
	pages := chunk.Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	values := make([]parquet.Value, 1024)
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		err = c.parquet.addValues(page.Values(), values)
		parquet.Release(page)
		if err != nil {
			return err
		}
	}
}

func (p *parquetColumn) addValues(r parquet.ValueReader, buf []parquet.Value) error {
	for {
		n, err := r.ReadValues(buf)
		p.values = p.values[:0]
		for _, v := range buf[:n] {
			p.add(v)
		}
		p.digest.values.Write(p.values)
		p.raw += int64(len(p.values))
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// add appends v as Trevni writes it, but for booleans, which the digest unpacks.
func (p *parquetColumn) add(v parquet.Value) {
	if p.digest.column.Array {
		length := 1
		if v.IsNull() {
			length, p.nulls = 0, true
		}
		if length != p.digest.length {
			p.digest.flush()
			p.digest.length = length
		}
		p.digest.count++
	}
	if !v.IsNull() {
		p.values = appendParquet(p.values, v)
	}
}

func appendParquet(dst []byte, v parquet.Value) []byte {
	switch v.Kind() {
	case parquet.Boolean:
		if v.Boolean() {
			return append(dst, 1)
		}
		return append(dst, 0)
	case parquet.Int32:
		return block.AppendLong(dst, int64(v.Int32()))
	case parquet.Int64:
		return block.AppendLong(dst, v.Int64())
	case parquet.Float:
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(v.Float()))
	case parquet.Double:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v.Double()))
	default:
		return append(block.AppendLong(dst, int64(len(v.ByteArray()))), v.ByteArray()...)
	}
}

// finish completes the column's answer. That of a column without nulls is in its
// values alone: who reads from Avro may call it nullable or not.
func (c *columnAnswer) finish() {
	if c.parquet == nil {
		c.Digest = c.digest.sum()
		return
	}
	c.Digest, c.Raw, c.Values = c.parquet.digest.sum(), c.parquet.raw, !c.parquet.nulls
	if c.parquet.nulls {
		c.Name += "/" + c.Type
	}
}
