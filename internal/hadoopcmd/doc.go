// Package hadoopcmd gives Hadoop Streaming jobs to Hadoop, by the program hadoop, as a
// person would: there is no Java of ours, and nothing of Hadoop's protocols.
//
//	Find --> Command --Run--> hadoop jar hadoop-streaming.jar -D ... -files ... -mapper ...
//	                             |  what it logs: the job's ID, progress, failed attempts,
//	                             v  counters
//	                          follow --> Events, Result
//	      context ends -------> hadoop org.apache.hadoop.mapred.JobClient -kill ID
//
// The client's log is asked for on its standard error at level INFO
// (HADOOP_ROOT_LOGGER); a site that sends it elsewhere loses progress and counters, and
// the killing of an interrupted job: without its ID there is nothing to kill it by.
//
// # Not supported
//
// Jobs that go on when this process ends: whoever submitted a job publishes it.
package hadoopcmd
