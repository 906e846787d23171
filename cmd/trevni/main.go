package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// A reader that has gone is noticed by the error of a write, see output; not by a signal,
	// which would end the process before an unfinished file is removed.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
