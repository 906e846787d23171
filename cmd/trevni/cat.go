package main

import (
	"context"

	"github.com/spf13/cobra"

	"avro2trevni/internal/schema"
	"avro2trevni/trevni"
)

const catHelp = `cat prints rows as JSON, one a line, as Avro's JSON encoding has them: a union's value
in an object that names its branch, bytes as strings of the characters U+0000 to U+00FF.

--where takes rows in which a column has a value, or an array, map or union one such
value: numbers as usual, true and false, strings as they are, an enum's symbols, bytes
and fixed as cat prints them between the quotes. NaN equals NaN, and -0 equals 0. In a
column with first values (convert --index), which is taken to be sorted, they are found
without reading the others; else the column is looked through.

` + logicalHelp + `

Only the columns that are needed are read. A file made with a schema in its metadata
(avro.schema) can be printed; scan reads others.`

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
	v.Flags().StringSliceVar(&sel.columns, "columns", nil, "the `FIELDS` to print, with commas between; inner ones with dots: user.name")
	v.Flags().Var(rangeFlag{&sel}, "rows", "the rows to print, numbered from 0, TO not included; either may be left out")
	v.Flags().Var(whereFlag{&sel}, "where", "only rows in which the column has the value; may be given again for more that must hold")
	v.Flags().BoolVar(&people, "logical", false, "print dates, times, decimals and UUIDs as people write them")
	return c.verb(v)
}

func (c *command) runCat(ctx context.Context, sel selection, people bool, args []string) error {
	files, err := c.files(args)
	if err != nil {
		return err
	}
	out := &jsonWriter{w: c.stdout, people: people}
	var s *schema.Schema
	err = c.readRows(ctx, files, sel, sink{
		begin: func(_ string, wanted *schema.Schema, _ trevni.Metadata) error { s = wanted; return nil },
		rows: func(_ *file, _ int64, data []byte, n int) error {
			for range n {
				if data, err = out.row(s, data); err != nil {
					return err
				}
			}
			return nil
		},
	})
	if flushed := out.flush(); err == nil {
		err = flushed
	}
	return err
}
