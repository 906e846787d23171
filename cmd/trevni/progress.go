package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/pflag"
	"github.com/vbauerster/mpb/v8/cwriter"

	"avro2trevni/cmd/trevni/show"
)

// progress keeps a line on standard error while files are read:
//
//	verify  part-00003.trv, 4 of 12 files  1.2 GiB  310 MiB/s
//
// It is taken away before anything is printed on standard output, which may be the
// same terminal. A nil progress does nothing.
type progress struct {
	w     io.Writer
	verb  string
	files int          // to come, in all
	read  atomic.Int64 // bytes
	start time.Time

	mu    sync.Mutex
	name  string // the current file's
	file  int    // and its number, from 1
	shown bool
}

// redraw is the interval between updates of the line.
const redraw = 200 * time.Millisecond

// clearLine clears the line of a terminal.
const clearLine = "\r\x1b[K"

// whenFlag is when progress is shown.
type whenFlag string

// progressFlag declares --progress, with what it is set to.
func progressFlag(f *pflag.FlagSet, when *whenFlag) {
	*when = "auto"
	f.Var(when, "progress", "`WHEN` to show progress on standard error: auto (on a terminal), always, never")
}

// Set takes one of three words.
func (w *whenFlag) Set(text string) error {
	if !slices.Contains([]string{"auto", "always", "never"}, text) {
		return fmt.Errorf("must be one of auto, always, never")
	}
	*w = whenFlag(text)
	return nil
}

// String returns the word.
func (w *whenFlag) String() string { return string(*w) }

// Type names the value in --help.
func (w *whenFlag) Type() string { return "WHEN" }

// watch shows progress over n files until stop is called, if progress is shown.
func (c *command) watch(when whenFlag, verb string, files int) (stop func()) {
	if when == "never" || when == "auto" && !isTerminal(c.stderr) {
		return func() {}
	}
	p := &progress{w: c.stderr, verb: verb, files: files, start: time.Now()}
	c.progress = p
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(redraw)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.draw()
			case <-quit:
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-done
		p.clear()
		c.progress = nil
	}
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && cwriter.IsTerminal(int(f.Fd()))
}

// opened notes that the next file is being read.
func (p *progress) opened(name string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.name = name
	p.file = min(p.file+1, p.files) // verify --against goes over them twice
	first := p.file == 1
	p.mu.Unlock()
	if first {
		p.draw()
	}
}

// add counts bytes that were read.
func (p *progress) add(n int) {
	if p != nil {
		p.read.Add(int64(n))
	}
}

// draw writes the line. A failure does not matter.
func (p *progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == 0 {
		return
	}
	read := p.read.Load()
	rate := float64(read) / max(time.Since(p.start).Seconds(), redraw.Seconds())
	fmt.Fprintf(p.w, "%s%s  %s, %d of %s  %s  %s/s", clearLine, p.verb, p.name, p.file,
		show.Plural(p.files, "file", "files"), humanize.IBytes(uint64(read)), humanize.IBytes(uint64(rate)))
	p.shown = true
}

// clear takes the line away.
func (p *progress) clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.w, clearLine)
		p.shown = false
	}
}
