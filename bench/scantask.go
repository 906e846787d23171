package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// scanTask is what a scanning program is asked: which columns to sum up, over which
// rows. It reaches the program as arguments, and a file to scan as a line of its
// standard input; see serve.
type scanTask struct {
	columns []string // in the names of the program's format
	rows    rowRange
	threads int
	schema  string // Avro only: a file with the reader schema
}

// rowRange are the rows from, from+step, ... before to. The zero value is all rows.
type rowRange struct{ from, to, step int64 }

func (r rowRange) all() bool { return r.to == 0 }

func (r rowRange) String() string { return fmt.Sprintf("%d:%d:%d", r.from, r.to, r.step) }

// Set makes a rowRange a flag.
func (r *rowRange) Set(s string) error {
	parts := strings.Split(s, ":")
	if len(parts) != 3 {
		return errors.New("want FROM:TO:STEP")
	}
	for i, n := range []*int64{&r.from, &r.to, &r.step} {
		v, err := strconv.ParseInt(parts[i], 10, 64)
		if err != nil || v < 0 {
			return fmt.Errorf("%q is no number of rows", parts[i])
		}
		*n = v
	}
	if r.step < 1 || r.from > r.to {
		return fmt.Errorf("%s has no rows", s)
	}
	return nil
}

// args are t's as a program takes them.
func (t *scanTask) args() []string {
	args := []string{fmt.Sprintf("--threads=%d", t.threads)}
	if !t.rows.all() {
		args = append(args, "--rows="+t.rows.String())
	}
	if t.schema != "" {
		args = append(args, "--schema="+t.schema)
	}
	for _, c := range t.columns {
		args = append(args, "--column="+c)
	}
	return args
}

func parseScanTask(args []string) (*scanTask, error) {
	t := &scanTask{}
	flags := flag.NewFlagSet("scanner", flag.ContinueOnError)
	flags.IntVar(&t.threads, "threads", 1, "threads")
	flags.Var(&t.rows, "rows", "FROM:TO:STEP; all if not given")
	flags.StringVar(&t.schema, "schema", "", "a file with the reader schema")
	flags.Func("column", "a column to sum up; any number of them", func(s string) error {
		t.columns = append(t.columns, s)
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

// scanAnswer is what a program found: COUNT:SUM for each column.
type scanAnswer []string

// same returns what differs between two answers, or nil. Sums of doubles depend on the
// order of adding, which is each program's own: a billionth is let pass.
func (a scanAnswer) same(b scanAnswer) error {
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
