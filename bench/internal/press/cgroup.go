package press

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/report"
	"avro2trevni/internal/avrotest"
)

// inGroup converts an input in a cgroup whose memory is limited, without --memory: what
// it may take then is a quarter of the limit. Where no group can be made nothing is
// entered.
func (p *presser) inGroup(ctx context.Context, in avrotest.Pressure) error {
	dir, file := newGroup()
	if dir == "" {
		return nil
	}
	defer os.Remove(dir) // nothing runs in it any more
	limit := int64(data.MustBytes(p.limit))
	if err := os.WriteFile(filepath.Join(dir, file), []byte(strconv.FormatInt(limit, 10)), 0o644); err != nil {
		return fmt.Errorf("bench: limit a cgroup: %w", err)
	}
	one := report.Pressed{Input: in.Name, What: in.What, Asked: "cgroup of " + p.limit, Memory: limit / 4, Workers: p.workers[len(p.workers)-1]}
	if err := os.RemoveAll(p.output()); err != nil {
		return err
	}
	script := `echo $$ > "$0" && exec "$@"`
	report := filepath.Join(p.Work, "report.json")
	cmd := exec.CommandContext(ctx, "sh", "-c", script, filepath.Join(dir, "cgroup.procs"),
		p.Ours, "--workers", strconv.Itoa(one.Workers), "--report", report, filepath.Join(p.dir, in.Name), p.output())
	if err := p.conclude(ctx, &one, cmd); err != nil {
		return err
	}
	if one.Wrong == "" && one.Refused == 0 {
		if got, err := memoryOf(report); err != nil || got != one.Memory {
			one.Wrong = fmt.Sprintf("took --memory to be %d: %v", got, err)
		}
	}
	p.done = append(p.done, one)
	return os.RemoveAll(report)
}

// memoryOf reads from the end of a report the memory that the run kept to: the whole may
// be large.
func memoryOf(report string) (int64, error) {
	f, err := os.Open(report)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	end := make([]byte, min(info.Size(), 2000))
	if _, err := f.ReadAt(end, info.Size()-int64(len(end))); err != nil {
		return 0, err
	}
	_, text, found := strings.Cut(string(end), "\n  \"run\": ")
	var run struct{ Memory int64 }
	if !found {
		return 0, errors.New("no run in the report")
	}
	err = json.NewDecoder(strings.NewReader(text)).Decode(&run)
	return run.Memory, err
}

// newGroup makes a cgroup below this process's own, of version 2 or 1, and returns its
// folder and the name of the file with its limit; "" if that can't be.
func newGroup() (dir, file string) {
	own, _ := os.ReadFile("/proc/self/cgroup") // no such file: no groups
	for line := range strings.Lines(string(own)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		mount, file := "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
		if parts[1] == "" {
			mount, file = "/sys/fs/cgroup", "memory.max"
		} else if parts[1] != "memory" {
			continue
		}
		dir := filepath.Join(mount, parts[2], fmt.Sprintf("avro2trevni-%d", os.Getpid()))
		if err := os.Mkdir(dir, 0o755); err != nil {
			continue
		}
		if data.Exists(filepath.Join(dir, file)) {
			return dir, file
		}
		_ = os.Remove(dir) // a group without a limit of memory, or no group
	}
	return "", ""
}
