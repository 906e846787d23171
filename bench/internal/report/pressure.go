package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"avro2trevni/bench/internal/data"

	"github.com/dustin/go-humanize"
)

// Pressed is one conversion of an input that is hard on memory.
type Pressed struct {
	Input   string  `json:"input"`
	What    string  `json:"what"`
	Asked   string  `json:"asked"`   // least, a size, or the limit of a cgroup
	Memory  int64   `json:"memory"`  // what it may take, in bytes
	Workers int     `json:"workers"` // asked for
	Peak    int64   `json:"peak"`    // resident bytes at the most, as wait4 tells it
	Seconds float64 `json:"seconds"`
	Refused int64   `json:"refused,omitempty"` // bytes that it says would do, if it refused
	Wrong   string  `json:"wrong,omitempty"`   // what went wrong
}

// mostOver is how far the peak may go beyond --memory.
const mostOver = 1.25

// ratio is the peak's to what was allowed.
func (p *Pressed) ratio() float64 { return float64(p.Peak) / float64(p.Memory) }

// failed reports whether a promise was broken.
func (p *Pressed) failed() bool { return p.Wrong != "" || p.Refused == 0 && p.ratio() > mostOver }

// Least asks for what the program says would do.
const Least = "least"

// printPressure writes one line an input: of each size of memory the worst over the
// numbers of workers.
func (r *Results) printPressure(w io.Writer) {
	var inputs, sizes []string
	worst := map[string]map[string]Pressed{}
	for _, p := range r.Pressure {
		if worst[p.Input] == nil {
			worst[p.Input] = map[string]Pressed{}
			inputs = append(inputs, p.Input)
		}
		if len(inputs) == 1 && (len(sizes) == 0 || sizes[len(sizes)-1] != p.Asked) && worst[p.Input][p.Asked].Input == "" {
			sizes = append(sizes, p.Asked)
		}
		if was := worst[p.Input][p.Asked]; was.Input == "" || p.worse(&was) {
			worst[p.Input][p.Asked] = p
		}
	}
	fmt.Fprintf(w, "Peak resident size in MiB, and in proportion to what was allowed; the worst of %s workers:\n\n", r.workersPressed())
	fmt.Fprintf(w, "| input | %s |\n| --- |%s\n", strings.Join(sizes, " | "), strings.Repeat(" ---: |", len(sizes)))
	for _, input := range inputs {
		row := worst[input]
		cells := []string{row[sizes[0]].What}
		for _, size := range sizes {
			p := row[size]
			cells = append(cells, p.cell())
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	}
	fmt.Fprintln(w)
}

// worse orders by what is to be shown: what is wrong, the largest share of the memory,
// and refusals last, that of the most.
func (p *Pressed) worse(q *Pressed) bool {
	if (p.Wrong != "") != (q.Wrong != "") {
		return p.Wrong != ""
	}
	if p.Refused > 0 || q.Refused > 0 {
		return q.Refused > 0 && p.Refused == 0 || p.Refused > q.Refused && q.Refused > 0
	}
	return p.ratio() > q.ratio()
}

func (p *Pressed) cell() string {
	switch {
	case p.Input == "":
		return ""
	case p.Wrong != "":
		return p.Wrong
	case p.Refused > 0:
		return "refused: " + humanize.IBytes(uint64(p.Refused))
	case p.Asked == Least:
		return fmt.Sprintf("%d of %d, %.2f", p.Peak>>20, p.Memory>>20, p.ratio())
	}
	return fmt.Sprintf("%d, %.2f", p.Peak>>20, p.ratio())
}

// workersPressed lists the numbers of workers.
func (r *Results) workersPressed() string {
	var all []string
	for _, p := range r.Pressure {
		if n := strconv.Itoa(p.Workers); !data.Wanted(append(all, ""), n) {
			all = append(all, n)
		}
	}
	return strings.Join(all, ", ")
}
