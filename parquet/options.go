package parquet

import (
	"fmt"

	"github.com/parquet-go/parquet-go/format"
)

// WriterOptions are what a [Writer] writes in addition to pages.
type WriterOptions struct {
	// Codec is the one that the pages were compressed with.
	Codec Codec
	// Codecs are those of single columns, as [EncoderOptions] has them.
	Codecs []Codec
	// CreatedBy is "NAME version VERSION (build HASH)". parquet-java does not trust the
	// statistics of files where it is something else.
	CreatedBy string
	// KeyValues are the file's metadata, in this order.
	KeyValues []KeyValue
	// Sorting says by which columns the rows of each row group are sorted.
	Sorting []SortingColumn
	// FooterEvery, if it is not 0, writes a footer after as many row groups, of all so far: a
	// file that is cut short can be read up to the last. Readers look at the end only.
	FooterEvery int
}

// A KeyValue is an entry of a file's metadata.
type KeyValue struct{ Key, Value string }

// A SortingColumn is a column that rows are sorted by.
type SortingColumn struct {
	Column     int // among the schema's leaves
	Descending bool
	NullsFirst bool
}

// footer returns the footer of a file without row groups.
func (o *WriterOptions) footer(s *Schema) (*fileMetaData, error) {
	f := &fileMetaData{Version: 1, Schema: s.Root.elements(nil, true), CreatedBy: o.CreatedBy, RowGroups: []rowGroup{}}
	for _, kv := range o.KeyValues {
		f.KeyValueMetadata = append(f.KeyValueMetadata, format.KeyValue{Key: kv.Key, Value: kv.Value})
	}
	for range s.Leaves {
		f.ColumnOrders = append(f.ColumnOrders, format.ColumnOrder{Value: &format.TypeDefinedOrder{}})
	}
	for _, by := range o.Sorting {
		if by.Column < 0 || by.Column >= len(s.Leaves) {
			return nil, fmt.Errorf("parquet: sorted by column %d of %d", by.Column, len(s.Leaves))
		}
	}
	return f, nil
}

// sorting returns the sorting columns as a row group has them.
func (o *WriterOptions) sorting() []format.SortingColumn {
	var columns []format.SortingColumn
	for _, by := range o.Sorting {
		columns = append(columns, format.SortingColumn{ColumnIdx: int32(by.Column), Descending: by.Descending, NullsFirst: by.NullsFirst})
	}
	return columns
}
