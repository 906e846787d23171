package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
)

const schemaHelp = `schema prints the Avro schema of the rows, which the files have in their metadata, as JSON:
indented, or with --json as it is in the file. With --columns it is the schema of these
fields, as cat and to-avro use it.`

const schemaExamples = `  trevni schema events.trv > events.avsc
  trevni schema --columns id,user.name events.trv
  trevni schema --json events.trv | jq -r '.fields[].name'`

// schema makes the verb.
func (c *command) schema() *cobra.Command {
	var columns []string
	plain := false
	v := &cobra.Command{
		Use:     "schema [flags] INPUT...",
		Short:   "print the Avro schema of the rows",
		Long:    schemaHelp,
		Example: schemaExamples,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.runSchema(cmd.Context(), columns, plain, args)
		},
	}
	v.Flags().StringSliceVar(&columns, "columns", nil, "print only these `FIELDS`, separated by commas, in this order; a dot leads to an inner field: user.name")
	v.Flags().BoolVar(&plain, "json", false, "print the schema on one line")
	return c.verb(v)
}

func (c *command) runSchema(ctx context.Context, columns []string, plain bool, args []string) error {
	files, err := c.files(args)
	if err != nil {
		return err
	}
	t := &table{sel: selection{columns: columns}}
	if err := c.each(ctx, files, func(f *file) error {
		if err := t.open(f); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		return nil
	}); err != nil {
		return err
	}
	var text bytes.Buffer
	if plain {
		err = json.Compact(&text, []byte(t.text))
	} else {
		err = json.Indent(&text, []byte(t.text), "", "  ")
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.stdout, text.String())
	return err
}
