package main

import (
	"context"

	"github.com/spf13/cobra"

	"avro2trevni/cmd/trevni/rowtext"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/schema"
)

const catHelp = `cat prints rows in Avro's JSON encoding, one per line: a union's value is an object that
names its branch, and bytes are strings of the characters U+0000 to U+00FF.

--where selects the rows in which a column has the value. An array, map or union matches if
one of its values does. Write numbers as usual, booleans as true and false, strings as they
are, enums as their symbols, and bytes and fixed as cat prints them between the quotes. NaN
equals NaN, and -0 equals 0. If the column has first values (convert --index), cat assumes
that it is sorted and reads only the blocks that can hold the value; otherwise it reads the
whole column.

` + rowtext.LogicalHelp + `

cat reads only the columns that it needs. It prints files that have a schema in their
metadata (avro.schema); scan also reads files without one.`

const catExamples = `  trevni cat events.trv
  trevni cat --rows 1000:1010 --columns id,user.name /data/events.trevni
  trevni cat --where user.country=DE --where status=404 events.trv
  trevni cat --logical --columns at,price events.trv
  trevni cat events.trv | head`

// cat makes the verb.
func (c *command) cat() *cobra.Command {
	sel, people := everything(), false
	v := &cobra.Command{
		Use:     "cat [flags] INPUT...",
		Short:   "print rows as JSON",
		Long:    catHelp,
		Example: catExamples,
		RunE:    func(cmd *cobra.Command, args []string) error { return c.runCat(cmd.Context(), sel, people, args) },
	}
	v.Flags().StringSliceVar(&sel.columns, "columns", nil, "print only these `FIELDS`, separated by commas; a dot leads to an inner field: user.name")
	v.Flags().Var(rangeFlag{&sel}, "rows", "print only these rows, numbered from 0; TO is not included; either may be left out")
	v.Flags().Var(whereFlag{&sel}, "where", "print only the rows in which the column has the value; repeatable: all must hold")
	v.Flags().BoolVar(&people, "logical", false, "print dates, times, decimals and UUIDs in their usual notation")
	return c.verb(v)
}

func (c *command) runCat(ctx context.Context, sel selection, people bool, args []string) error {
	files, err := c.files(args)
	if err != nil {
		return err
	}
	out := &rowtext.JSON{W: c.stdout, People: people}
	var s *schema.Schema
	err = c.readRows(ctx, files, sel, sink{
		begin: func(_ string, wanted *schema.Schema, _ []ocf.Meta) error { s = wanted; return nil },
		rows: func(_ *file, _ int64, data []byte, n int) error {
			for range n {
				if data, err = out.Row(s, data); err != nil {
					return err
				}
			}
			return nil
		},
	})
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	return err
}
