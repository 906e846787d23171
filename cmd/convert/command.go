package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"avro2trevni/internal/cmdline"
	"avro2trevni/internal/exit"
	"avro2trevni/internal/version"
	"avro2trevni/jobs"
	"avro2trevni/jobs/listing"
	"avro2trevni/jobs/watch"
)

// command is the parsed command line, and where it talks to.
type command struct {
	opts     jobs.Options
	progress string
	format   string
	verbose  bool
	dryRun   bool
	groups   cmdline.Groups
	report   string
	out      reportFile // where that leads

	filesFrom string
	compact   bool
	man       bool
	given     *pflag.FlagSet // the flags, when the line has been parsed
	task      string         // the kind of the task that Hadoop started the program for

	stdin          io.Reader
	stdout, stderr io.Writer
}

// run executes the command with the arguments and returns its exit status.
func run(args []string, stdout, stderr io.Writer) int {
	c := &command{stdin: os.Stdin, stdout: stdout, stderr: stderr}
	return c.run(args)
}

func (c *command) run(args []string) int {
	ctx, stop := exit.Signals(context.Background())
	defer stop()
	cmd := c.cobra()
	cmd.SetArgs(args)
	var err error
	if shell, ok := cmdline.Completion(args); ok {
		err = cmdline.WriteCompletion(c.stdout, cmd, shell)
	} else {
		err = cmd.ExecuteContext(ctx)
	}
	if err != nil {
		c.complain(err)
	}
	return exit.Code(err)
}

// cobra builds the command.
func (c *command) cobra() *cobra.Command {
	cmd := &cobra.Command{
		Use:                   synopsis[0],
		Long:                  help,
		Version:               version.Long(),
		SilenceErrors:         true,
		SilenceUsage:          true,
		DisableFlagsInUseLine: true,
		Args:                  c.takeNames,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return c.execute(cmd.Context()) },
	}
	cmd.SetOut(c.stdout)
	cmd.SetErr(c.stderr)
	cmd.SetVersionTemplate("convert {{.Version}}\n")
	cmd.CompletionOptions.DisableDefaultCmd = true
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError(cmdline.Usage(err, cmd.Flags())) })
	c.groups = c.flags(cmd.Flags())
	cmd.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := io.WriteString(cmd.OutOrStdout(), usage(c.groups))
		return err
	})
	if err := cmdline.Complete(cmd, words); err != nil {
		panic(err) // a name in words is not a flag's
	}
	return cmd
}

func usageError(err error) error { return &exit.Error{Exit: exit.StatusUsage, Err: err} }

// takeNames takes the inputs and the output from what is left of the command line.
func (c *command) takeNames(cmd *cobra.Command, names []string) error {
	c.given = cmd.Flags()
	switch {
	case c.man && len(names) > 0:
		return usageError(errors.New("--man takes no names"))
	case c.man:
		return nil
	case c.task != "" && len(names) > 0:
		return usageError(errors.New("--hadoop-task takes no names"))
	case c.task != "":
		return nil
	case c.compact:
		return c.takeCompact(cmd, names)
	}
	if len(names) == 0 || len(names) < 2 && c.filesFrom == "" {
		return usageError(errors.New("an input and an output are needed"))
	}
	last := len(names) - 1
	c.opts.Inputs, c.opts.Output = names[:last], names[last]
	return nil
}

// forCompact are the flags that say how a compaction works, and nothing of the files.
var forCompact = []string{"compact", "memory", "workers", "temp-dir", "temp-limit", "verify", "keytab", "principal", "s3-endpoint", "s3-region", "s3-path-style", "s3-lock", "s3-lease", "dry-run", "report", "progress", "log-format", "verbose"}

// takeCompact takes the one name of a compaction, whose options are the output's.
func (c *command) takeCompact(cmd *cobra.Command, names []string) (err error) {
	if len(names) != 1 {
		return usageError(errors.New("--compact takes one name, that of the output folder"))
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && !slices.Contains(forCompact, f.Name) {
			err = usageError(fmt.Errorf("--compact does not take --%s: it uses the options that the output was made with", f.Name))
		}
	})
	c.opts.Output = names[0]
	return err
}

// execute runs the command line.
func (c *command) execute(ctx context.Context) error {
	if c.man {
		return manual(c.groups).Write(c.stdout)
	}
	if c.task != "" {
		return jobs.HadoopTask(ctx, c.task, c.stdin, c.stdout, c.stderr)
	}
	if err := c.validate(); err != nil {
		return err
	}
	if err := c.readList(ctx); err != nil {
		return err
	}
	if err := c.openReport(ctx); err != nil {
		return err
	}
	c.opts.Log = c.logger()
	if c.dryRun && c.compact {
		return jobs.DescribeCompact(ctx, &c.opts, c.stdout)
	}
	if c.dryRun {
		return jobs.Describe(ctx, &c.opts, c.stdout)
	}
	return c.convert(ctx)
}

// validate checks the options that are the command's own.
func (c *command) validate() error {
	if err := oneOf("progress", c.progress); err != nil {
		return err
	}
	return oneOf("log-format", c.format)
}

// readList reads the names of inputs that standard input lists. A pipe may say nothing for
// ever, and a signal ends that.
func (c *command) readList(ctx context.Context) error {
	if c.filesFrom != "-" {
		c.opts.FilesFrom = c.filesFrom
		return nil
	}
	text, err := attend(ctx, func() ([]byte, error) { return io.ReadAll(c.stdin) })
	if errors.Is(err, exit.ErrInterrupted) {
		return err
	}
	if err != nil {
		return fmt.Errorf("files from standard input: %w", err)
	}
	c.opts.Files = listing.ReadNames(string(text))
	return nil
}

// attend returns what f does, or why the context ended before that; f goes on then.
func attend[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

func oneOf(flag, value string) error {
	legal := words[flag]
	if slices.Contains(legal, value) {
		return nil
	}
	last := len(legal) - 1
	return usageError(fmt.Errorf("%s %q: must be %s or %s", flag, value, strings.Join(legal[:last], ", "), legal[last]))
}

// convert runs the job, with bars and a closing line on a terminal.
func (c *command) convert(ctx context.Context) error {
	c.opts.Progress = new(watch.Progress)
	stop := func() {}
	if c.watched() {
		stop = showBars(c.stderr, c.opts.Progress, patience)
	}
	do := jobs.Convert
	if c.compact {
		do = jobs.Compact
	}
	report, err := do(ctx, &c.opts)
	stop()
	if writeErr := c.writeReport(report, err); writeErr != nil {
		if exit.Code(err) == exit.StatusSome {
			return errors.Join(writeErr, errors.New(err.Error())) // no longer done
		}
		return errors.Join(err, writeErr)
	}
	if err != nil {
		return err
	}
	if isTerminal(c.stderr) {
		fmt.Fprintln(c.stderr, closing(report))
	}
	return nil
}

// watched reports whether bars are to be shown.
func (c *command) watched() bool {
	return c.progress == "always" || c.progress == "auto" && isTerminal(c.stderr)
}
