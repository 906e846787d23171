package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// arrowGo has arrow-go put rows together as Arrow's arrays. It compares no checksums.
func arrowGo(path string, to *bufio.Writer) (int, error) {
	f, err := file.OpenParquetFile(path, false)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		return 0, err
	}
	table, err := r.ReadTable(context.Background())
	if err != nil {
		return 0, err
	}
	defer table.Release()
	rows := make([]structure, table.NumRows())
	for c := range int(table.NumCols()) {
		at := 0
		for _, chunk := range table.Column(c).Data().Chunks() {
			for i := range chunk.Len() {
				v, err := arrayValue(chunk, i)
				if err != nil {
					return 0, err
				}
				rows[at] = append(rows[at], member{table.Column(c).Name(), v})
				at++
			}
		}
		if at != len(rows) {
			return 0, fmt.Errorf("%d values in column %q of %d rows", at, table.Column(c).Name(), len(rows))
		}
	}
	for _, row := range rows {
		if err := json.NewEncoder(to).Encode(row); err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}

// arrayValue returns value i of an array.
func arrayValue(a arrow.Array, i int) (any, error) {
	if a.IsNull(i) {
		return nil, nil
	}
	switch a := a.(type) {
	case *array.Struct:
		s := structure{}
		for k := range a.NumField() {
			v, err := arrayValue(a.Field(k), i)
			if err != nil {
				return nil, err
			}
			s = append(s, member{a.DataType().(*arrow.StructType).Field(k).Name, v})
		}
		return s, nil
	case array.ListLike: // maps too, whose elements are structures of key and value
		out := []any{}
		from, end := a.ValueOffsets(i)
		for k := from; k < end; k++ {
			v, err := arrayValue(a.ListValues(), int(k))
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	case array.ExtensionArray:
		return arrayValue(a.Storage(), i)
	}
	return simple(a, i)
}

func simple(a arrow.Array, i int) (any, error) {
	switch a := a.(type) {
	case *array.Boolean:
		return a.Value(i), nil
	case *array.Int32:
		return a.Value(i), nil
	case *array.Int64:
		return a.Value(i), nil
	case *array.Float32:
		return real(float64(a.Value(i))), nil
	case *array.Float64:
		return real(a.Value(i)), nil
	case *array.String:
		return text(a.Value(i)), nil
	case *array.Binary:
		return octets(a.Value(i)), nil
	case *array.FixedSizeBinary:
		return octets(a.Value(i)), nil
	case *array.Decimal128:
		return decimal(a.Value(i).BigInt(), int(a.DataType().(*arrow.Decimal128Type).Scale)), nil
	case *array.Decimal256:
		return decimal(a.Value(i).BigInt(), int(a.DataType().(*arrow.Decimal256Type).Scale)), nil
	case *array.Date32:
		return date(int32(a.Value(i))), nil
	case *array.Time32:
		return nanos("time:", int64(a.Value(i)), int64(a.DataType().(*arrow.Time32Type).Unit.Multiplier()), ""), nil
	case *array.Time64:
		return nanos("time:", int64(a.Value(i)), int64(a.DataType().(*arrow.Time64Type).Unit.Multiplier()), ""), nil
	case *array.Timestamp:
		t, zone := a.DataType().(*arrow.TimestampType), ""
		if t.TimeZone != "" {
			zone = "Z"
		}
		return nanos("ts:", int64(a.Value(i)), int64(t.Unit.Multiplier()), zone), nil
	}
	return nil, fmt.Errorf("an array of %s", a.DataType())
}
