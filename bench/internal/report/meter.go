package report

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// meter tells how much of the processors others have had since it was started: programs
// that are not the harness's, and, of a virtual machine, its host.
type meter struct {
	start      time.Time
	busy, ours float64 // seconds
}

func StartMeter() meter {
	return meter{start: time.Now(), busy: busyTime(), ours: ourTime()}
}

// Effort is what measuring took, and what others did meanwhile. Children that have not
// been waited for count as others.
func (m meter) Effort() Effort {
	took := time.Since(m.start).Seconds()
	e := Effort{Seconds: took}
	if m.busy > 0 && took > 0 {
		others := busyTime() - m.busy - (ourTime() - m.ours)
		e.Others = min(1, max(0, others/(took*float64(runtime.NumCPU()))))
	}
	return e
}

// ticks are those a second of /proc/stat; Linux has them fixed for programs.
const ticks = 100

// busyTime is the seconds that all processors together were not idle, or 0 where the
// kernel does not tell.
func busyTime() float64 {
	data, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(data), "\n")
	return busyOf(line)
}

// busyOf reads the line of all processors: user, nice, system, idle, iowait, irq,
// softirq, steal, and what is contained in those before.
func busyOf(line string) float64 {
	words := strings.Fields(line)
	if len(words) < 9 || words[0] != "cpu" {
		return 0
	}
	var busy float64
	for i, word := range words[1:9] {
		n, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return 0
		}
		if i != 3 && i != 4 { // idle, and waiting for a disk
			busy += n
		}
	}
	return busy / ticks
}

// ourTime is the processor time of this process and of those that it has waited for.
func ourTime() float64 {
	var all float64
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			all += seconds(u.Utime) + seconds(u.Stime)
		}
	}
	return all
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
