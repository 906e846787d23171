package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"avro2trevni/jobs"
	"avro2trevni/trevni"
)

const verifyHelp = `verify reads files whole and says what is wrong with them, and where: every checksum;
every count, length and number; that nothing is left over; that the values of a column
with a parent are as many as the parent's elements, block for block; that first values
are those of their blocks. Of a job's folder also that the job finished, and that the
files are those that its _SUCCESS lists, by name, rows, bytes and XXH64.

--against compares with the Avro files that the input was made of, row for row by
meaning, and tells the first that differs. Their order must be that of the rows.

What is wrong goes to standard output, a line each, and the exit status is 1.`

const verifyExamples = `  trevni verify events.trv
  trevni verify --quiet /data/events.trevni /data/more.trevni
  trevni verify --against /data/events /data/events.trevni`

// verifyOptions are the flags of verify.
type verifyOptions struct {
	quiet    bool
	against  []string
	progress whenFlag
}

// verify makes the verb.
func (c *command) verify() *cobra.Command {
	var o verifyOptions
	v := &cobra.Command{
		Use:     "verify [flags] INPUT...",
		Short:   "check every checksum, count, length and parent",
		Long:    verifyHelp,
		Example: verifyExamples,
		RunE:    func(cmd *cobra.Command, args []string) error { return c.runVerify(cmd.Context(), &o, args) },
	}
	v.Flags().BoolVarP(&o.quiet, "quiet", "q", false, "say nothing of files that are right")
	v.Flags().StringArrayVar(&o.against, "against", nil, "`AVRO` file or folder that the rows must be those of; may be given more than once")
	progressFlag(v.Flags(), &o.progress)
	return c.verb(v)
}

// verifier keeps count over all files.
type verifier struct {
	c        *command
	o        *verifyOptions
	ctx      context.Context
	files    int
	problems int
}

func (c *command) runVerify(ctx context.Context, o *verifyOptions, args []string) error {
	inputs, err := list(args)
	if err != nil {
		return err
	}
	files := 0
	for _, in := range inputs {
		files += len(in.files)
	}
	defer c.watch(o.progress, "verify", files)()
	v := &verifier{c: c, o: o, ctx: ctx}
	for _, in := range inputs {
		if err := v.input(in); err != nil {
			return err
		}
	}
	if err := v.compare(inputs); err != nil {
		return err
	}
	if v.problems == 0 {
		return nil
	}
	return &jobs.Error{Exit: jobs.ExitSome, Err: fmt.Errorf("%s wrong in %s",
		plural(v.problems, "thing is", "things are"), plural(v.files, "file", "files"))}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return comma(n) + " " + many
}

// compare compares with the Avro files, unless there are none or files are broken,
// which says it already.
func (v *verifier) compare(inputs []input) error {
	if len(v.o.against) == 0 || v.problems > 0 {
		return nil
	}
	var files []string
	for _, in := range inputs {
		files = append(files, in.files...)
	}
	rows, err := v.c.against(v.ctx, files, v.o.against)
	switch {
	case errors.Is(err, trevni.ErrCorrupt):
		v.report(err)
	case err != nil:
		return err
	case !v.o.quiet:
		v.say("the same " + plural(int(rows), "row", "rows") + " as in Avro")
	}
	return nil
}

// input verifies the files of one argument.
func (v *verifier) input(in input) error {
	m, err := readManifest(in)
	if errors.Is(err, trevni.ErrCorrupt) {
		v.report(err)
	} else if err != nil {
		return err
	}
	for _, name := range in.files {
		if err := v.file(name, m); err != nil {
			return err
		}
	}
	for _, err := range m.missing() {
		v.report(err)
	}
	return nil
}

// file verifies one file, against the manifest too if there is one.
func (v *verifier) file(name string, m *manifest) error {
	v.files++
	f, err := v.c.open(name)
	if errors.Is(err, trevni.ErrCorrupt) {
		v.report(err)
		m.seen(name)
		return nil
	}
	if err != nil {
		return err
	}
	problems, err := checkFile(v.ctx, f)
	if err == nil {
		var more []error
		more, err = m.check(v.ctx, f)
		problems = append(problems, more...)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	for _, p := range problems {
		v.report(p)
	}
	if len(problems) == 0 && !v.o.quiet {
		v.say(f.name + ": " + soundness(f))
	}
	return nil
}

// report tells of one thing that is wrong.
func (v *verifier) report(err error) {
	v.problems++
	v.say(message(err))
}

// say prints a line. That it could not be is left to the exit status to tell: a
// reader that has gone is no reason to stop looking.
func (v *verifier) say(line string) { _, _ = fmt.Fprintln(v.c.stdout, line) }

// soundness says what was found right in a file.
func soundness(f *file) string {
	h := f.Header()
	blocks, bare := 0, 0
	for i := range h.Columns {
		b, _ := f.Blocks(i) // they were read before
		blocks += len(b)
		if sum, _ := h.ColumnChecksum(i); sum.Size() == 0 {
			bare += len(b)
		}
	}
	parts := []string{
		plural(int(h.Rows), "row", "rows"), plural(len(h.Columns), "column", "columns"),
		plural(blocks, "block", "blocks"), plural(int(f.size), "byte", "bytes"),
	}
	if bare += int(f.Unchecked()); bare > 0 {
		parts = append(parts, plural(bare, "block", "blocks")+" without a checksum")
	}
	return "good: " + strings.Join(parts, ", ")
}
