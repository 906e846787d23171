package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"avro2trevni/cmd/trevni/outfile"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/schema"
	"avro2trevni/record"
)

const toAvroHelp = `to-avro writes the rows of all inputs to one Avro data file. OUTPUT appears under its name
when it is complete; if it is a link, the file it points to is replaced. If it is a pipe or a
device, to-avro writes to it; - is standard output. The metadata of the first file is copied,
except the keys of Avro and Trevni. The same rows and flags give the same bytes.`

const toAvroExamples = `  trevni to-avro events.trv events.avro
  trevni to-avro --columns id,user.name --codec deflate:9 /data/events.trevni names.avro
  trevni to-avro --rows :100 events.trv - | avro-tools tojson -`

// toAvroOptions are the flags of to-avro.
type toAvroOptions struct {
	sel      selection
	codec    string
	force    bool
	progress whenFlag
}

// toAvro makes the verb.
func (c *command) toAvro() *cobra.Command {
	o := toAvroOptions{sel: everything()}
	v := &cobra.Command{
		Use:     "to-avro [flags] INPUT... OUTPUT",
		Short:   "write rows to an Avro data file",
		Long:    toAvroHelp,
		Example: toAvroExamples,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("an input and an output are needed")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return c.runToAvro(cmd.Context(), &o, args) },
	}
	f := v.Flags()
	f.StringVar(&o.codec, "codec", "snappy", "`CODEC` to compress with: null, snappy, deflate, deflate:1 to deflate:9")
	f.StringSliceVar(&o.sel.columns, "columns", nil, "write only these `FIELDS`, separated by commas, in this order; a dot leads to an inner field: user.name")
	f.Var(rangeFlag{&o.sel}, "rows", "write only these rows, numbered from 0; TO is not included; either may be left out")
	f.BoolVar(&o.force, "force", false, "replace OUTPUT if it exists")
	progressFlag(f, &o.progress)
	return c.verb(v)
}

func (c *command) runToAvro(ctx context.Context, o *toAvroOptions, args []string) error {
	w, err := newAvroWriter(o.codec)
	if err != nil {
		return err
	}
	last := len(args) - 1
	files, err := c.files(args[:last])
	if err != nil {
		return err
	}
	out := outfile.File{Name: args[last], Force: o.force}
	if err := out.Refuse(files); err != nil {
		return err
	}
	write := func(out io.Writer) error {
		w.w = out
		err := c.readRows(ctx, files, o.sel, sink{begin: w.begin, rows: w.rows})
		if err != nil {
			return err
		}
		return w.finish()
	}
	if args[last] == "-" {
		if c.width > 0 && !o.force {
			return usagef("an Avro file is not written to a terminal, unless --force is given")
		}
		return write(c.stdout)
	}
	defer c.watch(o.progress, "to-avro", len(files))()
	return out.Write(ctx, write)
}

// avroWriter writes a table as an Avro data file. Its sync marker is a digest of
// what the header holds and of the first rows, so that the same table gives the same
// bytes, and no row holds the marker by design.
type avroWriter struct {
	w io.Writer
	o ocf.WriterOptions
	f *ocf.Writer // nil until the first rows came
}

// newAvroWriter returns a writer for a codec as the flag has it.
func newAvroWriter(codec string) (*avroWriter, error) {
	name, level, leveled := strings.Cut(codec, ":")
	w := &avroWriter{o: ocf.WriterOptions{Codec: name}}
	ok := name == "null" || name == "snappy" || name == "deflate"
	if leveled {
		n, err := strconv.Atoi(level)
		w.o.Level = n
		ok = name == "deflate" && err == nil && n >= 1 && n <= 9
	}
	if !ok {
		return nil, usagef("codec %q: must be null, snappy, deflate or deflate:1 to deflate:9", codec)
	}
	return w, nil
}

// begin implements sink. The schema is written as Java reads it, which a Trevni file's
// need not be.
func (a *avroWriter) begin(text string, _ *schema.Schema, meta []ocf.Meta) (err error) {
	if a.o.Schema, err = record.Project(text, nil); err != nil {
		return err
	}
	a.o.Meta = meta
	return nil
}

// rows implements sink.
func (a *avroWriter) rows(_ *file, _ int64, data []byte, n int) error {
	if err := a.open(data); err != nil {
		return err
	}
	return a.f.Append(data, n)
}

// open writes the header unless it was.
func (a *avroWriter) open(rows []byte) (err error) {
	if a.f != nil {
		return nil
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %d %q ", a.o.Schema, a.o.Codec, a.o.Level, a.o.Meta)
	_, _ = sum.Write(rows) // never fails
	copy(a.o.Sync[:], sum.Sum(nil))
	a.f, err = ocf.NewWriter(a.w, &a.o)
	return err
}

// finish writes what is left. Without it the file is cut short.
func (a *avroWriter) finish() error {
	if err := a.open(nil); err != nil {
		return err
	}
	return a.f.Close()
}
