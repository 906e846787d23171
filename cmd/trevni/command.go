package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"avro2trevni/internal/cmdline"
	"avro2trevni/internal/exit"
	"avro2trevni/internal/storage"
	"avro2trevni/internal/storage/s3"
	"avro2trevni/internal/version"
)

const help = `trevni shows what Trevni and Parquet files hold, and checks that they are complete and
undamaged.

An INPUT is a file or a folder. The first bytes of a file say which format it has. Of a
folder trevni reads the *.trv and *.parquet files and those in its folders FIELD=VALUE, which
convert --partition-by writes. It reads part-00000.trv, part-00001.trv, ... in the order of
their numbers, and other files in the order of their names. Names that start with _ or . are
left out, except folders _FIELD=VALUE. Several inputs are read as one table, in the order
given; they must have the same columns for verbs that show one table. An
INPUT may be s3://bucket/key; the service is that of AWS_ENDPOINT_URL_S3, AWS_REGION and the
credentials that the AWS tools find.`

const usageTemplate = `Usage:
  {{if .HasAvailableSubCommands}}{{.CommandPath}} VERB [flags] ...{{else}}{{.UseLine}}{{end}}
{{if .HasExample}}
Examples:
{{.Example}}
{{end}}{{if .HasAvailableSubCommands}}
Verbs:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}
{{end}}
Flags:
{{.Flags.FlagUsagesWrapped 92 | trimTrailingWhitespaces}}

Exit status:
  0  done                          3    refused: the output exists
  1  verify found something wrong  4    reading or writing failed
  2  the command line is wrong     130  interrupted (SIGINT); 143 terminated (SIGTERM)
`

// command is what the verbs share: flags and where they talk to.
type command struct {
	zeros          bool       // accept checksums of zeros, see trevni.ReaderOptions
	noted          bool       // files keep which bytes were read
	progress       *progress  // nil if it is not to be seen
	width          int        // of standard output, in characters, if it is a terminal; else 0
	failed         error      // of a write to standard output
	storage        storage.FS // nil: only this machine's
	stdout, stderr io.Writer
}

// fs returns where the files are.
func (c *command) fs() storage.FS {
	if c.storage == nil {
		return storage.Local{}
	}
	return c.storage
}

// connect returns the storage of names that begin so: a local file may have any name.
func connect(ctx context.Context, root string) (storage.FS, error) {
	if !s3.Serves(root) {
		return storage.Local{}, nil
	}
	f, err := s3.New(ctx, root, &s3.Options{})
	if err != nil {
		return nil, exit.Usage("%w", err)
	}
	return f, nil
}

// run executes the command with the arguments and returns its exit status.
func run(args []string, stdout, stderr io.Writer) int {
	c := &command{stderr: stderr, width: width(stdout)}
	c.stdout = output{stdout, c}
	ctx, stop := exit.Signals(context.Background())
	defer stop()
	c.storage = &storage.Router{Local: storage.Local{}, Connect: func(root string) (storage.FS, error) { return connect(ctx, root) }}
	cmd := c.cobra()
	cmd.SetArgs(args)
	var err error
	if shell, ok := cmdline.Completion(args); ok {
		err = cmdline.WriteCompletion(c.stdout, cmd, shell)
	} else {
		err = cmd.ExecuteContext(ctx)
	}
	if err == nil || errors.Is(err, errGone) {
		return exit.StatusDone
	}
	fmt.Fprintln(stderr, "trevni: "+message(err))
	code := exit.Code(err)
	if code == exit.StatusUsage {
		fmt.Fprintf(stderr, "Try '%s --help'.\n", verbOf(cmd, args))
	}
	return code
}

// verbOf returns the program and the verb of a command line, if it has one.
func verbOf(root *cobra.Command, args []string) string {
	if v, _, err := root.Find(args); err == nil {
		return v.CommandPath()
	}
	return root.CommandPath()
}

// message is an error's text without the names of the packages that it came through. What
// is wrong with a file does not end with the name of an error that says it again.
func message(err error) string {
	text := withoutPackages(err, err.Error())
	var path *fs.PathError
	if errors.As(err, &path) { // not what the system was asked to do
		text = strings.Replace(text, path.Op+" "+path.Path+": ", path.Path+": ", 1)
	}
	if formats.Corrupt(err) {
		text = strings.TrimSuffix(text, ": "+io.ErrUnexpectedEOF.Error())
	}
	return text
}

// packages are those whose names the errors begin with.
var packages = append([]string{"schema"}, cmdline.Packages...)

// withoutPackages returns text without the name of a package before what err says, or what
// an error that it wraps says.
func withoutPackages(err error, text string) string {
	if err == nil {
		return text
	}
	said := err.Error()
	for _, p := range packages {
		if short, found := strings.CutPrefix(said, p+": "); found {
			text = strings.Replace(text, said, short, 1)
			break
		}
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range many.Unwrap() {
			text = withoutPackages(err, text)
		}
		return text
	}
	return withoutPackages(errors.Unwrap(err), text)
}

func usageError(err error) error { return &exit.Error{Exit: exit.StatusUsage, Err: err} }

func usagef(format string, args ...any) error { return usageError(fmt.Errorf(format, args...)) }

// cobra builds the command.
func (c *command) cobra() *cobra.Command {
	man := false
	root := &cobra.Command{
		Use:           "trevni",
		Short:         "show what columnar files hold, and check that they are complete and undamaged",
		Long:          help,
		Version:       version.Long(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return c.unknownVerb(cmd, args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if man {
				return manual(cmd).Write(c.stdout)
			}
			return usagef("a verb is needed")
		},
	}
	root.SetOut(c.stdout)
	root.SetErr(c.stderr)
	root.SetUsageTemplate(usageTemplate)
	root.SetVersionTemplate("trevni {{.Version}}\n")
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(v *cobra.Command, err error) error { return usageError(cmdline.Usage(err, v.Flags())) })
	root.Flags().BoolP("help", "h", false, "show this help")
	root.Flags().BoolVar(&man, "man", false, "print this help, and that of the verbs, as a manual page: trevni --man | man -l -")
	root.Flags().Bool("version", false, "show the version")
	root.AddCommand(c.meta(), c.verify(), c.scan(), c.count(), c.schema(), c.head(), c.cat(), c.toAvro())
	return root
}

// unknownVerb is the error of a verb that is none.
func (c *command) unknownVerb(root *cobra.Command, word string) error {
	var verbs []string
	for _, v := range root.Commands() {
		if v.Name() != "help" {
			verbs = append(verbs, v.Name())
		}
	}
	if meant := cmdline.Closest(word, verbs); meant != "" {
		return usagef("unknown verb %q: did you mean %s?", word, meant)
	}
	if _, err := os.Stat(word); err == nil {
		return usagef("%s: a verb is needed before the file, as in: trevni head %s", word, word)
	}
	return usagef("unknown verb %q: the verbs are %s", word, strings.Join(verbs, ", "))
}

// verb sets up what all verbs have in common.
func (c *command) verb(v *cobra.Command) *cobra.Command {
	v.DisableFlagsInUseLine = true
	if v.Args == nil {
		v.Args = func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("an input is needed")
			}
			return nil
		}
	}
	f := v.Flags()
	f.SortFlags = false
	f.BoolVar(&c.zeros, "zero-checksums", false, "accept checksums of zero with codec null, as Java writes them")
	f.BoolP("help", "h", false, "show this help")
	return v
}
