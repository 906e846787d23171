package scanner

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// A scanning program answers one line for each line of its standard input, until that
// ends:
//
//	<- path of a file
//	-> ok <tab> seconds <tab> COUNT:SUM <tab> COUNT:SUM ...
//	-> error <tab> what went wrong
//
// So it is measured while it lives: started and warm. It opens and closes the file each
// time, and keeps nothing between two.

// scanFunc scans a file.
type scanFunc func(ctx context.Context, path string) (Answer, error)

// scanners are the programs that are part of this one.
var scanners = map[string]func(t *Task) (scanFunc, error){
	"ours":           newOurScan,
	"ours-records":   NewOurRecords,
	"parquet-go":     newParquetScan,
	"raw-walk":       newRawWalk,
	"twmb":           newTwmbScan,
	"goavro":         newGoavroScan,
	"goavro-records": NewGoavroRecords,
}

// Verb is a scanning program: scanner NAME FLAGS.
func Verb(ctx context.Context, args []string) error {
	if len(args) == 0 || scanners[args[0]] == nil {
		return errors.New("usage: scanner NAME --column=C ... --column=C")
	}
	t, err := parseScanTask(args[1:])
	if err != nil {
		return err
	}
	scan, err := scanners[args[0]](t)
	if err != nil {
		return err
	}
	return serve(ctx, os.Stdin, os.Stdout, scan)
}

// Ask has one of the programs scan a file once, in this process.
func Ask(ctx context.Context, program, path string, task *Task) (Answer, error) {
	scan, err := scanners[program](task)
	if err != nil {
		return Answer{}, err
	}
	return scan(ctx, path)
}

func serve(ctx context.Context, r io.Reader, w io.Writer, scan scanFunc) error {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		start := time.Now()
		a, err := scan(ctx, lines.Text())
		took := time.Since(start)
		words := append([]string{"ok", fmt.Sprintf("%.9f", took.Seconds())}, a...)
		if err != nil {
			words = []string{"error", strings.ReplaceAll(err.Error(), "\n", " ")}
		}
		if _, err := fmt.Fprintln(w, strings.Join(words, "\t")); err != nil {
			return err
		}
	}
	return lines.Err()
}

// ParseReply reads a program's line.
func ParseReply(line string) (seconds float64, a Answer, err error) {
	words := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
	switch {
	case words[0] == "error" && len(words) == 2:
		return 0, nil, errors.New(words[1])
	case words[0] != "ok" || len(words) < 2:
		return 0, nil, fmt.Errorf("it answered %q", line)
	}
	if _, err := fmt.Sscanf(words[1], "%g", &seconds); err != nil {
		return 0, nil, fmt.Errorf("it answered %q: %w", line, err)
	}
	return seconds, slices.Clone(words[2:]), nil
}

// formatted makes an answer of tallies.
func formatted(all []tally) Answer {
	a := make(Answer, len(all))
	for i, t := range all {
		a[i] = t.format()
	}
	return a
}
