package streaming

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

// group is the name of the counters' group.
const group = "avro2trevni"

// Reporter tells Hadoop how a task is doing, by lines on its standard error; each is a
// sign of life too. It is for several goroutines.
type Reporter struct {
	mu sync.Mutex
	w  io.Writer
}

// NewReporter returns a reporter that writes to w.
func NewReporter(w io.Writer) *Reporter { return &Reporter{w: w} }

// Count adds n to a counter of the job.
func (r *Reporter) Count(name string, n int64) {
	if n != 0 {
		r.line("counter:%s,%s,%d", group, name, n)
	}
}

// Status says what the task is at, in one line.
func (r *Reporter) Status(format string, args ...any) {
	r.line("status:%s", strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " "))
}

func (r *Reporter) line(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.w, "reporter:"+format+"\n", args...) // there is no way to report a failure of the report
}
