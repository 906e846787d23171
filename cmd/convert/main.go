// Command convert turns Avro data files into Trevni files: `convert --help`.
package main

import (
	"os"
	"runtime"
)

// diskThreads is how many threads may wait for the disk at a time without keeping others
// from the processors: those of one output file that is written past the page cache.
// The scheduler is slow to see that a thread waits so.
const diskThreads = 2

func main() {
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + diskThreads)
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
