package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"avro2trevni/internal/format"
	"avro2trevni/internal/units"
	"avro2trevni/jobs/hadoop"
	"avro2trevni/jobs/inputs"
	"avro2trevni/jobs/publish"
	"avro2trevni/jobs/report"
)

// Describe writes what a job with these options would do: inputs, schema, columns
// and splits. It makes the same checks as [Convert] before that writes anything,
// and returns the same errors; it writes nothing but to w.
func Describe(ctx context.Context, o *Options, w io.Writer) error {
	if err := o.Validate(); err != nil {
		return err
	}
	o, storages := o.connected(ctx)
	defer storages.Close() // nothing was written
	if err := o.checkOutput(); err != nil {
		return err
	}
	out, err := publish.New(o.Publishing())
	if err != nil {
		return err
	}
	e, err := o.readEarlier(out)
	if err != nil {
		return err
	}
	j, err := planned(ctx, o, out, e)
	if err != nil {
		return err
	}
	if err := out.Check(); err != nil {
		return err
	}
	var text bytes.Buffer
	if err := describe(&text, j); err != nil {
		return err
	}
	_, err = w.Write(text.Bytes())
	return err
}

// describe says what a job would do.
func describe(w *bytes.Buffer, j *job) error {
	p := j.plan
	fmt.Fprintf(w, "Inputs: %s, %s", report.Count(int64(len(p.Inputs)), "file"), units.Size(p.Bytes))
	if p.Duplicates > 0 {
		fmt.Fprintf(w, "; %d more were named again", p.Duplicates)
	}
	fmt.Fprintln(w)
	if a := p.Append; a != (report.Append{}) {
		fmt.Fprintf(w, "Not converted: %d that earlier runs converted, %d that changed since then, %d that are not ready yet\n", a.Unchanged, a.Ignored, a.Left)
	}
	for i := range p.Dropped {
		fmt.Fprintf(w, "Left out as damaged: %v\n", p.Dropped[i].Known.Err)
	}
	if len(p.Inputs) == 0 {
		fmt.Fprintln(w, "Nothing to do.")
		return nil
	}
	describeInputs(w, p)
	describeSchema(w, p)
	if err := json.Indent(w, []byte(p.Schemas.Text), "", "  "); err != nil {
		return fmt.Errorf("jobs: %s: schema: %w", p.Inputs[0].Path, err)
	}
	fmt.Fprintln(w)
	if own := j.table.Schema(); own != "" {
		fmt.Fprintf(w, "\nSchema of the files:\n%s\n", strings.TrimRight(own, "\n"))
	}
	for _, note := range j.table.Notes() {
		fmt.Fprintf(w, "(%s)\n", note)
	}
	describeColumns(w, j.table.Columns())
	describeLeftOut(w, &p.Schemas)
	describeSplits(w, p)
	describeOutput(w, j)
	return nil
}

func tabs(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

func describeInputs(w io.Writer, p *inputs.Plan) {
	t := tabs(w)
	for i, in := range p.Inputs {
		fmt.Fprintf(t, "  %d\t%s\t%s\t%s\n", i, in.Path, units.Size(in.Size), orDefault(in.Header.Codec, "null"))
	}
	_ = t.Flush() // into memory
}

// describeSchema says where the schema that follows is from.
func describeSchema(w io.Writer, p *inputs.Plan) {
	fmt.Fprintf(w, "\nSchema, of %s", p.Schemas.Of)
	switch n := p.Schemas.Resolved; {
	case n > 0:
		fmt.Fprintf(w, ", to which %d of %d inputs are resolved", n, len(p.Inputs))
	case p.Schemas.Of == p.Inputs[0].Path:
		fmt.Fprint(w, " and all others")
	}
	if len(p.Schemas.Rows.LeftOut()) > 0 {
		fmt.Fprint(w, ", with what is left of it")
	}
	fmt.Fprintln(w, ":")
	if p.Schemas.RefusedWhy != "" {
		fmt.Fprintf(w, "(%s does not open it: at %s, %s)\n", p.Schemas.RefusedBy, p.Schemas.RefusedAt, p.Schemas.RefusedWhy)
	}
}

// describeLeftOut names the fields that are not converted.
func describeLeftOut(w io.Writer, s *inputs.Schemas) {
	if left := s.Rows.LeftOut(); len(left) > 0 {
		fmt.Fprintf(w, "\nLeft out: %s\n", strings.Join(left, ", "))
	}
}

func describeColumns(w io.Writer, columns []format.Column) {
	fmt.Fprintf(w, "\nColumns: %d\n", len(columns))
	t := tabs(w)
	for i, c := range columns {
		fmt.Fprintf(t, "  %d\t%q\t%s\t%s\n", i, c.Name, c.Type, c.More)
	}
	_ = t.Flush() // into memory
}

func describeSplits(w io.Writer, p *inputs.Plan) {
	fmt.Fprintf(w, "\nSplits: %d of about %s\n", len(p.Splits), units.Size(p.SplitSize))
	t := tabs(w)
	for i, s := range p.Splits {
		for _, seg := range s {
			fmt.Fprintf(t, "  %d\tinput %d\tbytes %d to %d\n", i, seg.Input, seg.Start, seg.End)
		}
	}
	_ = t.Flush() // into memory
}

func describeOutput(w io.Writer, j *job) {
	p, o := j.plan, j.o
	limit := "one file"
	if n := o.fileLimit(); n > 0 {
		limit = "files of at most " + units.Size(n)
	}
	if o.PartitionBy != "" {
		fmt.Fprintf(w, "\nPartitioned by: %s, a folder a value\n", o.PartitionBy)
	}
	if len(o.SortBy) > 0 {
		fmt.Fprintf(w, "\nSorted by: %s\n", strings.Join(o.SortBy, ", "))
	}
	if o.Engine == EngineHadoop {
		maps, reduces := hadoop.CountTasks(p, o.BlockSize, o.fileLimit(), o.Hadoop.Partitions)
		fmt.Fprintf(w, "\nOn Hadoop: %s, %s, %s a task\n", report.Count(int64(maps), "map task"), report.Count(int64(reduces), "partition"), units.Size(o.Memory))
	} else {
		fmt.Fprintf(w, "\nTemporary files: up to about %s, less what memory holds\n", units.Size(pending(p, o, o.Workers)))
	}
	fmt.Fprintf(w, "\nOutput: %s, %s, codec %s", o.Output, limit, o.Codec)
	if o.formatName() != FormatParquet { // its pages have one kind of checksum
		fmt.Fprintf(w, ", checksum %s", o.Checksum)
	}
	fmt.Fprintln(w)
}
