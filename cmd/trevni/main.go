package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// A reader that goes away is told by write's error, see output; not by a signal
	// that would end the process before a file that is being written is cleaned up.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
