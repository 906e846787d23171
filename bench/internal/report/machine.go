package report

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"

	"avro2trevni/bench/internal/data"
)

// machine is what the figures were measured on.
type machine struct {
	Processor string `json:"processor"`
	CPUs      int    `json:"cpus"`
	Memory    string `json:"memory"`
	Kernel    string `json:"kernel"`
	Load      string `json:"load"` // processes that wanted to run, in the minute before
}

func ThisMachine() machine {
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	loads, _ := os.ReadFile("/proc/loadavg")
	load, _, _ := strings.Cut(string(loads), " ")
	return machine{
		Processor: ProcField("/proc/cpuinfo", "model name"),
		CPUs:      runtime.NumCPU(),
		Memory:    ProcField("/proc/meminfo", "MemTotal"),
		Kernel:    strings.TrimSpace(string(kernel)),
		Load:      load,
	}
}

// ProcField finds the first line "name : value" of a file, or "unknown".
func ProcField(path, name string) string {
	data, _ := os.ReadFile(path)
	for line := range strings.Lines(string(data)) {
		key, value, ok := strings.Cut(line, ":")
		if ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

// Versions are those of all that took part.
func Versions(ctx context.Context) map[string]string {
	return map[string]string{
		"go":         runtime.Version(),
		"java":       firstLine(ctx, "java", "-version"),
		"avro-tools": data.AvroToolsVersion,
		"polars":     data.PolarsVersion,
		"spark":      data.SparkVersion,
		"revision":   revision(ctx),

		"arrow-rs": data.ArrowRSVersion, "datafusion": data.DatafusionVersion, "chdb": data.ChdbVersion,
		"duckdb with avro": data.DuckdbAvroVersion, "parquet-avro": data.ParquetAvroVersion,
		"duckdb": data.DuckdbVersion, "pyarrow": data.PyarrowVersion,
	}
}

// dirty ends the name of a revision that there are changes to.
const dirty = "-dirty"

// measuredTree are the files that what is measured is made of: all but results and texts,
// which the harness writes itself.
var measuredTree = []string{"--", ".", ":(exclude)bench/results", ":(exclude)docs", ":(exclude)*.md"}

// revision names the last commit that changed what is measured, and tells whether there
// are changes since.
func revision(ctx context.Context) string {
	name := firstLine(ctx, "git", append([]string{"log", "-1", "--format=%h"}, measuredTree...)...)
	changes, err := exec.CommandContext(ctx, "git", append([]string{"status", "--porcelain"}, measuredTree...)...).Output()
	if err != nil || len(changes) > 0 {
		name += dirty
	}
	return name
}

// ModuleVersion is that of a library which this program is built with.
func ModuleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, m := range info.Deps {
		if m.Path == path {
			return m.Version
		}
	}
	return "unknown"
}

func firstLine(ctx context.Context, name string, args ...string) string {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return "missing"
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line
}
