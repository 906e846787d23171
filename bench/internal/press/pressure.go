package press

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/report"
	"avro2trevni/bench/internal/run"
	"avro2trevni/internal/avrotest"
)

// pressing is what is converted, and with what.
type pressing struct {
	avrotest.Sizes
	memory  []string
	workers []int
	limit   string // of a cgroup
}

var (
	fullPressing = pressing{
		avrotest.Sizes{Blocks: []int{64 << 10, 1 << 20, 16 << 20, 64 << 20}, Total: 48 << 20, String: 50_000_000, Columns: 5000, Files: 100_000, Elements: 1_000_000},
		[]string{report.Least, "96MiB", "128MiB", "256MiB", "1GiB"}, []int{1, 2, 8}, "1GiB",
	}
	quickPressing = pressing{
		avrotest.Sizes{Blocks: []int{16 << 20}, Total: 48 << 20, String: 8_000_000, Columns: 2000, Files: 5000, Elements: 100_000},
		[]string{report.Least, "256MiB"}, []int{2}, "1GiB",
	}
)

// PressureVerb converts inputs that are hard on memory in all sizes of --memory.
func PressureVerb(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("pressure", flag.ContinueOnError)
	cache := data.CacheFlag(flags)
	quick := flags.Bool("quick", false, "small inputs")
	out := flags.String("out", "", "the file of results (default bench/results/pressure.json; none with -quick or names of inputs)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	with, folder := fullPressing, "pressure"
	if *quick {
		with, folder = quickPressing, "pressure-quick"
	}
	if *out == "" && !*quick && flags.NArg() == 0 {
		*out = filepath.Join("bench", "results", "pressure.json")
	}
	unlock, err := run.Lock(*cache)
	if err != nil {
		return err
	}
	defer unlock()
	h, err := run.NewHarness(ctx, *cache, 1) // a peak is no time: one round
	if err != nil {
		return err
	}
	if h.Ours == "" {
		return errors.New("bench: there is no program to measure")
	}
	p := &presser{Harness: h, pressing: with, dir: h.Data(folder), names: flags.Args(), digests: map[string][32]byte{}}
	if err := p.makeInputs(ctx, *quick); err != nil {
		return err
	}
	all := &report.Results{Runs: []report.RunInfo{{
		Machine: report.ThisMachine(), Versions: report.Versions(ctx), Pairs: 1, Quick: *quick, Command: "bin/bench pressure",
	}}}
	if err := p.run(ctx); err != nil {
		return err
	}
	all.Pressure = p.done
	if *out != "" {
		if err := all.Save(*out); err != nil {
			return err
		}
	}
	all.Print(os.Stdout)
	return all.Missed()
}

// presser is the work of pressureVerb.
type presser struct {
	*run.Harness
	pressing
	dir     string
	names   []string // of inputs; all if empty
	done    []report.Pressed
	digests map[string][32]byte // of the first output of each input
}

// makeInputs makes what is missing, in another process: what this one holds would count
// into its children's peaks.
func (p *presser) makeInputs(ctx context.Context, quick bool) error {
	cmd := exec.CommandContext(ctx, p.Self, "press", "-quick="+strconv.FormatBool(quick), p.dir)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// PressVerb makes the inputs of pressureVerb in a folder.
func PressVerb(_ context.Context, args []string) error {
	flags := flag.NewFlagSet("press", flag.ContinueOnError)
	quick := flags.Bool("quick", false, "small ones")
	if err := flags.Parse(args); err != nil {
		return err
	}
	sizes := fullPressing.Sizes
	if *quick {
		sizes = quickPressing.Sizes
	}
	dir := flags.Arg(0)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, in := range avrotest.Pressures(sizes) {
		path := filepath.Join(dir, in.Name)
		if data.Exists(path) {
			continue
		}
		fmt.Fprintf(os.Stderr, "making %s\n", in.What)
		if err := errors.Join(os.RemoveAll(path+".tmp"), in.Write(path+".tmp"), os.Rename(path+".tmp", path)); err != nil {
			return err
		}
	}
	return nil
}

func (p *presser) run(ctx context.Context) error {
	for _, in := range avrotest.Pressures(p.Sizes) {
		if !data.Wanted(p.names, in.Name) {
			continue
		}
		fmt.Fprintln(os.Stderr, in.Name)
		for _, workers := range p.workers {
			for _, memory := range p.memory {
				if err := p.press(ctx, in, memory, workers); err != nil {
					return err
				}
			}
		}
		if err := p.inGroup(ctx, in); err != nil {
			return err
		}
	}
	return os.RemoveAll(p.output())
}

func (p *presser) output() string { return filepath.Join(p.Work, "pressed") }

// press converts an input once and keeps what came of it. The least memory is found by
// asking: each refusal says what would do as far as is known by then.
func (p *presser) press(ctx context.Context, in avrotest.Pressure, memory string, workers int) error {
	one := report.Pressed{Input: in.Name, What: in.What, Asked: memory, Memory: 16 << 20, Workers: workers}
	if memory != report.Least {
		one.Memory = int64(data.MustBytes(memory))
	}
	const mostAsked = 5
	for range mostAsked {
		if err := p.convert(ctx, &one, "--memory", strconv.FormatInt(one.Memory, 10)); err != nil {
			return err
		}
		if memory != report.Least || one.Refused <= one.Memory {
			break
		}
		one.Memory, one.Refused = one.Refused, 0
	}
	if memory == report.Least && one.Refused > 0 {
		one.Wrong = fmt.Sprintf("refused %d bytes, which it had asked for", one.Memory)
	}
	p.done = append(p.done, one)
	return nil
}

// leastSaid finds what a refusal says would do.
var leastSaid = regexp.MustCompile(`it needs at least .* \((\d+) bytes\)`)

// convert runs the program once.
func (p *presser) convert(ctx context.Context, one *report.Pressed, flags ...string) error {
	if err := os.RemoveAll(p.output()); err != nil {
		return err
	}
	args := append([]string{"--workers", strconv.Itoa(one.Workers)}, flags...)
	cmd := exec.CommandContext(ctx, p.Ours, append(args, filepath.Join(p.dir, one.Input), p.output())...)
	return p.conclude(ctx, one, cmd)
}

// conclude runs a command to its end and enters what came of it.
func (p *presser) conclude(ctx context.Context, one *report.Pressed, cmd *exec.Cmd) error {
	var said strings.Builder
	cmd.Stderr = &said
	start := time.Now()
	err := cmd.Run()
	if ctx.Err() != nil || cmd.ProcessState == nil {
		return errors.Join(ctx.Err(), err)
	}
	one.Seconds = time.Since(start).Seconds()
	one.Peak = cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10 // Linux counts KiB
	refusal := leastSaid.FindStringSubmatch(said.String())
	switch {
	case err == nil:
		one.Wrong, err = p.compare(one.Input)
		return err
	case cmd.ProcessState.ExitCode() == 3 && refusal != nil:
		one.Refused, err = strconv.ParseInt(refusal[1], 10, 64)
		return err
	}
	one.Wrong = fmt.Sprintf("%v: %s", err, run.Tail(said.String()))
	return nil
}

// compare reports whether the output is not that of the input's first conversion.
func (p *presser) compare(input string) (wrong string, err error) {
	h := sha256.New()
	parts, err := filepath.Glob(filepath.Join(p.output(), "part-*.trv"))
	if err != nil || len(parts) == 0 {
		return "no output", err
	}
	for _, part := range parts {
		f, err := os.Open(part)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(h, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return "", err
		}
	}
	sum := [32]byte(h.Sum(nil))
	if first, ok := p.digests[input]; ok && first != sum {
		return "other bytes than with other memory", nil
	}
	p.digests[input] = sum
	return "", nil
}
