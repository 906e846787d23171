package cmdline

import (
	"io"
	"slices"

	"github.com/spf13/cobra"
)

// Shells are those that have a completion script.
var Shells = []string{"bash", "zsh", "fish", "powershell"}

// Completion returns the shell of a command line that requests its script: the two words
// "completion SHELL", and no more. Any other line is the program's own, so that a file may
// be named completion; ./completion is one in any line.
func Completion(args []string) (shell string, ok bool) {
	if len(args) == 2 && args[0] == "completion" && slices.Contains(Shells, args[1]) {
		return args[1], true
	}
	return "", false
}

// WriteCompletion writes the script that completes a command in a shell of [Shells].
func WriteCompletion(w io.Writer, cmd *cobra.Command, shell string) error {
	switch shell {
	case "zsh":
		return cmd.GenZshCompletion(w)
	case "fish":
		return cmd.GenFishCompletion(w, true)
	case "powershell":
		return cmd.GenPowerShellCompletionWithDesc(w)
	}
	return cmd.GenBashCompletionV2(w, true)
}

// Complete has a shell complete the values of flags that are words: words maps the flags'
// names to them. Values of other flags, and names, are completed as files.
func Complete(cmd *cobra.Command, words map[string][]string) error {
	for flag, all := range words {
		if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(all, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			return err
		}
	}
	return nil
}
