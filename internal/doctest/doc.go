// Package doctest holds only tests. They run the commands of README.md and docs/, and follow
// the links between documents.
//
//	```            a block without a prompt: each line with a convert command, alone, in a new
//	convert ...    folder; crontabs and units of systemd too
//	```
//
//	```            a block with prompts: each command, in the repository's folder; what it
//	$ trevni ...   prints must be what the page has, except times
//	...
//	```
//
// /data and /var/log stand for folders of the test. Commands on HDFS are run by package
// hadooptest. Commands on files that only a benchmark makes (lineitem as Trevni) are not run.
package doctest
