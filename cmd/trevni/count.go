package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/cmd/trevni/show"
	"avro2trevni/internal/schema"
)

const countHelp = `count prints how many rows there are, and how many values a field has: nulls, empty arrays,
and elements, of the field and of what is on the way to it. PATH is a field, as in cat
--columns: contacts.phones. Without it, count prints the rows.

It reads no values where the format can do without. Of a Parquet file it reads what the
footer says of the levels of one column, or else the column's index, or else its levels; in
pages of version 2 these stand apart from the values. Of a Trevni file it reads the columns of
lengths on the path. The last line says which bytes of the files were read.

--levels counts the levels in the pages of a Parquet file whatever the footer says of them.`

const countExamples = `  trevni count events.parquet
  trevni count events.parquet user.phones
  trevni count --json /data/events tags`

// countOptions are the flags of count.
type countOptions struct{ levels, json bool }

// count makes the verb.
func (c *command) count() *cobra.Command {
	var o countOptions
	v := &cobra.Command{
		Use:     "count [flags] INPUT [PATH]",
		Short:   "count rows, elements and nulls without reading values",
		Long:    countHelp,
		Example: countExamples,
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return usagef("an input is needed")
			case 1, 2:
				return nil
			}
			return usagef("%d arguments: an input and a path are needed", len(args))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			path := ""
			if len(args) == 2 {
				path = args[1]
			}
			return c.runCount(cmd.Context(), &o, args[0], path)
		},
	}
	v.Flags().BoolVar(&o.levels, "levels", false, "count the levels in pages, and do not use what the footer says of them")
	v.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return c.verb(v)
}

// countSummary is what count prints.
type countSummary struct {
	Rows   uint64        `json:"rows"`
	Counts []countedPath `json:"counts"`
	Bytes  int64         `json:"bytes"` // of the files
	Read   int64         `json:"read"`  // bytes, each counted once
	Files  []fileRead    `json:"files"`
}

// countedPath is one place. Null and Empty are absent where there can be none.
type countedPath struct {
	Path   string  `json:"path"`
	Values uint64  `json:"values"`
	Null   *uint64 `json:"null,omitempty"`
	Empty  *uint64 `json:"empty,omitempty"`
}

// fileRead is which bytes of a file were read: [from, to).
type fileRead struct {
	Path   string     `json:"path"`
	Ranges [][2]int64 `json:"ranges"`
	text   string
}

func (c *command) runCount(ctx context.Context, o *countOptions, input, path string) error {
	files, err := c.files([]string{input})
	if err != nil {
		return err
	}
	c.noted = true
	s := &countSummary{Counts: []countedPath{}}
	var first *file
	err = c.each(ctx, files, func(f *file) error {
		if first == nil {
			first = f
		} else if err := sameColumns(first, f); err != nil {
			return err
		}
		return s.file(ctx, f, path, o.levels)
	})
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(c.stdout, s)
	}
	return s.print(c.stdout)
}

// file adds the counts of a file.
func (s *countSummary) file(ctx context.Context, f *file, path string, levels bool) error {
	s.Rows += f.Header().Rows
	if path != "" {
		counter, ok := f.File.(colfile.Counter)
		if !ok {
			return usagef("%s: PATH does not work with files of this format", f.name)
		}
		counts, err := counter.Count(ctx, path, levels)
		if errors.Is(err, schema.ErrNoField) {
			return usagef("%s: %w", f.name, err)
		} else if err != nil {
			return err
		}
		s.add(counts)
	}
	s.Bytes += f.size
	s.Read += f.src.places.bytes()
	s.Files = append(s.Files, fileRead{f.name, f.src.places.all, f.src.places.String()})
	return nil
}

// add adds counts to those of the files before.
func (s *countSummary) add(counts []colfile.Count) {
	for i, n := range counts {
		if i == len(s.Counts) {
			one := countedPath{Path: n.Path}
			if n.Optional {
				one.Null = new(uint64)
			}
			if n.List {
				one.Empty = new(uint64)
			}
			s.Counts = append(s.Counts, one)
		}
		to := &s.Counts[i]
		to.Values += n.Values
		if to.Null != nil {
			*to.Null += n.Null
		}
		if to.Empty != nil {
			*to.Empty += n.Empty
		}
	}
}

// print shows the counts as text.
func (s *countSummary) print(w io.Writer) error {
	g := show.NewGrid("", "<path", "values", "null", "empty")
	g.Add("(rows)", show.Comma(s.Rows), "", "")
	some := func(n *uint64) string {
		if n == nil {
			return ""
		}
		return show.Comma(*n)
	}
	for _, c := range s.Counts {
		g.Add(show.Short([]byte(c.Path)), show.Comma(c.Values), some(c.Null), some(c.Empty))
	}
	if err := g.Write(w); err != nil {
		return err
	}
	end := ""
	if len(s.Files) == 1 {
		end = ": " + s.Files[0].text
	}
	_, err := fmt.Fprintf(w, "\nread %s of %s%s\n", show.Comma(s.Read), show.Plural(int(s.Bytes), "byte", "bytes"), end)
	return err
}
