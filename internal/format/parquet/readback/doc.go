// Package readback makes digests of the columns of Parquet files, to compare what was written
// with what is read. What reads is another library, parquet-go, which shares no code with
// package parquet but the decoding of some encodings; it compares the CRC-32 of data pages.
//
//	values, levels ---> Encoder ----> file          before: a Summer in the encoder
//	      |                            |
//	      v                            v
//	   Summer = digest         parquet-go ---> Sums = digest
//
// The digest of a column does not depend on where its pages and row groups end, on its encoding
// and on its codec:
//
//	structure   definition level of each entry; in lists, repetition and definition level
//	values      PLAIN, one after another; booleans as a byte each
package readback
