// Package interop holds only tests. They compare what this project writes with what Avro's
// Java implementation reads, and the reverse.
//
//	testdata/avro/x.avro --- bin/convert ---> ours.trv  --- Java's AvroColumnReader ---+
//	        |                                    |                                     |
//	        |                                column by column             row by row, bit by bit
//	        |                                    |                                     |
//	        |        testdata/trevni/*/x.trv <---+                                     |
//	        +------------------------- Java's DataFileReader --------------------------+
//
// schemacases_test.go and docs/schemas.md have a table of schemas from the field, and the
// results of Java's two readers and of convert for each.
//
// The Java side (java/) runs all comparisons of a test in one JVM. It is compiled with
// javac against avro-tools, which Maven fetches into .cache/ at the top of the repository.
// If java, javac or mvn is missing, tests that need them are skipped; with CI=true in the
// environment they fail.
package interop
