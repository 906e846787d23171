package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/cmd/trevni/show"
	"avro2trevni/cmd/trevni/tally"
	"avro2trevni/internal/colname"
)

const scanHelp = `scan reads the given columns completely, and no other columns. For each it prints the
number of values; the number of rows, or elements of the parent, without a value; the sum,
minimum and maximum; and the time and the bytes that reading it took.

Without COLUMN it scans all columns. List the columns after the input, or after -- if there
are several inputs. Use the names that meta shows, and quote them: > and # are special to
the shell. A field's path also works if the field has one column: user.name for user#name,
latitude for latitude/double.

The sum of strings and bytes is the sum of their lengths in bytes. The sum of booleans is
the number of true values. NaN counts as a value, but not for the sum, minimum and maximum.
The sum of both infinities is NaN.`

const scanExamples = `  trevni scan events.trv
  trevni scan lineitem.trv l_extendedprice l_comment
  trevni scan /data/2023.trevni /data/2024.trevni -- 'items[]#price'`

// scan makes the verb.
func (c *command) scan() *cobra.Command {
	var progress whenFlag
	v := &cobra.Command{
		Use:     "scan [flags] INPUT [COLUMN...] | INPUT... -- [COLUMN...]",
		Short:   "count and sum the values of columns",
		Long:    scanHelp,
		Example: scanExamples,
		RunE: func(cmd *cobra.Command, args []string) error {
			split := cmd.ArgsLenAtDash()
			if split == 0 {
				return usagef("an input is needed")
			}
			if split < 0 {
				split = 1
			}
			return c.runScan(cmd.Context(), progress, args[:split], args[split:])
		},
	}
	progressFlag(v.Flags(), &progress)
	return c.verb(v)
}

// scanned is a column over all files.
type scanned struct {
	column int // its number, in each file
	name   string
	kind   string
	tally  tally.Tally
	took   time.Duration
	read   int64 // bytes, of the column and if need be of its parents
}

func (c *command) runScan(ctx context.Context, progress whenFlag, args, columns []string) error {
	files, err := c.files(args)
	if err != nil {
		return err
	}
	defer c.watch(progress, "scan", len(files))()
	s := &scanner{ctx: ctx, columns: columns}
	if err := c.each(ctx, files, s.file); err != nil {
		return err
	}
	return s.print(c.stdout)
}

// scanner scans files.
type scanner struct {
	ctx     context.Context
	columns []string // wanted
	all     []scanned
	first   *file
	rows    uint64
	size    int64 // bytes of the files
	read    int64
	took    time.Duration
}

// file scans one file, column by column.
func (s *scanner) file(f *file) error {
	if s.first == nil {
		if err := s.begin(f); err != nil {
			return err
		}
	} else if err := sameColumns(s.first, f); err != nil {
		return err
	}
	s.rows += f.Header().Rows
	s.size += f.size
	for k := range s.all {
		a := &s.all[k]
		start, before := time.Now(), f.src.bytes.Load()
		if err := f.Scan(s.ctx, a.column, &a.tally); err != nil {
			return err
		}
		took := time.Since(start)
		a.took += took
		s.took += took
		a.read += f.src.bytes.Load() - before
	}
	s.read += f.src.bytes.Load()
	return nil
}

// begin takes up the columns that the first file has.
func (s *scanner) begin(f *file) error {
	s.first = f
	all := f.Columns()
	columns := make([]int, 0, len(all))
	for _, name := range s.columns {
		i, err := colname.Find(names(all), name)
		if err != nil {
			return usagef("%s: column %w", f.name, err)
		}
		if !slices.Contains(columns, i) {
			columns = append(columns, i)
		}
	}
	for i := range all {
		if len(s.columns) == 0 {
			columns = append(columns, i)
		}
	}
	for _, i := range columns {
		c := &all[i]
		s.all = append(s.all, scanned{column: i, name: c.Name, kind: c.Kind(), tally: tally.Tally{Type: c.Tally}})
	}
	return nil
}

// names returns the names of columns.
func names(columns []colfile.Column) []string {
	all := make([]string, len(columns))
	for i := range columns {
		all[i] = columns[i].Name
	}
	return all
}

// print shows what was found.
func (s *scanner) print(w io.Writer) error {
	g := show.NewGrid("", "<column", "<type", "values", "empty", "NaN", "sum", "min", "max", "time", "read")
	for i := range s.all {
		a := &s.all[i]
		t := &a.tally
		nan := ""
		if t.Type == tally.Float || t.Type == tally.Double {
			nan = show.Comma(t.NaNs)
		}
		g.Add(show.Short([]byte(a.name)), a.kind, show.Comma(t.Values), show.Comma(t.Empty), nan, t.Sum(), t.Min(), t.Max(),
			took(a.took), humanize.IBytes(uint64(a.read)))
	}
	if err := g.Write(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s, %s: read %s of %s in %s\n", show.Plural(int(s.rows), "row", "rows"),
		show.Plural(len(s.all), "column", "columns"), humanize.IBytes(uint64(s.read)), humanize.IBytes(uint64(s.size)), took(s.took))
	return err
}

// took writes a time as people read it.
func took(d time.Duration) string {
	if d < 10*time.Millisecond {
		return d.Round(time.Microsecond).String()
	}
	return d.Round(100 * time.Microsecond).String()
}
