package memory

import (
	"testing"
	"testing/fstest"

	"avro2trevni/internal/units"
)

func TestMachineMemory(t *testing.T) {
	const meminfo = "MemTotal:       16777216 kB\nMemFree:  1 kB\n" // 16 GiB
	tests := []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"nothing known", nil, fallbackMemory},
		{"machine", map[string]string{"proc/meminfo": meminfo}, 16 * units.GiB},
		{"machine says nonsense", map[string]string{"proc/meminfo": "MemTotal: x kB\n"}, fallbackMemory},
		{"version 2", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/user/job\n",
			"sys/fs/cgroup/user/job/memory.max": "max\n", "sys/fs/cgroup/user/memory.max": "1073741824\n",
		}, units.GiB},
		{"version 2, the host's path", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/docker/abc\n", "sys/fs/cgroup/memory.max": "536870912\n",
		}, 512 * units.MiB},
		{"version 1", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "5:cpu:/a\n4:hugetlb,memory:/b\n",
			"sys/fs/cgroup/memory/b/memory.limit_in_bytes": "2147483648\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "1\n",
		}, 2 * units.GiB},
		{"version 1, no limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 16 * units.GiB},
		{"a path that climbs", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/../../proc\n", "sys/fs/cgroup/memory.max": "1073741824\n",
		}, units.GiB},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := fstest.MapFS{}
			for name, data := range test.files {
				root[name] = &fstest.MapFile{Data: []byte(data)}
			}
			if got := machineMemory(root); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}
