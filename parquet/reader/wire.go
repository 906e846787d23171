package reader

import (
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The structures of parquet.thrift, where the library's package format does not say whether an
// optional number is there, or lacks a field.

type pageHeader struct {
	Type             format.PageType       `thrift:"1,required"`
	UncompressedSize int32                 `thrift:"2,required"`
	CompressedSize   int32                 `thrift:"3,required"`
	CRC              thrift.Null[int32]    `thrift:"4,optional"`
	Data             *dataPageHeader       `thrift:"5,optional"`
	Dictionary       *dictionaryPageHeader `thrift:"7,optional"`
	DataV2           *dataPageHeaderV2     `thrift:"8,optional"`
}

type dataPageHeader struct {
	NumValues          int32           `thrift:"1,required"`
	Encoding           format.Encoding `thrift:"2,required"`
	DefinitionEncoding format.Encoding `thrift:"3,required"`
	RepetitionEncoding format.Encoding `thrift:"4,required"`
	Statistics         *statistics     `thrift:"5,optional"`
}

type dictionaryPageHeader struct {
	NumValues int32             `thrift:"1,required"`
	Encoding  format.Encoding   `thrift:"2,required"`
	IsSorted  thrift.Null[bool] `thrift:"3,optional"`
}

type dataPageHeaderV2 struct {
	NumValues       int32             `thrift:"1,required"`
	NumNulls        int32             `thrift:"2,required"`
	NumRows         int32             `thrift:"3,required"`
	Encoding        format.Encoding   `thrift:"4,required"`
	DefinitionBytes int32             `thrift:"5,required"`
	RepetitionBytes int32             `thrift:"6,required"`
	IsCompressed    thrift.Null[bool] `thrift:"7,optional"` // absent is true
	Statistics      *statistics       `thrift:"8,optional"`
}

type statistics struct {
	Max           []byte             `thrift:"1,optional"`
	Min           []byte             `thrift:"2,optional"`
	NullCount     thrift.Null[int64] `thrift:"3,optional"`
	DistinctCount thrift.Null[int64] `thrift:"4,optional"`
	MaxValue      []byte             `thrift:"5,optional"`
	MinValue      []byte             `thrift:"6,optional"`
	IsMaxExact    thrift.Null[bool]  `thrift:"7,optional"`
	IsMinExact    thrift.Null[bool]  `thrift:"8,optional"`
	NaNCount      thrift.Null[int64] `thrift:"9,optional"`
}

type sizeStatistics struct {
	Bytes        thrift.Null[int64]  `thrift:"1,optional"`
	RepHistogram thrift.Slice[int64] `thrift:"2,optional"`
	DefHistogram thrift.Slice[int64] `thrift:"3,optional"`
}

type pageEncodingStats struct {
	PageType format.PageType `thrift:"1,required"`
	Encoding format.Encoding `thrift:"2,required"`
	Count    int32           `thrift:"3,required"`
}

type columnMetaData struct {
	Type                  format.Type                     `thrift:"1,required"`
	Encodings             thrift.Slice[format.Encoding]   `thrift:"2,required"`
	PathInSchema          thrift.Slice[string]            `thrift:"3,required"`
	Codec                 format.CompressionCodec         `thrift:"4,required"`
	NumValues             int64                           `thrift:"5,required"`
	TotalUncompressedSize int64                           `thrift:"6,required"`
	TotalCompressedSize   int64                           `thrift:"7,required"`
	DataPageOffset        int64                           `thrift:"9,required"`
	IndexPageOffset       thrift.Null[int64]              `thrift:"10,optional"`
	DictionaryPageOffset  thrift.Null[int64]              `thrift:"11,optional"`
	Statistics            *statistics                     `thrift:"12,optional"`
	EncodingStats         thrift.Slice[pageEncodingStats] `thrift:"13,optional"`
	BloomFilterOffset     thrift.Null[int64]              `thrift:"14,optional"`
	BloomFilterLength     thrift.Null[int32]              `thrift:"15,optional"`
	SizeStatistics        *sizeStatistics                 `thrift:"16,optional"`
}

type columnChunk struct {
	FilePath          string             `thrift:"1,optional"`
	FileOffset        int64              `thrift:"2,optional"` // required, but of no use
	MetaData          *columnMetaData    `thrift:"3,optional"`
	OffsetIndexOffset thrift.Null[int64] `thrift:"4,optional"`
	OffsetIndexLength thrift.Null[int32] `thrift:"5,optional"`
	ColumnIndexOffset thrift.Null[int64] `thrift:"6,optional"`
	ColumnIndexLength thrift.Null[int32] `thrift:"7,optional"`
	Crypto            *cryptoMetaData    `thrift:"8,optional"`
}

// cryptoMetaData is there if a column is encrypted.
type cryptoMetaData struct{}

type rowGroup struct {
	Columns             thrift.Slice[columnChunk]   `thrift:"1,required"`
	TotalByteSize       int64                       `thrift:"2,required"`
	NumRows             int64                       `thrift:"3,required"`
	SortingColumns      thrift.Slice[sortingColumn] `thrift:"4,optional"`
	FileOffset          thrift.Null[int64]          `thrift:"5,optional"`
	TotalCompressedSize thrift.Null[int64]          `thrift:"6,optional"`
	Ordinal             thrift.Null[int16]          `thrift:"7,optional"`
}

type sortingColumn struct {
	ColumnIdx  int32 `thrift:"1,required"`
	Descending bool  `thrift:"2,required"`
	NullsFirst bool  `thrift:"3,required"`
}

type keyValue struct {
	Key   string `thrift:"1,required"`
	Value string `thrift:"2,optional"`
}

type fileMetaData struct {
	Version             int32                              `thrift:"1,required"`
	Schema              thrift.Slice[format.SchemaElement] `thrift:"2,required"`
	NumRows             int64                              `thrift:"3,required"`
	RowGroups           thrift.Slice[rowGroup]             `thrift:"4,required"`
	KeyValueMetadata    thrift.Slice[keyValue]             `thrift:"5,optional"`
	CreatedBy           string                             `thrift:"6,optional"`
	ColumnOrders        thrift.Slice[format.ColumnOrder]   `thrift:"7,optional"`
	EncryptionAlgorithm *cryptoMetaData                    `thrift:"8,optional"`
}

type pageLocation struct {
	Offset         int64 `thrift:"1,required"`
	CompressedSize int32 `thrift:"2,required"`
	FirstRow       int64 `thrift:"3,required"`
}

type offsetIndex struct {
	PageLocations thrift.Slice[pageLocation] `thrift:"1,required"`
	ByteArrayData thrift.Slice[int64]        `thrift:"2,optional"`
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
