// Package parquet maps the values of an Avro schema to Parquet columns and levels, and
// converts a value's bytes in Avro to those of its column.
//
//	Avro                                   Parquet
//	record                                 group
//	  at the top                           the message
//	  of no fields                         group { optional boolean _ }, always null
//	anything else at the top               message of one field "value"
//	null, as a field                       left out
//	null, elsewhere                        optional boolean, always null
//	boolean, int, long, float, double      BOOLEAN, INT32, INT64, FLOAT, DOUBLE
//	string                                 BYTE_ARRAY (STRING), UTF-8
//	bytes                                  BYTE_ARRAY
//	enum                                   BYTE_ARRAY (STRING), its symbols
//	fixed                                  FIXED_LEN_BYTE_ARRAY; of no bytes: BYTE_ARRAY
//	array                                  group (LIST) { repeated group list { element } }
//	map                                    group (MAP) { repeated group key_value { required key (STRING); value } }
//	union of null and T                    optional T
//	union of T                             T
//	union of T0, T1, ...                   group { optional T0 member0; optional T1 member1; ... }; at most
//	                                       one is present; null is not numbered
//	decimal                                DECIMAL: INT32 to 9 digits, INT64 to 18, FIXED_LEN_BYTE_ARRAY
//	date                                   DATE
//	timestamp-, local-timestamp-millis     TIMESTAMP(MILLIS, true), (MILLIS, false)
//	timestamp-, local-timestamp-micros     TIMESTAMP(MICROS, true), (MICROS, false)
//	uuid, as a string                      as string
//
// Some logical types make widely used readers refuse a whole file. So by default their
// values are written without the logical type, as the underlying type. [Options].Logical
// enables them:
//
//	time-millis, time-micros               TIME(MILLIS, false), TIME(MICROS, false)
//	timestamp-, local-timestamp-nanos      TIMESTAMP(NANOS, true), (NANOS, false)
//	uuid, as a fixed                       UUID
//	duration                               INTERVAL
//	decimal of more than 38 digits         DECIMAL
//
// This is the mapping of parquet-avro, which Spark reads, with two exceptions: lists always
// have three levels, and decimals are never BYTE_ARRAYs.
//
// # Levels
//
// An entry of a leaf has two levels: how many of the optional nodes on the path are present
// (definition), and at which list a new element begins (repetition). Both depend only on
// the schema, except the repetition level that the last list on the path sets. So a walk
// over a row needs one register, rep, and for each [Node] two constants and its leaves,
// which are adjacent:
//
//	row begins                    rep = 0
//	value of a simple type        an entry (rep, Def) and the value, in leaf First
//	null, record of no fields     an entry (rep, Def), without a value
//	union, null                   an entry (rep, Def) in each leaf of [First, Last)
//	union of several, branch i    an entry (rep, Absent) in each leaf of the others; its value
//	array or map of no elements   an entry (rep, Def) in each leaf of [First, Last)
//	element 0                     with rep as it is
//	element 1 and on              with rep = Rep; after the list, what it was
//
// # Not supported
//
// A recursive schema has no finite list of columns: [mapper.ErrRecursive].
package parquet
