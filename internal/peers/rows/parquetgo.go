package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// parquetGo takes values and levels from parquet-go, which compares the pages' checksums, and
// puts rows together by the levels.
func parquetGo(path string, to *bufio.Writer) (n int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	file, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		return 0, err
	}
	top := number(file.Root(), new(int))
	for _, group := range file.RowGroups() {
		if group.NumRows() == 0 {
			continue // which it cannot read
		}
		rows := group.Rows()
		for batch := make([]parquet.Row, 64); ; {
			k, err := rows.ReadRows(batch)
			for _, row := range batch[:k] {
				if err := json.NewEncoder(to).Encode(top.row(row)); err != nil {
					return 0, err
				}
			}
			if n += k; errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return 0, err
			}
		}
		if err := rows.Close(); err != nil {
			return 0, err
		}
	}
	if int64(n) != file.NumRows() {
		return 0, fmt.Errorf("%d rows, and the footer has %d", n, file.NumRows())
	}
	return n, nil
}

// node is a column or group, and its leaves' numbers [first, last).
type node struct {
	*parquet.Column
	fields      []*node
	first, last int
}

func number(c *parquet.Column, next *int) *node {
	n := &node{Column: c, first: *next}
	for _, field := range c.Columns() {
		n.fields = append(n.fields, number(field, next))
	}
	if c.Leaf() {
		*next++
	}
	n.last = *next
	return n
}

// row puts a row together.
func (n *node) row(row parquet.Row) any {
	entries := make([][]parquet.Value, n.last)
	for _, v := range row {
		entries[v.Column()] = append(entries[v.Column()], v)
	}
	return n.present(entries, 0, 0)
}

// value puts together the one value, or none, of which entries are; def and rep are the levels
// of what it is in.
func (n *node) value(entries [][]parquet.Value, def, rep int) any {
	if n.Optional() {
		if def++; entries[n.first][0].DefinitionLevel() < def {
			return nil
		}
	}
	return n.present(entries, def, rep)
}

func (n *node) present(entries [][]parquet.Value, def, rep int) any {
	switch logical := n.Type().LogicalType(); {
	case n.Leaf():
		return n.simple(entries[n.first][0], logical)
	case logical != nil && logical.Value != nil: // a list or a map
		item := n.fields[0]
		_, list := logical.Value.(*format.ListType)
		out := []any{}
		for _, e := range item.elements(entries, def+1, rep+1) {
			if list {
				out = append(out, item.fields[0].value(e, def+1, rep+1))
			} else {
				out = append(out, item.structure(e, def+1, rep+1))
			}
		}
		return out
	}
	return n.structure(entries, def, rep)
}

func (n *node) structure(entries [][]parquet.Value, def, rep int) any {
	s := structure{}
	for _, field := range n.fields {
		s = append(s, member{field.Name(), field.value(entries, def, rep)})
	}
	return s
}

// elements parts the entries of what is repeated at level rep.
func (n *node) elements(entries [][]parquet.Value, def, rep int) (out [][][]parquet.Value) {
	if entries[n.first][0].DefinitionLevel() < def {
		return nil
	}
	for leaf := n.first; leaf < n.last; leaf++ {
		k := -1
		for i, v := range entries[leaf] {
			if i == 0 || v.RepetitionLevel() <= rep {
				if k++; k == len(out) {
					out = append(out, make([][]parquet.Value, n.last))
				}
			}
			out[k][leaf] = append(out[k][leaf], v)
		}
	}
	return out
}

func (n *node) simple(v parquet.Value, logical *format.LogicalType) any {
	var kind any
	if logical != nil {
		kind = logical.Value
	}
	switch n.Type().Kind() {
	case parquet.Boolean:
		return v.Boolean()
	case parquet.Int32:
		return whole(int64(v.Int32()), kind)
	case parquet.Int64:
		return whole(v.Int64(), kind)
	case parquet.Float:
		return real(float64(v.Float()))
	case parquet.Double:
		return real(v.Double())
	}
	switch kind := kind.(type) {
	case *format.StringType, *format.EnumType:
		return text(string(v.ByteArray()))
	case *format.DecimalType:
		return decimal(twos(v.ByteArray()), int(kind.Scale))
	}
	return octets(v.ByteArray())
}

func whole(v int64, kind any) any {
	switch kind := kind.(type) {
	case *format.DecimalType:
		return decimal(big.NewInt(v), int(kind.Scale))
	case *format.DateType:
		return date(int32(v))
	case *format.TimeType:
		return nanos("time:", v, unit(kind.Unit), "")
	case *format.TimestampType:
		zone := ""
		if kind.IsAdjustedToUTC {
			zone = "Z"
		}
		return nanos("ts:", v, unit(kind.Unit), zone)
	}
	return v
}

func unit(u format.TimeUnit) int64 {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return 1e6
	case *format.MicroSeconds:
		return 1e3
	}
	return 1
}
