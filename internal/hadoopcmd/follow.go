package hadoopcmd

import (
	"bufio"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Event is something that the client logged of a job.
type Event struct {
	Job         string // its ID, once it is known
	Map, Reduce int    // percent done
	Failed      string // the attempt that failed, if the event is that
}

// Result is what the client logged in the end.
type Result struct {
	Job      string
	Counters map[string]int64 // by their names as they are printed
}

var (
	jobLine      = regexp.MustCompile(`Running job: (job_[0-9]+_[0-9]+)`)
	progressLine = regexp.MustCompile(` map ([0-9]+)% reduce ([0-9]+)%`)
	failedLine   = regexp.MustCompile(`Task Id : (attempt_[0-9A-Za-z_]+), Status : FAILED`)
	counterLine  = regexp.MustCompile(`^\t\t(.+)=(-?[0-9]+)$`)
)

// keptLines is how many of the client's last lines are kept, for an error.
const keptLines = 30

// follower reads what the client says. Several goroutines.
type follower struct {
	told func(Event)

	mu    sync.Mutex
	now   Event
	res   Result
	lines []string // the last
}

// read reads one of the client's streams to its end.
func (f *follower) read(r io.Reader) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			f.line(strings.TrimRight(line, "\r\n"))
		}
		if err != nil {
			return // the client has gone, and its exit status tells
		}
	}
}

// line takes note of a line.
func (f *follower) line(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lines = append(f.lines, line); len(f.lines) > keptLines {
		f.lines = append(f.lines[:0], f.lines[1:]...)
	}
	if m := counterLine.FindStringSubmatch(line); m != nil {
		if n, err := strconv.ParseInt(m[2], 10, 64); err == nil {
			f.res.Counters[m[1]] = n
		}
		return
	}
	e := f.now
	switch {
	case match(jobLine, line, func(m []string) { f.now.Job, f.res.Job = m[1], m[1] }):
	case match(progressLine, line, func(m []string) {
		f.now.Map, _ = strconv.Atoi(m[1]) // digits, by the pattern
		f.now.Reduce, _ = strconv.Atoi(m[2])
	}):
	case match(failedLine, line, func(m []string) { e.Failed = m[1] }):
		f.told(e)
		return
	}
	if f.now != e {
		f.told(f.now)
	}
}

func match(re *regexp.Regexp, line string, found func(m []string)) bool {
	m := re.FindStringSubmatch(line)
	if m != nil {
		found(m)
	}
	return m != nil
}

// job returns the job's ID, "" before it is known.
func (f *follower) job() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now.Job
}

// complaint returns the lines among the last ones that describe an error, or else all of
// them.
func (f *follower) complaint() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var bad []string
	for _, l := range f.lines {
		for _, word := range []string{"ERROR", "Exception", "Error:", "failed", "FAILED"} {
			if strings.Contains(l, word) {
				bad = append(bad, strings.TrimSpace(l))
				break
			}
		}
	}
	if len(bad) == 0 {
		bad = f.lines
	}
	return strings.Join(bad[max(0, len(bad)-8):], "; ")
}
