package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/cmd/trevni/inputs"
	"avro2trevni/cmd/trevni/show"
	"avro2trevni/internal/exit"
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
	json     bool
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
	v.Flags().BoolVar(&o.json, "json", false, "print JSON, after all files were verified")
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
	found    verifySummary
}

func (c *command) runVerify(ctx context.Context, o *verifyOptions, args []string) error {
	v := &verifier{c: c, o: o, ctx: ctx}
	var all []inputs.Input
	files := 0
	for _, name := range args {
		in, err := inputs.ListOne(c.fs(), name, formats.Exts())
		if err != nil {
			v.missed(err)
			continue
		}
		all = append(all, in)
		files += len(in.Files)
	}
	defer c.watch(o.progress, "verify", files)()
	for _, in := range all {
		if err := v.input(in); err != nil {
			return err
		}
	}
	if err := v.compare(all); err != nil {
		return err
	}
	if err := v.writeJSON(); err != nil {
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
	return show.Plural(v.problems, "thing is", "things are") + " wrong in " + show.Plural(v.files, "file", "files")
}

func (v *verifier) notRead() string {
	return show.Plural(v.unread, "input", "inputs") + " could not be read"
}

// missed prints what could not be read. The other inputs are verified all the same.
func (v *verifier) missed(err error) {
	v.unread++
	v.found.Unread = append(v.found.Unread, message(err))
	v.c.progress.clear()
	fmt.Fprintln(v.c.stderr, "trevni: "+message(err))
}

// compare compares with the Avro files, unless there are none, or files are broken or
// missing, which was said already.
func (v *verifier) compare(all []inputs.Input) error {
	if len(v.o.against) == 0 || v.problems > 0 || v.unread > 0 {
		return nil
	}
	var files []string
	for _, in := range all {
		files = append(files, in.Files...)
	}
	rows, err := v.c.against(v.ctx, files, v.o.against)
	switch {
	case formats.Corrupt(err):
		v.report(err)
	case err != nil:
		return err
	case v.o.json:
		v.found.Same = &rows
	case !v.o.quiet:
		v.say("the same " + show.Plural(int(rows), "row", "rows") + " as in Avro")
	}
	return nil
}

// input verifies the files of one argument. Its error ends the run.
func (v *verifier) input(in inputs.Input) error {
	m, err := inputs.ReadManifest(v.c.fs(), in)
	switch {
	case formats.Corrupt(err):
		v.report(err)
	case err != nil:
		v.missed(err)
	}
	for _, name := range in.Files {
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
	for _, err := range m.Missing() {
		v.report(err)
	}
	return nil
}

// file verifies one file, against the manifest too if there is one. Its error is of
// reading.
func (v *verifier) file(name string, m *inputs.Manifest) error {
	said, listed := m.Seen(name)
	f, err := v.c.open(name)
	if formats.Corrupt(err) {
		v.files++
		v.report(err)
		return nil
	}
	if err != nil {
		return err
	}
	v.files++
	found, err := f.Verify(v.ctx)
	var problems []error
	if err == nil {
		problems = found.Problems
	}
	if err == nil && m != nil {
		var more []error
		more, err = inputs.CheckListed(v.ctx, f.src, f.name, f.size, f.Header().Rows, said, listed)
		problems = append(problems, more...)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	v.add(f, found, problems)
	for _, p := range problems {
		v.report(p)
	}
	if len(problems) == 0 && !v.o.quiet && !v.o.json {
		v.say(f.name + ": " + soundness(f, found))
	}
	return nil
}

// report prints one thing that is wrong.
func (v *verifier) report(err error) {
	v.problems++
	if v.o.json {
		v.found.Problems = append(v.found.Problems, message(err))
		return
	}
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
func soundness(f *file, found *colfile.Findings) string {
	h := f.Header()
	parts := []string{
		show.Plural(int(h.Rows), "row", "rows"), show.Plural(len(f.Columns()), "column", "columns"),
		show.Plural(found.Blocks, "block", "blocks"), show.Plural(int(f.size), "byte", "bytes"),
	}
	if found.Unchecked > 0 {
		parts = append(parts, show.Plural(found.Unchecked, "block", "blocks")+" without a checksum")
	}
	if h.Schema == "" {
		parts = append(parts, "no avro.schema")
	}
	return "good: " + strings.Join(parts, ", ")
}
