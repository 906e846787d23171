package scanner

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Task is what a scanning program is asked: which columns to sum up, over which
// rows. It reaches the program as arguments, and a file to scan as a line of its
// standard input; see serve.
type Task struct {
	Columns []string // in the names of the program's format
	Rows    RowRange
	Threads int
	Schema  string // Avro only: a file with the reader schema
}

// RowRange are the rows from, from+step, ... before to. The zero value is all rows.
type RowRange struct{ From, To, Step int64 }

func (r RowRange) All() bool { return r.To == 0 }

func (r RowRange) String() string { return fmt.Sprintf("%d:%d:%d", r.From, r.To, r.Step) }

// Set makes a rowRange a flag.
func (r *RowRange) Set(s string) error {
	parts := strings.Split(s, ":")
	if len(parts) != 3 {
		return errors.New("want FROM:TO:STEP")
	}
	for i, n := range []*int64{&r.From, &r.To, &r.Step} {
		v, err := strconv.ParseInt(parts[i], 10, 64)
		if err != nil || v < 0 {
			return fmt.Errorf("%q is no number of rows", parts[i])
		}
		*n = v
	}
	if r.Step < 1 || r.From > r.To {
		return fmt.Errorf("%s has no rows", s)
	}
	return nil
}

// Args are t's as a program takes them.
func (t *Task) Args() []string {
	args := []string{fmt.Sprintf("--threads=%d", t.Threads)}
	if !t.Rows.All() {
		args = append(args, "--rows="+t.Rows.String())
	}
	if t.Schema != "" {
		args = append(args, "--schema="+t.Schema)
	}
	for _, c := range t.Columns {
		args = append(args, "--column="+c)
	}
	return args
}

func parseScanTask(args []string) (*Task, error) {
	t := &Task{}
	flags := flag.NewFlagSet("scanner", flag.ContinueOnError)
	flags.IntVar(&t.Threads, "threads", 1, "threads")
	flags.Var(&t.Rows, "rows", "FROM:TO:STEP; all if not given")
	flags.StringVar(&t.Schema, "schema", "", "a file with the reader schema")
	flags.Func("column", "a column to sum up; any number of them", func(s string) error {
		t.Columns = append(t.Columns, s)
		return nil
	})
	return t, flags.Parse(args)
}

// tally sums up a column: its values, nulls left out, and their sum. Booleans count as
// one if true, strings and bytes as their length in bytes. Whole numbers are added
// modulo 2^64.
type tally struct {
	count  int64
	whole  int64
	broken float64
}

func (t *tally) add(u tally) {
	t.count += u.count
	t.whole += u.whole
	t.broken += u.broken
}

// format writes a tally as programs answer it; only one of the sums is in use.
func (t tally) format() string {
	sum := strconv.FormatInt(t.whole, 10)
	if t.broken != 0 {
		sum = strconv.FormatFloat(t.broken, 'g', -1, 64)
	}
	return strconv.FormatInt(t.count, 10) + ":" + sum
}

// Answer is what a program found: COUNT:SUM for each column.
type Answer []string

// Same returns what differs between two answers, or nil. Sums of doubles depend on the
// order of adding, which is each program's own: a billionth is let pass.
func (a Answer) Same(b Answer) error {
	if len(a) != len(b) {
		return fmt.Errorf("answers differ: %d columns, and %d", len(a), len(b))
	}
	for i := range a {
		countA, sumA, _ := strings.Cut(a[i], ":")
		countB, sumB, _ := strings.Cut(b[i], ":")
		if countA != countB || !sameSum(sumA, sumB) {
			return fmt.Errorf("answers differ: column %d is %s, and %s", i, a[i], b[i])
		}
	}
	return nil
}

func sameSum(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX != nil || errY != nil {
		return false
	}
	return math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y)) || math.IsNaN(x) && math.IsNaN(y)
}
