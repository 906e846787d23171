package cmdline

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Manual is a page of section 1 of the manual, as man(1) reads it.
type Manual struct {
	Name, Version string
	Summary       string   // half a sentence: what the program does
	Synopsis      []string // command lines, with the program's name
	Sections      []Section
}

// Section is a part of a manual page.
type Section struct {
	Title string
	Text  string         // paragraphs, with empty lines between them; lines that begin with two blanks stay as they are
	Flags *pflag.FlagSet // after the text, if not nil
	Sub   bool           // a part of the section before it
}

// Sections returns a section of flags, with a part for each group.
func (g Groups) Sections(title string) []Section {
	all := []Section{{Title: title}}
	for _, group := range g {
		all = append(all, Section{Title: group.Title, Flags: group.Flags, Sub: true})
	}
	return all
}

// Write writes the page. It has no date, so that the same program has the same page.
func (m *Manual) Write(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, ".TH %s 1 \"\" %q\n", strings.ToUpper(m.Name), m.Name+" "+m.Version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.nf\n", m.Name, roff(m.Summary))
	for _, line := range m.Synopsis {
		b.WriteString(roff(line) + "\n")
	}
	b.WriteString(".fi\n")
	for _, s := range m.Sections {
		if s.Sub {
			fmt.Fprintf(&b, ".SS %s\n", roff(s.Title))
		} else {
			fmt.Fprintf(&b, ".SH %s\n", roff(strings.ToUpper(s.Title)))
		}
		writeText(&b, s.Text)
		if s.Flags != nil {
			writeFlags(&b, s.Flags)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// writeText writes paragraphs.
func writeText(b *bytes.Buffer, text string) {
	verbatim := false
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		line = strings.TrimRight(line, "\n")
		if indented := strings.HasPrefix(line, "  "); indented != verbatim && line != "" {
			verbatim = indented
			b.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[verbatim])
		}
		if line == "" {
			b.WriteString(".PP\n")
			continue
		}
		b.WriteString(roff(line) + "\n")
	}
	if verbatim {
		b.WriteString(".fi\n")
	}
}

// writeFlags writes what --help says of flags.
func writeFlags(b *bytes.Buffer, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		b.WriteString(".TP\n")
		if f.Shorthand != "" {
			fmt.Fprintf(b, "\\fB%s\\fR, ", roff("-"+f.Shorthand))
		}
		fmt.Fprintf(b, "\\fB%s\\fR", roff("--"+f.Name))
		if value != "" {
			fmt.Fprintf(b, " \\fI%s\\fR", roff(value))
		}
		if !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) {
			usage += " (default " + f.DefValue + ")"
		}
		b.WriteString("\n" + roff(usage) + "\n")
	})
}

// roff returns a text with the characters that roff would take for its own written as it
// wants them.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
