package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/cmd/trevni/show"
	"avro2trevni/cmd/trevni/tally"
	"avro2trevni/internal/cmdline"
	"avro2trevni/internal/colname"
)

const scanHelp = `scan reads the given columns completely, and no other columns. For each it prints the
number of values; the number of rows, or elements of the parent, without a value; and the
sum, minimum and maximum. --timing adds the time and the bytes that reading the column took.

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
	var o scanOptions
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
			return c.runScan(cmd.Context(), &o, args[:split], args[split:])
		},
	}
	v.Flags().BoolVar(&o.timing, "timing", false, "also show the time and the bytes that reading each column took")
	v.Flags().BoolVar(&o.json, "json", false, "print JSON, with complete values")
	progressFlag(v.Flags(), &o.progress)
	return c.verb(v)
}

// scanOptions are the flags of scan.
type scanOptions struct {
	timing, json bool
	progress     whenFlag
}

// scanned is a column over all files.
type scanned struct {
	column int // its number, in each file
	name   string
	kind   string
	typ    string
	array  bool
	tally  tally.Tally
	took   time.Duration
	read   int64 // bytes, of the column and if need be of its parents
}

func (c *command) runScan(ctx context.Context, o *scanOptions, args, columns []string) error {
	files, err := c.files(args)
	if err != nil {
		return err
	}
	defer c.watch(o.progress, "scan", len(files))()
	s := &scanner{ctx: ctx, columns: columns}
	if err := c.each(ctx, files, s.file); err != nil {
		return err
	}
	if o.json {
		return writeJSON(c.stdout, s.summary(o.timing))
	}
	return s.print(c.stdout, o.timing, c.width)
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
			return usagef("%s: column %w%s", f.name, err, nearColumn(name, all))
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
		s.all = append(s.all, scanned{column: i, name: c.Name, kind: c.Kind(), typ: c.Type, array: c.Array, tally: tally.Tally{Type: c.Tally}})
	}
	return nil
}

// nearColumn returns a question for the column that was meant by a name that is not there, ""
// if no column is near.
func nearColumn(name string, columns []colfile.Column) string {
	all := names(columns)
	for i := range columns {
		all = append(all, colname.Path(columns[i].Name))
	}
	if _, err := colname.Find(names(columns), name); !errors.Is(err, colname.ErrUnknown) {
		return ""
	}
	if near := cmdline.Closest(name, all); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return "; trevni meta lists the columns"
}

// names returns the names of columns.
func names(columns []colfile.Column) []string {
	all := make([]string, len(columns))
	for i := range columns {
		all[i] = columns[i].Name
	}
	return all
}

// scanSummary is what scan --json prints.
type scanSummary struct {
	Rows    uint64          `json:"rows"`
	Bytes   int64           `json:"bytes"` // of the files
	Read    int64           `json:"read"`  // bytes
	Seconds *float64        `json:"seconds,omitempty"`
	Columns []columnScanned `json:"columns"`
}

// columnScanned is one column. Sum, Min and Max are null where there is none; numbers that JSON
// has no word for are strings.
type columnScanned struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Array   bool     `json:"array"`
	Values  uint64   `json:"values"`
	Empty   uint64   `json:"empty"`
	NaN     *uint64  `json:"nan,omitempty"` // of float and double
	Sum     any      `json:"sum"`
	Min     any      `json:"min"`
	Max     any      `json:"max"`
	Seconds *float64 `json:"seconds,omitempty"`
	Read    *int64   `json:"read,omitempty"`
}

// summary returns what was found.
func (s *scanner) summary(timing bool) *scanSummary {
	sum := &scanSummary{Rows: s.rows, Bytes: s.size, Read: s.read, Columns: []columnScanned{}}
	for i := range s.all {
		a := &s.all[i]
		t := &a.tally
		c := columnScanned{
			Name: a.name, Type: a.typ, Array: a.array, Values: t.Values, Empty: t.Empty,
			Sum: t.SumJSON(), Min: t.MinJSON(), Max: t.MaxJSON(),
		}
		if t.Type == tally.Float || t.Type == tally.Double {
			c.NaN = &t.NaNs
		}
		if timing {
			seconds := a.took.Seconds()
			c.Seconds, c.Read = &seconds, &a.read
		}
		sum.Columns = append(sum.Columns, c)
	}
	if timing {
		seconds := s.took.Seconds()
		sum.Seconds = &seconds
	}
	return sum
}

// print shows what was found.
func (s *scanner) print(w io.Writer, timing bool, width int) error {
	titles := []string{"<column", "<type", "values", "empty", "NaN", "sum", "min", "max"}
	if timing {
		titles = append(titles, "time", "read")
	}
	g := show.NewGrid("", titles...)
	g.Width = width
	for i := range s.all {
		a := &s.all[i]
		t := &a.tally
		nan := ""
		if t.Type == tally.Float || t.Type == tally.Double {
			nan = show.Comma(t.NaNs)
		}
		cells := []string{show.Short([]byte(a.name)), a.kind, show.Comma(t.Values), show.Comma(t.Empty), nan, t.Sum(), t.Min(), t.Max()}
		if timing {
			cells = append(cells, took(a.took), humanize.IBytes(uint64(a.read)))
		}
		g.Add(cells...)
	}
	if err := g.Write(w); err != nil {
		return err
	}
	end := ""
	if timing {
		end = " in " + took(s.took)
	}
	_, err := fmt.Fprintf(w, "\n%s, %s: read %s of %s%s\n", show.Plural(int(s.rows), "row", "rows"),
		show.Plural(len(s.all), "column", "columns"), humanize.IBytes(uint64(s.read)), humanize.IBytes(uint64(s.size)), end)
	return err
}

// took writes a time as people read it.
func took(d time.Duration) string {
	if d < 10*time.Millisecond {
		return d.Round(time.Microsecond).String()
	}
	return d.Round(100 * time.Microsecond).String()
}
