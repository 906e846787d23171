package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// ofScans reports whether r holds scans, whose tables have columns of their own.
func (r *Results) ofScans() bool { return len(r.Cases) > 0 && r.Cases[0].Scan != nil }

// printScans writes a table of what each case is, and one of the runs.
func (r *Results) printScans(w io.Writer) {
	fmt.Fprintln(w, "| case | question | columns | cores | file |")
	fmt.Fprintln(w, "| --- | --- | ---: | ---: | --- |")
	for _, c := range r.Cases {
		columns := "all"
		if n := len(c.Scan.Columns); n > 0 {
			columns = fmt.Sprintf("%d of %d", n, c.Scan.Of)
		}
		fmt.Fprintf(w, "| %s | %s | %s | %d | %s, %s |\n", c.Name, c.What, columns, c.Scan.Cores, c.Input, c.Scan.state())
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "| case | contender | ms (least–most) | CPU ms | MB read | from disk | peak MiB | rounds |")
	fmt.Fprintln(w, "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, c := range r.Cases {
		for _, o := range c.Contenders {
			o.printScan(w, c.Name)
		}
	}
	fmt.Fprintln(w)
}

// state tells how a case begins.
func (s *ScanSetting) state() string {
	switch {
	case s.Whole:
		return "warm, from the start of the process to its end"
	case s.Cold:
		return "cold"
	default:
		return "warm"
	}
}

func (o *Outcome) printScan(w io.Writer, name string) {
	if len(o.Samples) == 0 {
		fmt.Fprintf(w, "| %s | %s | missing: %s | | | | | |\n", name, o.Name, o.Missing)
		return
	}
	least, most := spread(o.Samples)
	m := o.Median
	fmt.Fprintf(w, "| %s | %s | %s (%s–%s) | %s | %s | %s | %.0f | %d |\n", name, o.Name, millis(m.Wall), millis(least), millis(most),
		millis(m.User+m.System), ThreeDigits(float64(m.Read)/1e6), ThreeDigits(float64(m.Disk)/1e6), float64(m.Memory)/(1<<20), len(o.Samples))
}

// millis writes seconds as milliseconds, with three digits or more.
func millis(seconds float64) string {
	ms := seconds * 1e3
	switch {
	case ms < 10:
		return fmt.Sprintf("%.2f", ms)
	case ms < 100:
		return fmt.Sprintf("%.1f", ms)
	default:
		return fmt.Sprintf("%.0f", ms)
	}
}

// versionList writes the versions of a run's contenders, where there are others than
// Go and Java.
func (r *RunInfo) versionList() string {
	var all []string
	for name, v := range r.Versions {
		if !slices.Contains([]string{"go", "java", "revision"}, name) {
			all = append(all, name+" "+v)
		}
	}
	slices.Sort(all)
	if len(all) == 0 {
		return ""
	}
	return strings.Join(all, ", ") + "; "
}

// ScanSetting is what sets a case of scans apart, for tables and plots.
type ScanSetting struct {
	Columns []string `json:"columns"`        // by their Avro paths
	Of      int      `json:"of"`             // columns that the table has
	Rows    string   `json:"rows,omitempty"` // FROM:TO:STEP; all if empty
	Cores   int      `json:"cores"`
	Cold    bool     `json:"cold,omitempty"`  // the file not in the page cache
	Whole   bool     `json:"whole,omitempty"` // whole processes, from start to exit
}
