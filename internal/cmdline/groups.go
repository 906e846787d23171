package cmdline

import (
	"strings"

	"github.com/spf13/pflag"
)

// Group is a part of the flags of a command, with a title.
type Group struct {
	Title string
	Flags *pflag.FlagSet // in the order in which they were declared
}

// Groups are the groups of a command, in the order of --help.
type Groups []Group

// Add adds a group, whose flags declare declares.
func (g *Groups) Add(title string, declare func(f *pflag.FlagSet)) {
	f := pflag.NewFlagSet(title, pflag.ContinueOnError)
	f.SortFlags = false
	declare(f)
	*g = append(*g, Group{title, f})
}

// AddTo adds the flags of all groups to those of a command.
func (g Groups) AddTo(f *pflag.FlagSet) {
	for _, group := range g {
		f.AddFlagSet(group.Flags)
	}
}

// Usages returns the titles and flags for --help, in lines of at most width bytes.
func (g Groups) Usages(width int) string {
	var b strings.Builder
	for i, group := range g {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(group.Title + ":\n")
		b.WriteString(group.Flags.FlagUsagesWrapped(width))
	}
	return b.String()
}
