package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/pflag"

	"avro2trevni/internal/ocf"
)

// given is a flag that refuses an empty value.
type given struct {
	pflag.Value
	what string
}

// Set sets the value.
func (g given) Set(text string) error {
	if text == "" {
		return fmt.Errorf("no %s given", g.what)
	}
	return g.Value.Set(text)
}

// sizeFlag is a flag of bytes, kept where set stores it.
type sizeFlag struct {
	value int64
	set   func(int64) error
}

// newSize returns a flag that stores in p, with the default def.
func newSize(p *int64, def int64) *sizeFlag {
	return &sizeFlag{value: def, set: func(n int64) error { *p = n; return nil }}
}

// newIntSize is newSize for an int.
func newIntSize(p *int, def int) *sizeFlag {
	return &sizeFlag{value: int64(def), set: func(n int64) error {
		if n > math.MaxInt32 {
			return fmt.Errorf("is too large")
		}
		*p = int(n)
		return nil
	}}
}

// Set parses a size. It refuses zero, which would mean the default.
func (s *sizeFlag) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err != nil {
		return fmt.Errorf("not a size such as 64KiB, 128MB or 1GiB")
	}
	if n == 0 || n > math.MaxInt64 {
		return fmt.Errorf("out of range")
	}
	s.value = int64(n)
	return s.set(s.value)
}

// String returns the size as people write it, empty if there is none.
func (s *sizeFlag) String() string {
	if s.value == 0 {
		return ""
	}
	return strings.NewReplacer(" ", "", ".0", "").Replace(humanize.IBytes(uint64(s.value)))
}

// Type names the value in --help.
func (s *sizeFlag) Type() string { return "SIZE" }

// countFlag is a number from 1; unset, it shows no default.
type countFlag[T int | int64] struct{ n *T }

// Set parses a number from 1.
func (c countFlag[T]) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || int64(T(n)) != n {
		return fmt.Errorf("not a number from 1")
	}
	*c.n = T(n)
	return nil
}

// String returns the number, empty if there is none.
func (c countFlag[T]) String() string {
	if c.n == nil || *c.n == 0 {
		return ""
	}
	return fmt.Sprint(*c.n)
}

// Type names the value in --help.
func (c countFlag[T]) Type() string { return "N" }

// ageFlag is a duration, which may be given in days too.
type ageFlag time.Duration

// Set parses a number with a unit, or several as in 1h30m.
func (a *ageFlag) Set(text string) error {
	d, err := time.ParseDuration(text)
	if days, found := strings.CutSuffix(text, "d"); found {
		var n float64
		n, err = strconv.ParseFloat(days, 64)
		d = time.Duration(n * float64(24*time.Hour))
		if n > maxDays {
			err = strconv.ErrRange
		}
	}
	if err != nil || d < 0 {
		return fmt.Errorf("not an age such as 30s, 5m, 12h or 2d")
	}
	*a = ageFlag(d)
	return nil
}

// maxDays is less than the longest duration.
const maxDays = 100_000

// String returns the age, empty if there is none.
func (a *ageFlag) String() string {
	if *a == 0 {
		return ""
	}
	return time.Duration(*a).String()
}

// Type names the value in --help.
func (a *ageFlag) Type() string { return "AGE" }

// metaFlag collects key=value.
type metaFlag []ocf.Meta

// Set takes one key and value.
func (m *metaFlag) Set(text string) error {
	key, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("not KEY=VALUE")
	}
	*m = append(*m, ocf.Meta{Key: key, Value: []byte(value)})
	return nil
}

// String returns nothing: there is no default.
func (m *metaFlag) String() string { return "" }

// Type names the value in --help.
func (m *metaFlag) Type() string { return "KEY=VALUE" }
