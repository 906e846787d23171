package cmdline_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"avro2trevni/internal/cmdline"
)

func groups() cmdline.Groups {
	var g cmdline.Groups
	g.Add("Output", func(f *pflag.FlagSet) {
		f.String("codec", "snappy", "`CODEC` to compress with")
		f.String("checksum", "", "checksum `SUM`")
		f.String("of-tasks", "", "")
		_ = f.MarkHidden("of-tasks")
	})
	g.Add("Reports", func(f *pflag.FlagSet) {
		f.BoolP("verbose", "v", false, "log what is being done")
		f.Int("workers", 0, "`N` workers")
		f.Duration("age", 0, "an `AGE`")
	})
	return g
}

func TestUsages(t *testing.T) {
	const want = `Output:
      --codec CODEC    CODEC to compress with (default "snappy")
      --checksum SUM   checksum SUM

Reports:
  -v, --verbose     log what is being done
      --workers N   N workers
      --age AGE     an AGE
`
	if got := groups().Usages(80); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"--codecs x":     "unknown flag: --codecs; did you mean --codec?",
		"--check x":      "unknown flag: --check; did you mean --checksum?",
		"--vrebose":      "unknown flag: --vrebose; did you mean --verbose?",
		"--of-task x":    "unknown flag: --of-task",
		"--nonsense":     "unknown flag: --nonsense",
		"-x":             "unknown shorthand flag: 'x' in -x",
		"--workers many": `--workers "many": not a number`,
		"--workers=":     "--workers: not a number",
		"--verbose=so":   `--verbose "so": not true or false`,
		"--codec":        "--codec: needs a value, CODEC",
	} {
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		f.SetOutput(io.Discard)
		groups().AddTo(f)
		err := f.Parse(strings.Fields(args))
		if err == nil {
			t.Fatalf("%s: no error", args)
		}
		if got := cmdline.Usage(err, f).Error(); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	other := errors.New("other")
	if got := cmdline.Usage(other, nil); got != other {
		t.Errorf("%v", got)
	}
}

func TestClosest(t *testing.T) {
	words := []string{"fail", "replace", "append", "skip-block", "skip-file"}
	for word, want := range map[string]string{
		"": "", "replce": "replace", "relpace": "replace", "appendd": "append", "fial": "fail", "skip": "",
		"skip-b": "skip-block", "skipfile": "skip-file", "no": "", "never": "", "rep": "replace", "fail": "fail",
	} {
		if got := cmdline.Closest(word, words); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestCompletion(t *testing.T) {
	for args, want := range map[string]string{
		"completion bash": "bash", "completion fish": "fish", "completion": "", "completion out": "",
		"./completion bash": "", "completion bash out": "", "--dry-run completion bash": "", "": "",
	} {
		got, ok := cmdline.Completion(strings.Fields(args))
		if got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", args, got, ok)
		}
	}
	for _, shell := range cmdline.Shells {
		var b bytes.Buffer
		if err := cmdline.WriteCompletion(&b, &cobra.Command{Use: "convert"}, shell); err != nil || !strings.Contains(b.String(), "convert") || !strings.Contains(b.String(), shell) {
			t.Errorf("%s: %v: %d bytes", shell, err, b.Len())
		}
	}
	if err := cmdline.Complete(&cobra.Command{}, map[string][]string{"none": {"a"}}); err == nil {
		t.Error("words of no flag are accepted")
	}
}

func TestManual(t *testing.T) {
	m := &cmdline.Manual{
		Name: "convert", Version: "v1", Summary: "convert some-thing", Synopsis: []string{"convert [flags] IN OUT"},
		Sections: append([]cmdline.Section{{Title: "Description", Text: "Two\nlines.\n\n.dot \\\n  an  example\n\nafter"}}, groups().Sections("Options")...),
	}
	const want = `.TH CONVERT 1 "" "convert v1"
.SH NAME
convert \- convert some\-thing
.SH SYNOPSIS
.nf
convert [flags] IN OUT
.fi
.SH DESCRIPTION
Two
lines.
.PP
\&.dot \e
.nf
  an  example
.PP
.fi
after
.SH OPTIONS
.SS Output
.TP
\fB\-\-codec\fR \fICODEC\fR
CODEC to compress with (default snappy)
.TP
\fB\-\-checksum\fR \fISUM\fR
checksum SUM
.SS Reports
.TP
\fB\-v\fR, \fB\-\-verbose\fR
log what is being done
.TP
\fB\-\-workers\fR \fIN\fR
N workers
.TP
\fB\-\-age\fR \fIAGE\fR
an AGE
`
	var b bytes.Buffer
	if err := m.Write(&b); err != nil || b.String() != want {
		t.Errorf("%v: got\n%s\nwant\n%s", err, b.String(), want)
	}
}
