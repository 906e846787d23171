// Package parquet says which Parquet columns the values of an Avro schema become, at which
// levels, and how a value's bytes in Avro become those of its column.
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
//	union of T0, T1, ...                   group { optional T0 member0; optional T1 member1; ... }, one or
//	                                       none of which is there; null is not numbered
//	decimal                                DECIMAL: INT32 to 9 digits, INT64 to 18, FIXED_LEN_BYTE_ARRAY
//	date                                   DATE
//	timestamp-, local-timestamp-millis     TIMESTAMP(MILLIS, true), (MILLIS, false)
//	timestamp-, local-timestamp-micros     TIMESTAMP(MICROS, true), (MICROS, false)
//	uuid, as a string                      as string
//
// Some logical types make readers in wide use refuse a whole file, so by default their values
// are written without, as the type that they stand on. [Options].Logical asks for them:
//
//	time-millis, time-micros               TIME(MILLIS, false), TIME(MICROS, false)
//	timestamp-, local-timestamp-nanos      TIMESTAMP(NANOS, true), (NANOS, false)
//	uuid, as a fixed                       UUID
//	duration                               INTERVAL
//	decimal of more than 38 digits         DECIMAL
//
// This is what parquet-avro makes of Avro, and Spark reads, but for lists, which always have
// three levels, and decimals, which never are BYTE_ARRAYs.
//
// # Levels
//
// An entry of a leaf has two levels: how far down the path all that may be missing is there
// (definition), and at which list a new element begins (repetition). Both follow from the
// schema alone but for the one repetition level that the last list on the way sets, so a walk
// over a row needs one register, rep, and of each [Node] two constants and its leaves, which
// are neighbours:
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
// A recursive schema has no finite list of columns: [ErrRecursive].
package parquet
