package cmdline

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// Usage returns an error of parsing flags with a message for people: the flag, its value,
// and what is wrong; for an unknown flag, the one that may have been meant. Other errors are
// returned as they are.
func Usage(err error, flags *pflag.FlagSet) error {
	var value *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &value):
		return valueError(value)
	case errors.As(err, &missing) && missing.GetSpecifiedShortnames() == "":
		name, _ := pflag.UnquoteUsage(missing.GetFlag())
		return fmt.Errorf("--%s: needs a value, %s", missing.GetSpecifiedName(), name)
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		if meant := Closest(unknown.GetSpecifiedName(), names(flags)); meant != "" {
			return fmt.Errorf("%w; did you mean --%s?", err, meant)
		}
	}
	return err
}

func valueError(e *pflag.InvalidValueError) error {
	cause := e.Unwrap()
	var number *strconv.NumError // of pflag's own types, with a name of strconv's in front
	if errors.As(cause, &number) {
		cause = errors.New("not a number")
		if e.GetFlag().Value.Type() == "bool" {
			cause = errors.New("not true or false")
		}
	}
	if e.GetValue() == "" {
		return fmt.Errorf("--%s: %w", e.GetFlag().Name, cause)
	}
	return fmt.Errorf("--%s %q: %w", e.GetFlag().Name, e.GetValue(), cause)
}

// names returns those of the flags that --help shows.
func names(flags *pflag.FlagSet) (all []string) {
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			all = append(all, f.Name)
		}
	})
	return all
}

// Closest returns the word that may have been meant by another: the only one that begins
// with it, or the nearest one, which differs in at most two letters, and in fewer than half
// of the letters. It returns "" if there is none.
func Closest(word string, words []string) string {
	var longer []string
	best, least := "", 3
	for _, w := range words {
		if len(word) >= 3 && strings.HasPrefix(w, word) {
			longer = append(longer, w)
		}
		if n := distance(word, w); n < least && 2*n < max(len(word), len(w)) {
			best, least = w, n
		}
	}
	if len(longer) == 1 {
		return longer[0]
	}
	return best
}

// distance returns the number of bytes to insert, delete, replace, or swap with the next one,
// that makes a of b.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			change := 1
			if a[i] == b[j] {
				change = 0
			}
			row[j+1] = min(last[j]+change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
