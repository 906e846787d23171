// Package hadooptest runs Hadoop's own daemons for tests: HDFS, and YARN where it is
// asked for, as processes of their own on the loopback interface, in a folder that
// goes with the test.
//
//	Maven Central --fetch--> .cache/hadoop/lib/*.jar          once a machine, 112 MB
//
//	test --Start--> NameNode (formatted first)                port of the cluster's range: core-site.xml
//	                DataNode 0, 1, 2 ...                      ports of their own choice
//	                ResourceManager, NodeManager 0, 1 ...     with Options.Yarn
//	                JobHistoryServer                          as above
//	     --Fs, Java-> a JVM that runs the clients' commands
//	     <--------- etc/hadoop/, bin/ below Cluster.Home      as an installation has them
//
// Each is a JVM with a heap of 400 MB. They end with the test, and, by the parent's
// death signal, with a test that is killed. [Daemon] kills, stops and starts one of
// them, for tests of what happens then. Clusters of several packages run beside each
// other, as may several of one package: see [takeRange].
//
// Where java, javac or mvn is missing, tests that need them are skipped, unless the
// environment has CI=true: then they fail.
package hadooptest
