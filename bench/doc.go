// Command bench measures scans and conversions, ours against others', and makes the
// data that it measures with.
//
//	bin/bench             all of what follows: tables into docs/performance, the page, and plots
//	bin/bench -resume     the same, but for what a run that was broken off has measured
//	bin/bench -quick      the same on little data, in under two minutes
//	bin/bench -input F    a file of the user's, converted and scanned
//
//	bin/bench data        inputs and tools into .cache, what is missing of them
//	bin/bench convert     times: ours, the limit, other converters to Trevni
//	bin/bench parquet     times: ours to Parquet, and all others who convert there
//	bin/bench figures     what conversion to Parquet is to reach, in ten minutes
//	bin/bench queries     Parquet files, ours and those of others, read by three engines
//	bin/bench options     times: ours, with codecs, memory, workers and file sizes
//	bin/bench blocks      times and sizes with blocks of 4 KiB to 1 MiB
//	bin/bench scale       cost of a row, and memory, at 0.1 to 10 times the rows
//	bin/bench spec        the specification's own figures, checked
//	bin/bench memory      peak memory and time under --memory
//	bin/bench scan        columns and rows read, by us and by Avro's and Parquet's readers
//	bin/bench plot FILE   results as plots
//	bin/bench page        docs/performance.md, of the results that there are
//	bin/bench table FILE  results as Markdown
//
// # Method
//
// The contenders of a case run in turn, A B C A B C, after one round that warms the
// page cache and proves that the answers are equal. Between two runs the outputs of
// the last are removed and the file systems synced, so that nobody pays for
// another's dirty pages.
//
//	remove, sync | start ---------- run ---------- exit | fsync output | stop
//	             |<------------- wall time, one contender ----------->|
//
// Processor time and peak resident memory are those that the kernel reports to
// wait4 for the process and its waited-for children. Ratios are of times in the
// same round; their median is the figure, least and most are its spread.
//
// A scan is asked of programs that live on, one line a question and one an answer, so
// that starting them is not in the way. They are warmed up, their answers compared, and
// then they are asked in turn:
//
//	harness --- path of a file ---> program, by itself on the cores that it may use
//	        <-- seconds, answer ---
//	/proc/PID: processor time, bytes read, peak memory
//
// Each opens the file anew at each question. For a cold one its copy of the file is
// dropped from the page cache before.
//
// A contender that isn't there is listed as missing, never left out. One that is slow has
// fewer rounds, which its line of the table tells.
//
// A case is in the file of results, in the place of an earlier one of its name, before the
// next begins:
//
//	results.json   runs   [ machine, versions, revision, command, rounds ] [ ... ]
//	               cases  [ name, run, seconds, others, contenders ... ] [ ... ]
//
// so that what is measured again, or after a run that was broken off, keeps its own run's
// circumstances; others is the part of the processors' time that was not the harness's.
package main
