package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"avro2trevni/internal/cmdline"
	"avro2trevni/internal/version"
)

// manual returns the manual page of all verbs.
func manual(root *cobra.Command) *cmdline.Manual {
	m := &cmdline.Manual{
		Name: "trevni", Version: version.Program(), Summary: root.Short,
		Synopsis: []string{"trevni VERB [flags] ...", "trevni completion bash|zsh|fish|powershell"},
		Sections: []cmdline.Section{{Title: "Description", Text: root.Long}, {Title: "Verbs"}},
	}
	for _, verb := range root.Commands() {
		if !verb.IsAvailableCommand() {
			continue
		}
		flags := pflag.NewFlagSet(verb.Name(), pflag.ContinueOnError)
		flags.SortFlags = false
		flags.AddFlagSet(verb.Flags())
		text := verb.UseLine() + "\n\n" + strings.TrimSpace(verb.Long)
		if verb.Long == "" {
			text = verb.UseLine() + "\n\n" + verb.Short
		}
		if verb.HasExample() {
			text += "\n\n" + strings.Trim(verb.Example, "\n")
		}
		m.Sections = append(m.Sections, cmdline.Section{Title: verb.Name(), Text: text, Flags: flags, Sub: true})
	}
	_, status, _ := strings.Cut(usageTemplate, "Exit status:\n")
	m.Sections = append(m.Sections, cmdline.Section{Title: "Exit status", Text: status}, cmdline.Section{Title: "See also", Text: "convert(1)"})
	return m
}
