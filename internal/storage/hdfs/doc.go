// Package hdfs is HDFS as a [storage.FS], through the native protocol.
//
//	hdfs://host:port/path        that NameNode, port 8020 if there is none
//	hdfs://nameservice/path      those of the nameservice in HADOOP_CONF_DIR, and no others
//	hdfs:///path                 fs.defaultFS of HADOOP_CONF_DIR
//
//	storage.FS call --> retry (back-off, two minutes) --> client --> NameNode
//	File.ReadAt  --> readers, 511 bytes a call: sums checked ------> DataNodes, any replica
//	Writer.Write ------------------------------------------------> DataNodes, one pipeline
//
// # Contract beyond that of package storage
//
// A file is created with a block size that holds it whole, if its size is told, and
// Sync checks that it became one block: Sync ends the file, since HDFS promises nothing
// of one that is open. What Sync promises is HDFS's promise: that every DataNode of the
// pipeline has acknowledged all bytes, in memory at the least.
//
// A NameNode that is away, fails over, or is in safe mode is asked again, for two
// minutes, then that is [storage.ErrUnavailable]. A reply that was lost is no failure:
// what the call would have done is looked for before it is tried again.
//
// A read goes on with another replica. A write does not: when a DataNode of its pipeline
// fails the file is [storage.ErrLost].
//
// When the context of [New] is done, waiting ends, connections to DataNodes are closed,
// and calls to the NameNode are tried once: enough to take temporary files away.
//
// # Lock
//
// A lock is an empty file that its holder keeps open, and with it the NameNode's lease,
// which the client renews each second. Whoever finds the file asks to append to it. The
// NameNode refuses while the lease lives; 60 seconds after its holder's last sign of life
// it grants the request to one of those who ask, who then removes the file and creates it
// anew. So a holder that comes back finds that the file at that name is another: [lock.Held].
//
// # Checksums
//
// The client passes on bytes whose checksum did not match when it is asked for more than
// one chunk, 512 bytes, at a time. So it is asked for less, and then it does not.
//
// # Not supported
//
// Encryption zones and erasure coding, which the client would read and write wrongly:
// both are refused with storage.ErrUnsupported; so are DataNodes that sign or encrypt by
// DIGEST-MD5, of whose messages the client loses bytes. Delegation tokens, viewfs, symbolic links,
// appending.
package hdfs
