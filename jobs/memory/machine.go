package memory

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"avro2trevni/internal/units"
)

// fallbackMemory is the machine's memory if the system does not report it.
const fallbackMemory = 4 * units.GiB

// DefaultMemory returns a quarter of the memory that the process may use: that of
// the machine, or of the tightest cgroup (version 1 or 2) that it is in.
func DefaultMemory() int64 {
	return max(machineMemory(os.DirFS("/"))/4, 64*units.MiB)
}

// machineMemory returns the bytes that the process may use, from proc and sys below the
// root.
func machineMemory(root fs.FS) int64 {
	total := memTotal(root)
	if total == 0 {
		total = fallbackMemory
	}
	for _, name := range cgroupLimits(root) {
		if n := readNumber(root, name); n > 0 && n < total {
			total = n
		}
	}
	return total
}

// memTotal returns the bytes of the machine's memory, 0 if unknown.
func memTotal(root fs.FS) int64 {
	data, _ := fs.ReadFile(root, "proc/meminfo") // no such file: unknown
	for line := range strings.SplitSeq(string(data), "\n") {
		fields := strings.Fields(line)
		if len(fields) >= 2 && fields[0] == "MemTotal:" {
			n, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil || n > 1<<52 {
				return 0
			}
			return n << 10 // in kB, which are KiB
		}
	}
	return 0
}

// cgroupLimits returns the names of the files that may hold a limit: of the
// process's groups and of those above them, which bind it too.
func cgroupLimits(root fs.FS) []string {
	data, _ := fs.ReadFile(root, "proc/self/cgroup") // no such file: no groups
	var names []string
	for line := range strings.SplitSeq(string(data), "\n") {
		parts := strings.SplitN(line, ":", 3) // number:controllers:path
		if len(parts) != 3 {
			continue
		}
		switch {
		case parts[1] == "":
			names = append(names, above("sys/fs/cgroup", parts[2], "memory.max")...)
		case hasWord(parts[1], "memory"):
			names = append(names, above("sys/fs/cgroup/memory", parts[2], "memory.limit_in_bytes")...)
		}
	}
	return names
}

func hasWord(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}

// above returns the file's name in the group and in each above it. In a container
// the path may be the host's, and only the topmost is there.
func above(mount, group, file string) []string {
	var names []string
	for g := path.Clean("/" + group); ; g = path.Dir(g) {
		names = append(names, path.Join(mount, g, file))
		if g == "/" {
			return names
		}
	}
}

// readNumber returns the number in a file, 0 if it holds something else ("max") or does not
// exist.
func readNumber(root fs.FS, name string) int64 {
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
