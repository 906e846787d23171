// Package parquettest has independent readers read Parquet files, and compares every value with
// what an independent reader of Avro finds in the files that they were made from.
//
//	x.avro --- convert, or whatever is tested ---> x.parquet
//	   |                                              |
//	 fastavro, and the mapping told again     pyarrow, DuckDB, polars, parquet-java, parquet-avro,
//	   |          in python/mapping.py        parquet-go, arrow-go: one process each, for all files
//	   v                                              v
//	rows in canonical form  <------ equal? ------  rows in canonical form
//
// [Expect] makes the one side, [Check] the other, and compares: a [Report] says for each file and
// reader what differs, and prints as a table. The canonical form, a line of JSON a row, is in
// python/canonical.py. It tells -0.0 from 0.0, bytes from text, decimals and times from numbers.
//
// pyarrow, parquet-java and parquet-avro compare the checksums of the pages that they read,
// parquet-go those of data pages; DuckDB, polars and arrow-go have no way to.
//
// Two more compare without rows: footers has pyarrow read what a file's footer says of its values,
// and the values; filters has parquet-java find rows by a value, for which it looks at statistics,
// dictionaries, indexes and bloom filters, and by reading all.
//
// The readers are fetched by name and version into .cache/ at the top of the repository: Python's
// with pip (python/requirements.txt), Java's with Maven (java/pom.xml); those of Go are built from
// internal/peers, a module of its own. Readers that cannot be had, for want of Python, Maven or
// the network, are left out, and said to be; with CI=true that is a failure.
package parquettest
