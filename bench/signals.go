package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// signalled is what came of signals in one stage of one conversion.
type signalled struct {
	Case    string    `json:"case"`
	Stage   string    `json:"stage"`   // the last thing that it told
	Seconds []float64 `json:"seconds"` // from the signal to the exit
}

// mostSeconds is how long a run may take to end after a signal.
const mostSeconds = 2

// signalCase is a conversion that is to be interrupted.
type signalCase struct {
	name, input string // the input below the cache's data
	args        []string
	output      string
}

func signalCases() []signalCase {
	return []signalCase{
		{"lineitem, files of 64 MiB, spilling", "lineitem-snappy.avro", []string{"--memory", "96MiB", "--file-size", "64MiB"}, "out"},
		{"lineitem, one file, spilling, verified", "lineitem-snappy.avro", []string{"--memory", "96MiB", "--verify"}, "out.trv"},
		{"100,000 files", filepath.Join("pressure", "files"), []string{"--memory", "256MiB"}, "out"},
		{"blocks of 64 MiB, snappy", filepath.Join("pressure", "blocks-snappy-65536KiB"), []string{"--memory", "256MiB"}, "out"},
	}
}

// signalsVerb interrupts conversions at random instants and measures how long they take
// to end.
func signalsVerb(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("signals", flag.ContinueOnError)
	p := cacheFlag(flags)
	n := flags.Int("n", 50, "signals in each case")
	if err := flags.Parse(args); err != nil {
		return err
	}
	unlock, err := lock(*p)
	if err != nil {
		return err
	}
	defer unlock()
	h, err := newHarness(ctx, *p, 1)
	if err != nil {
		return err
	}
	var errs []error
	fmt.Print("Seconds from SIGINT or SIGTERM to the exit, by the last thing that the run had told:\n\n")
	fmt.Print("| conversion | last told | signals | median s | most s |\n| --- | --- | ---: | ---: | ---: |\n")
	for _, c := range signalCases() {
		if !exists(h.data(c.input)) {
			fmt.Fprintf(os.Stderr, "%s is missing: run the verbs data and pressure\n", c.input)
			continue
		}
		s := &signaller{harness: h, signalCase: c, stages: map[string]*signalled{}}
		errs = append(errs, s.run(ctx, *n))
		s.print(os.Stdout)
	}
	return errors.Join(errs...)
}

// signaller interrupts one conversion again and again.
type signaller struct {
	*harness
	signalCase
	took   time.Duration // of a run that isn't interrupted
	stages map[string]*signalled
	order  []string
}

func (s *signaller) run(ctx context.Context, n int) error {
	start := time.Now()
	if _, err := s.once(ctx, time.Hour, syscall.SIGTERM); err != nil {
		return err
	}
	s.took = time.Since(start)
	for i := 0; i < n; {
		sig := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[i%2]
		hit, err := s.once(ctx, time.Duration(rand.Int64N(int64(s.took))), sig)
		if err != nil {
			return err
		}
		if hit {
			i++
		}
	}
	return s.clear()
}

func (s *signaller) clear() error { return os.RemoveAll(filepath.Join(s.work, "signals")) }

// once runs the conversion and sends it a signal after a while, and reports whether that
// came in time.
func (s *signaller) once(ctx context.Context, after time.Duration, sig syscall.Signal) (hit bool, err error) {
	dir := filepath.Join(s.work, "signals")
	if err := errors.Join(s.clear(), os.MkdirAll(filepath.Join(dir, "temp"), 0o755)); err != nil {
		return false, err
	}
	args := append([]string{"--verbose", "--temp-dir", filepath.Join(dir, "temp")}, s.args...)
	cmd := exec.CommandContext(ctx, s.ours, append(args, s.data(s.input), filepath.Join(dir, s.output))...)
	said := new(lastLine)
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		return false, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			err = fmt.Errorf("bench: %s: %w: %s", s.name, err, said.String())
		}
		return false, err
	case <-time.After(after):
	}
	stage := said.stage()
	start := time.Now()
	_ = cmd.Process.Signal(sig) // one that has ended is seen below
	<-ended
	seconds := time.Since(start).Seconds()
	switch code := cmd.ProcessState.ExitCode(); {
	case code == 0:
		return false, nil
	case code != 128+int(sig):
		return false, fmt.Errorf("bench: %s: exit status %d after signal %d: %s", s.name, code, sig, said.String())
	}
	s.enter(stage, seconds)
	return true, s.nothingLeft(dir)
}

// nothingLeft checks that an interrupted run left nothing behind, and published nothing.
func (s *signaller) nothingLeft(dir string) error {
	return filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasSuffix(path, ".lock") {
			err = fmt.Errorf("bench: %s: an interrupted run left %s", s.name, filepath.Base(path))
		}
		return err
	})
}

func (s *signaller) enter(stage string, seconds float64) {
	if s.stages[stage] == nil {
		s.stages[stage] = &signalled{Case: s.name, Stage: stage}
		s.order = append(s.order, stage)
	}
	s.stages[stage].Seconds = append(s.stages[stage].Seconds, seconds)
}

func (s *signaller) print(w io.Writer) {
	slices.Sort(s.order)
	for _, stage := range s.order {
		all := s.stages[stage].Seconds
		most := slices.Max(all)
		fmt.Fprintf(w, "| %s | %s | %d | %.2f | %.2f |\n", s.name, stage, len(all), median(all), most)
		if most > mostSeconds {
			fmt.Fprintf(os.Stderr, "%s, %s: took longer than %d s\n", s.name, stage, mostSeconds)
		}
	}
}

// lastLine keeps the last whole line that was written to it.
type lastLine struct {
	mu   sync.Mutex
	rest string // behind the last line
	line string
}

func (l *lastLine) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.rest + string(p)
	if end := strings.LastIndexByte(text, '\n'); end >= 0 {
		l.rest = text[end+1:]
		l.line = text[strings.LastIndexByte(text[:end], '\n')+1 : end]
	} else {
		l.rest = text
	}
	return len(p), nil
}

func (l *lastLine) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.line
}

// message finds what a line of the log is about.
var message = regexp.MustCompile(`msg=("[^"]*"|\S+)`)

// stage is what the last line is about.
func (l *lastLine) stage() string {
	m := message.FindStringSubmatch(l.String())
	if m == nil {
		return "nothing yet"
	}
	return strings.Trim(m[1], `"`)
}
