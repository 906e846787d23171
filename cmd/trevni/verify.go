package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"avro2trevni/internal/exit"
	"avro2trevni/trevni"
)

const verifyHelp = `verify reads whole files and prints what is wrong with them, and where. It checks every
checksum, count, length and number; that no bytes are left over; that a column with a parent
has as many values as the parent has elements, block by block; that first values match their
blocks; and that the columns match the schema, if the file has one. In the folder of a job,
or of one of its partitions, it also checks that the job finished, and that the files match
those that its _SUCCESS lists, by name, rows, bytes and XXH64.

--against compares the rows, by meaning, with those of the Avro files that the input was made
from, and prints the first row that differs. Name the Avro files in the order of the rows.

verify prints what is wrong to standard output, one line each, and exits with 1. If it cannot
read an input it names it on standard error, checks the others, and exits with 4.`

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
	v.Flags().BoolVarP(&o.quiet, "quiet", "q", false, "do not print a line for files that are good")
	v.Flags().StringArrayVar(&o.against, "against", nil, "compare the rows with those of the `AVRO` file or folder; repeatable")
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
	unread   int   // inputs and files that could not be read
	lost     error // of writing what was found
}

func (c *command) runVerify(ctx context.Context, o *verifyOptions, args []string) error {
	v := &verifier{c: c, o: o, ctx: ctx}
	var inputs []input
	files := 0
	for _, name := range args {
		in, err := listOne(name)
		if err != nil {
			v.missed(err)
			continue
		}
		inputs = append(inputs, in)
		files += len(in.files)
	}
	defer c.watch(o.progress, "verify", files)()
	for _, in := range inputs {
		if err := v.input(in); err != nil {
			return err
		}
	}
	if err := v.compare(inputs); err != nil {
		return err
	}
	return v.result()
}

// result is what the run comes to: an error unless all is well.
func (v *verifier) result() error {
	switch {
	case v.lost != nil:
		return v.lost
	case v.unread > 0 && v.problems > 0:
		return fmt.Errorf("%s, and %s", v.wrong(), v.notRead())
	case v.unread > 0:
		return errors.New(v.notRead())
	case v.problems > 0:
		return &exit.Error{Exit: exit.StatusSome, Err: errors.New(v.wrong())}
	}
	return nil
}

func (v *verifier) wrong() string {
	return plural(v.problems, "thing is", "things are") + " wrong in " + plural(v.files, "file", "files")
}

func (v *verifier) notRead() string {
	return plural(v.unread, "input", "inputs") + " could not be read"
}

// missed prints what could not be read. The other inputs are verified all the same.
func (v *verifier) missed(err error) {
	v.unread++
	v.c.progress.clear()
	fmt.Fprintln(v.c.stderr, "trevni: "+message(err))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return comma(n) + " " + many
}

// compare compares with the Avro files, unless there are none, or files are broken or
// missing, which was said already.
func (v *verifier) compare(inputs []input) error {
	if len(v.o.against) == 0 || v.problems > 0 || v.unread > 0 {
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

// input verifies the files of one argument. Its error ends the run.
func (v *verifier) input(in input) error {
	m, err := readManifest(in)
	switch {
	case errors.Is(err, trevni.ErrCorrupt):
		v.report(err)
	case err != nil:
		v.missed(err)
	}
	for _, name := range in.files {
		err := v.file(name, m)
		switch {
		case v.ctx.Err() != nil:
			return context.Cause(v.ctx)
		case err != nil:
			v.missed(err)
		}
		if v.lost != nil {
			return v.lost
		}
	}
	for _, err := range m.missing() {
		v.report(err)
	}
	return nil
}

// file verifies one file, against the manifest too if there is one. Its error is of
// reading.
func (v *verifier) file(name string, m *manifest) error {
	said, listed := m.seen(name)
	f, err := v.c.open(name)
	if errors.Is(err, trevni.ErrCorrupt) {
		v.files++
		v.report(err)
		return nil
	}
	if err != nil {
		return err
	}
	v.files++
	problems, err := checkFile(v.ctx, f)
	if err == nil && m != nil {
		var more []error
		more, err = checkListed(v.ctx, f, said, listed)
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

// say prints a line. A reader that has gone is no reason to stop looking: the exit status
// says what was found. A list that is cut short for another reason is an error.
func (v *verifier) say(line string) {
	_, err := fmt.Fprintln(v.c.stdout, line)
	if err != nil && !errors.Is(err, errGone) && v.lost == nil {
		v.lost = err
	}
}

// soundness says what was found right in a file.
func soundness(f *file) string {
	h := f.Header()
	blocks, bare := 0, 0
	for i := range h.Columns {
		b, _ := f.Blocks(i) // they were read before
		blocks += len(b)
		if f.Coding(i).Checksum == trevni.ChecksumNull {
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
	if _, ok := h.Meta.Get(schemaKey); !ok {
		parts = append(parts, "no "+schemaKey)
	}
	return "good: " + strings.Join(parts, ", ")
}
