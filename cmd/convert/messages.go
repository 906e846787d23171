package main

import (
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"avro2trevni/internal/cmdline"
	"avro2trevni/internal/exit"
)

// complain writes the error where the logs go: a line for a person, or JSON.
func (c *command) complain(err error) {
	code := exit.Code(err)
	var bug *exit.InternalError
	if errors.As(err, &bug) {
		defer fmt.Fprintf(c.stderr, "%s", bug.Stack)
	}
	if c.format == "json" {
		msg := "failed"
		if code == exit.StatusSome {
			msg = "damaged input was skipped"
		}
		c.logger().Error(msg, "error", c.message(err), "exit", code)
		return
	}
	text := c.message(err)
	if code == exit.StatusUsage {
		text += c.meant(text)
	}
	fmt.Fprintf(c.stderr, "convert: %s\n", text)
	if code == exit.StatusUsage {
		fmt.Fprintln(c.stderr, "Try 'convert --help'.")
	}
}

// meant returns what to add to the message of a wrong command line: the word that may have
// been meant, if the message quotes the value of a flag that is not one of its words.
func (c *command) meant(message string) (question string) {
	if c.given == nil {
		return ""
	}
	c.given.Visit(func(f *pflag.Flag) {
		value, legal := f.Value.String(), words[f.Name]
		if question != "" || slices.Contains(legal, value) || !strings.Contains(message, f.Name+" "+strconv.Quote(value)) {
			return
		}
		if word := cmdline.Closest(value, legal); word != "" {
			question = "; did you mean " + word + "?"
		}
	})
	return question
}

// Names of packages that errors begin with, alone or within others. A message may begin
// with "schema: " for the option.
var (
	packages   = regexp.MustCompile(`(^|: |\n)(?:(?:` + strings.Join(cmdline.Packages, "|") + `): )+`)
	schemaName = regexp.MustCompile(`: (?:schema: )+`)
)

// message returns an error's text without names of packages, which tell a reader nothing.
func (c *command) message(err error) string { return c.plain(err.Error()) }

func (c *command) plain(text string) string {
	for _, name := range slices.Concat(c.opts.Inputs, []string{c.opts.Output}) {
		if packages.MatchString(name + ": ") {
			return text // it would lose a file's name
		}
	}
	return schemaName.ReplaceAllString(packages.ReplaceAllString(text, "$1"), ": ")
}

func (c *command) logger() *slog.Logger {
	o := &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: c.attr}
	if c.verbose {
		o.Level = slog.LevelDebug
	}
	if c.format == "json" {
		return slog.New(slog.NewJSONHandler(c.stderr, o))
	}
	if isTerminal(c.stderr) {
		return slog.New(&plainHandler{w: c.stderr, level: o.Level.Level(), attr: c.attr, mu: new(sync.Mutex)})
	}
	return slog.New(slog.NewTextHandler(c.stderr, o))
}

// attr returns an attribute in its logged form.
func (c *command) attr(_ []string, a slog.Attr) slog.Attr {
	if a.Key == "error" || a.Key == "cause" {
		a.Value = slog.StringValue(c.plain(a.Value.String()))
	}
	if c.format == "json" && a.Value.Kind() == slog.KindString {
		a.Value = slog.StringValue(escaped(a.Value.String()))
	}
	return a
}

// escaped returns a text whose bytes that are not of UTF-8 are written as \xNN: JSON would
// lose them.
func escaped(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[0])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}
