// Package reader reads Parquet files into levels and values: one column chunk at a time, page
// by page. It reads files of any writer, and files that are damaged.
//
//	io.ReaderAt                                                   one for each column
//	  +-----------+   Open    +------+ RowGroup +----------+ Column +--------+ Next  Batch
//	  | PAR1      |---------->| File |--------->| RowGroup |------->| Column |------> Rep |...|
//	  | pages ... |  footer   +------+          +----------+        +--------+        Def |...|
//	  | indexes   |               | Schema           | Chunk          |    ^        Values |.|
//	  | footer    |               v                  v          header|    |levels, values
//	  | PAR1      |            tree, leaves      metadata,       body |    |
//	  +-----------+                              indexes              v    |
//	        |     ReadHeader, ReadBody                             +---------+
//	        '----------------------------------------------------->| Decoder |
//	              pages without a footer                           +---------+
//
// A [Batch] has the entries of one column: for each its repetition and definition level, and,
// for those that are not null, the value. Batches are cut out of pages: a batch never has
// entries of two pages, and the batches of a page are bounded in entries and bytes
// ([Options.BatchEntries], [Options.BatchBytes]). A row can begin in one batch and end in a
// later one. A batch's memory is used again by the next call.
//
// Values are little-endian and of fixed width, as in the encoding PLAIN:
//
//	BOOLEAN               1 byte, 0 or 1
//	INT32, FLOAT          4 bytes
//	INT64, DOUBLE         8 bytes
//	INT96                 12 bytes
//	FIXED_LEN_BYTE_ARRAY  Node.Length bytes
//	BYTE_ARRAY            bytes, with offsets
//
// # What is read
//
//	pages      V1, V2, dictionary
//	levels     RLE, BIT_PACKED
//	values     PLAIN, PLAIN_DICTIONARY, RLE_DICTIONARY, RLE (booleans), DELTA_BINARY_PACKED,
//	           DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY, BYTE_STREAM_SPLIT
//	codecs     none, snappy, gzip, zstd, lz4_raw, lz4 (in Hadoop's frames or others), brotli
//
// LZO, encryption, and chunks in another file are [ErrUnsupported].
//
// A Column reads bytes of its own chunk, and no others. Opening a file reads the footer.
// The indexes are read when they are wanted.
//
// # Damage
//
// A page's CRC is compared if the page has one. All other contradictions in a file are errors too:
// each is an [*Error] with path, column, row group, page and offset, and errors.Is(err,
// [ErrCorrupt]) is true. No file makes the package panic, loop, or hold memory out of proportion
// to the bytes that it read: sizes that a file declares are compared with what is there before
// memory is allocated, and [Options] has limits.
//
// A [File] and what it returns are for any number of goroutines. A [Column], a [Pages] and a
// [Decoder] have state: one goroutine at a time.
//
// The specification is apache/parquet-format 2.12.
package reader
