// Package hadoopcmd submits Hadoop Streaming jobs by the program hadoop, as a person would:
// without Java code of our own, and without Hadoop's protocols.
//
//	Find --> Command --Run--> hadoop jar hadoop-streaming.jar -D ... -files ... -mapper ...
//	                             |  what it logs: the job's ID, progress, failed attempts,
//	                             v  counters
//	                          follow --> Events, Result
//	      context ends -------> hadoop org.apache.hadoop.mapred.JobClient -kill ID
//
// The client logs to its standard error at level INFO (HADOOP_ROOT_LOGGER). If a site sends
// the log elsewhere, there are no progress and no counters, and an interrupted job cannot
// be killed, because its ID is unknown.
//
// # Not supported
//
// Jobs that continue when this process ends: the process that submitted a job publishes it.
package hadoopcmd
