// Package trevni is the format of Trevni's files: what a job asks of a format, answered with
// the blocks, headers and files of [avro2trevni/trevni].
//
//	encoder.go   a run of a column becomes a block: compressed, with a checksum
//	digest.go    digests of columns, of blocks before compression
package trevni
