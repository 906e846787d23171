// Package interop holds tests only: what this project writes against what Avro's
// Java implementation reads, and the other way round.
//
//	testdata/avro/x.avro --- bin/convert ---> ours.trv  --- Java's AvroColumnReader ---+
//	        |                                    |                                     |
//	        |                                column by column             row by row, bit by bit
//	        |                                    |                                     |
//	        |        testdata/trevni/*/x.trv <---+                                     |
//	        +------------------------- Java's DataFileReader --------------------------+
//
// A table of schemas as writers write them, with what Java's two readers and convert do
// with each, is in schemacases_test.go, and in docs/schemas.md.
//
// The Java side (java/) runs all comparisons of a test in one JVM. It is compiled
// with javac against avro-tools, which Maven fetches into .cache/ at the top of the
// repository. Where java, javac or mvn is missing, tests that need them are
// skipped, unless the environment has CI=true: then they fail.
package interop
