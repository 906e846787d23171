package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"avro2trevni/cmd/trevni/rowtext"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/schema"
)

const catHelp = `cat prints rows as JSON, one per line. NaN and the infinities are the strings "NaN",
"Infinity" and "-Infinity"; bytes are strings of the characters U+0000 to U+00FF; a map that
has a key twice is printed with both. --avro-json prints Avro's JSON encoding, in which the
value of a union is an object that names its type, as in {"x":{"long":7}}.

--format csv prints the names of the fields and then a line for each row, in quotes where
that is necessary (RFC 4180). The fields of inner records have columns of their own, named
user.name; arrays, maps and other unions than with null are JSON. A null is empty, an empty
string is "". --format table is for people: long values are cut, and so are lines at the
width of the terminal.

` + whereHelp + `

` + rowtext.LogicalHelp + `

cat reads only the columns that it needs. It prints files that have a schema in their
metadata (avro.schema); scan also reads files without one.`

const whereHelp = `--where selects the rows for which a condition holds: COLUMN = VALUE, with = != < <= > >=, or
COLUMN is null, COLUMN is not null. COLUMN is the path of a field, as for --columns; an array,
map or union matches if one of its values does. A null is neither equal to a value nor
different, less or greater. Write numbers as usual, booleans as true and false, enums as their
symbols, which are in the order of the schema, and bytes and fixed as cat prints them between
the quotes. Strings are compared byte by byte; quotes around a value are left out, so 'null' is
a string. NaN equals NaN and is greater than all other numbers; -0 equals 0. If the file has an
index of the column (convert --index), only the blocks that can hold such values are read.`

const catExamples = `  trevni cat events.trv
  trevni cat --rows 1000:1010 --columns id,user.name /data/events.trevni
  trevni cat --where user.country=DE --where 'status >= 400' --limit 20 events.trv
  trevni cat --format csv --logical --columns at,price events.trv > prices.csv
  trevni cat events.trv | jq .user.name`

// catOptions are the flags of cat and head.
type catOptions struct {
	sel     selection
	format  string
	json    bool
	avro    bool
	logical bool
}

// Formats of rows.
const (
	formatJSON  = "json"
	formatCSV   = "csv"
	formatTable = "table"
)

// cat makes the verb.
func (c *command) cat() *cobra.Command {
	o := &catOptions{sel: everything()}
	v := &cobra.Command{
		Use:     "cat [flags] INPUT...",
		Short:   "print rows as JSON, CSV or a table",
		Long:    catHelp,
		Example: catExamples,
		RunE:    func(cmd *cobra.Command, args []string) error { return c.runCat(cmd.Context(), o, args) },
	}
	v.Flags().Var(countFlag{&o.sel.limit}, "limit", "print at most `N` rows")
	v.Flags().Var(rangeFlag{&o.sel}, "rows", "print only these rows, numbered from 0; TO is not included; either may be left out")
	return c.catFlags(v, o)
}

// headRows is how many rows head prints.
const headRows = 10

// head makes the verb.
func (c *command) head() *cobra.Command {
	o := &catOptions{sel: everything()}
	o.sel.limit = headRows
	v := &cobra.Command{
		Use:   "head [flags] INPUT...",
		Short: "print the first rows",
		Long: `head prints the first 10 rows, or those that -n asks for, as cat does: see trevni cat --help
for the formats.`,
		Example: `  trevni head events.trv
  trevni head -n 3 --format table /data/events.trevni`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.runCat(cmd.Context(), o, args) },
	}
	v.Flags().VarP(countFlag{&o.sel.limit}, "limit", "n", "print at most `N` rows (default 10)")
	return c.catFlags(v, o)
}

// catFlags declares the flags that cat and head share.
func (c *command) catFlags(v *cobra.Command, o *catOptions) *cobra.Command {
	f := v.Flags()
	f.StringSliceVar(&o.sel.columns, "columns", nil, "print only these `FIELDS`, separated by commas, in this order; a dot leads to an inner field: user.name")
	f.Var(whereFlag{&o.sel}, "where", "print only the rows for which the condition holds; repeatable: all must hold")
	f.StringVar(&o.format, "format", formatJSON, "how rows are printed: json, csv or table")
	f.BoolVar(&o.json, "json", false, "the same as --format json")
	f.BoolVar(&o.avro, "avro-json", false, "print Avro's JSON encoding, which names the types of unions' values")
	f.BoolVar(&o.logical, "logical", false, "print dates, times, decimals and UUIDs in their usual notation")
	v.PreRunE = func(*cobra.Command, []string) error { return o.check(f.Changed("format")) }
	return c.verb(v)
}

// check checks the flags that say how rows are printed.
func (o *catOptions) check(given bool) error {
	all := []string{formatJSON, formatCSV, formatTable}
	switch {
	case !slices.Contains(all, o.format):
		return usagef("--format %q: must be %s", o.format, strings.Join(all, ", "))
	case given && o.format != formatJSON && o.json:
		return usagef("--json and --format %s cannot both be", o.format)
	case o.avro && o.format != formatJSON:
		return usagef("--avro-json and --format %s cannot both be", o.format)
	}
	return nil
}

// rowWriter writes rows in some format.
type rowWriter interface {
	// Row writes the row at the start of src, and returns what follows the row.
	Row(s *schema.Schema, src []byte) ([]byte, error)
	// Flush writes what was gathered.
	Flush() error
}

// writer returns the writer of rows of a schema.
func (o *catOptions) writer(c *command, s *schema.Schema) rowWriter {
	switch o.format {
	case formatCSV:
		return rowtext.NewCSV(c.stdout, s, o.logical)
	case formatTable:
		return rowtext.NewTable(c.stdout, s, o.logical, c.width)
	}
	return &rowtext.JSON{W: c.stdout, Plain: !o.avro, People: o.logical}
}

func (c *command) runCat(ctx context.Context, o *catOptions, args []string) error {
	files, err := c.files(args)
	if err != nil {
		return err
	}
	var out rowWriter
	var s *schema.Schema
	err = c.readRows(ctx, files, o.sel, sink{
		begin: func(_ string, wanted *schema.Schema, _ []ocf.Meta) error {
			s, out = wanted, o.writer(c, wanted)
			return nil
		},
		rows: func(f *file, first int64, data []byte, n int) error {
			for i := range n {
				if data, err = out.Row(s, data); err != nil && c.failed == nil {
					return fmt.Errorf("%s: row %d: %w", f.name, first+int64(i), err)
				} else if err != nil {
					return err
				}
			}
			return nil
		},
	})
	if out != nil {
		if flushed := out.Flush(); err == nil {
			err = flushed
		}
	}
	return err
}
