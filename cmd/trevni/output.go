package main

import (
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/vbauerster/mpb/v8/cwriter"
)

// errGone is the error of a write to a pipe whose reader has gone. This is not a failure:
// the reader has seen enough.
var errGone = errors.New("the reader of the output has gone")

// output is standard output.
type output struct {
	w io.Writer
	c *command
}

// Write implements io.Writer; its error is errGone if the reader has gone.
func (o output) Write(p []byte) (int, error) {
	o.c.progress.clear()
	n, err := o.w.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		err = errGone
	}
	if err != nil {
		o.c.failed = err
	}
	return n, err
}

// width returns the width of a terminal in characters, 0 if it is none.
func width(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := cwriter.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}
