package parquet

import (
	"fmt"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The structures of parquet.thrift that the library's package format lacks something of, or
// always writes something of that is not wanted: statistics have no exact flags and NaN counts
// there, a CRC of zero is left out, and data page headers have statistics. The others are that
// package's.

type pageHeader struct {
	Type             format.PageType              `thrift:"1,required"`
	UncompressedSize int32                        `thrift:"2,required"`
	CompressedSize   int32                        `thrift:"3,required"`
	CRC              int32                        `thrift:"4,required"` // required by us
	Data             *dataPageHeader              `thrift:"5,optional"`
	Dictionary       *format.DictionaryPageHeader `thrift:"7,optional"`
	DataV2           *dataPageHeaderV2            `thrift:"8,optional"`
}

type dataPageHeader struct {
	NumValues          int32           `thrift:"1,required"`
	Encoding           format.Encoding `thrift:"2,required"`
	DefinitionEncoding format.Encoding `thrift:"3,required"`
	RepetitionEncoding format.Encoding `thrift:"4,required"`
}

type dataPageHeaderV2 struct {
	NumValues       int32           `thrift:"1,required"`
	NumNulls        int32           `thrift:"2,required"`
	NumRows         int32           `thrift:"3,required"`
	Encoding        format.Encoding `thrift:"4,required"`
	DefinitionBytes int32           `thrift:"5,required"`
	RepetitionBytes int32           `thrift:"6,required"`
	IsCompressed    bool            `thrift:"7,required"` // required by us: absent is true
}

type statistics struct {
	NullCount  int64              `thrift:"3,required"` // required by us, even if it is 0
	MaxValue   []byte             `thrift:"5,optional"`
	MinValue   []byte             `thrift:"6,optional"`
	IsMaxExact thrift.Null[bool]  `thrift:"7,optional"`
	IsMinExact thrift.Null[bool]  `thrift:"8,optional"`
	NaNCount   thrift.Null[int64] `thrift:"9,optional"`
}

type sizeStatistics struct {
	Bytes        thrift.Null[int64]  `thrift:"1,optional"`
	RepHistogram thrift.Slice[int64] `thrift:"2,optional"`
	DefHistogram thrift.Slice[int64] `thrift:"3,optional"`
}

type columnMetaData struct {
	Type                  format.Type                            `thrift:"1,required"`
	Encodings             thrift.Slice[format.Encoding]          `thrift:"2,required"`
	PathInSchema          thrift.Slice[string]                   `thrift:"3,required"`
	Codec                 format.CompressionCodec                `thrift:"4,required"`
	NumValues             int64                                  `thrift:"5,required"`
	TotalUncompressedSize int64                                  `thrift:"6,required"`
	TotalCompressedSize   int64                                  `thrift:"7,required"`
	DataPageOffset        int64                                  `thrift:"9,required"`
	DictionaryPageOffset  thrift.Null[int64]                     `thrift:"11,optional"`
	Statistics            statistics                             `thrift:"12,required"` // required by us
	EncodingStats         thrift.Slice[format.PageEncodingStats] `thrift:"13,optional"`
	BloomFilterOffset     thrift.Null[int64]                     `thrift:"14,optional"`
	BloomFilterLength     thrift.Null[int32]                     `thrift:"15,optional"`
	SizeStatistics        *sizeStatistics                        `thrift:"16,optional"`
}

type columnChunk struct {
	FilePath          string             `thrift:"1,optional"`
	FileOffset        int64              `thrift:"2,required"`
	MetaData          columnMetaData     `thrift:"3,required"` // required by us
	OffsetIndexOffset thrift.Null[int64] `thrift:"4,optional"`
	OffsetIndexLength thrift.Null[int32] `thrift:"5,optional"`
	ColumnIndexOffset thrift.Null[int64] `thrift:"6,optional"`
	ColumnIndexLength thrift.Null[int32] `thrift:"7,optional"`
}

type rowGroup struct {
	Columns             thrift.Slice[columnChunk]          `thrift:"1,required"`
	TotalByteSize       int64                              `thrift:"2,required"`
	NumRows             int64                              `thrift:"3,required"`
	SortingColumns      thrift.Slice[format.SortingColumn] `thrift:"4,optional"`
	FileOffset          thrift.Null[int64]                 `thrift:"5,optional"`
	TotalCompressedSize thrift.Null[int64]                 `thrift:"6,optional"`
	Ordinal             thrift.Null[int16]                 `thrift:"7,optional"`
}

type fileMetaData struct {
	Version          int32                              `thrift:"1,required"`
	Schema           thrift.Slice[format.SchemaElement] `thrift:"2,required"`
	NumRows          int64                              `thrift:"3,required"`
	RowGroups        thrift.Slice[rowGroup]             `thrift:"4,required"`
	KeyValueMetadata thrift.Slice[format.KeyValue]      `thrift:"5,optional"`
	CreatedBy        string                             `thrift:"6,optional"`
	ColumnOrders     thrift.Slice[format.ColumnOrder]   `thrift:"7,optional"`
}

// fileMetaDataFront and fileMetaDataBack are the fields before and after the row groups.
type fileMetaDataFront struct {
	Version int32                              `thrift:"1,required"`
	Schema  thrift.Slice[format.SchemaElement] `thrift:"2,required"`
	NumRows int64                              `thrift:"3,required"`
}

type fileMetaDataBack struct {
	KeyValueMetadata thrift.Slice[format.KeyValue]    `thrift:"5,optional"`
	CreatedBy        string                           `thrift:"6,optional"`
	ColumnOrders     thrift.Slice[format.ColumnOrder] `thrift:"7,optional"`
}

type columnIndex struct {
	NullPages     thrift.Slice[bool]   `thrift:"1,required"`
	MinValues     thrift.Slice[[]byte] `thrift:"2,required"`
	MaxValues     thrift.Slice[[]byte] `thrift:"3,required"`
	BoundaryOrder format.BoundaryOrder `thrift:"4,required"`
	NullCounts    thrift.Slice[int64]  `thrift:"5,optional"`
	RepHistograms thrift.Slice[int64]  `thrift:"6,optional"`
	DefHistograms thrift.Slice[int64]  `thrift:"7,optional"`
	NaNCounts     thrift.Slice[int64]  `thrift:"8,optional"`
}

var compact thrift.CompactProtocol

// marshal returns v, a structure of the format, as bytes.
func marshal(v any) ([]byte, error) {
	b, err := thrift.Marshal(&compact, v)
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	return b, nil
}
