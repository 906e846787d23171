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
// If its size is given, a file is created with a block size that holds it as a whole, and
// Sync checks that it became one block. Sync ends the file, because HDFS guarantees nothing
// for an open file. Sync guarantees what HDFS does: every DataNode of the pipeline has
// acknowledged all bytes, at least in memory.
//
// If a NameNode is down, fails over, or is in safe mode, calls are repeated for two
// minutes; then the error is [storage.ErrUnavailable]. A lost reply is not a failure:
// before a call is repeated, the package looks whether it has taken effect.
//
// A read continues with another replica. A write does not: if a DataNode of its pipeline
// fails, the error is [storage.ErrLost].
//
// When the context of [New] is done, waiting ends, connections to DataNodes are closed,
// and calls to the NameNode are tried once: enough to take temporary files away.
//
// # Lock
//
// A lock is an empty file that its holder keeps open, and with it the NameNode's lease,
// which the client renews each second. A client that finds the file requests to append to
// it. The NameNode refuses that while the lease is valid; 60 seconds after the holder's
// last renewal it grants the request of one client, which then removes the file and creates
// a new one. So a holder that continues later finds another file at that name: [lock.Held].
//
// # Checksums
//
// The client library returns bytes with a wrong checksum if a read is of more than one
// chunk, 512 bytes. So this package reads fewer bytes at a time.
//
// # Not supported
//
// Encryption zones and erasure coding, which the client library would read and write
// wrongly: both are refused with storage.ErrUnsupported. So are DataNodes that sign or
// encrypt by DIGEST-MD5, because the client loses bytes of their messages. Delegation
// tokens, viewfs, symbolic links, appending.
package hdfs
