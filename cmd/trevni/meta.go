package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"avro2trevni/cmd/trevni/show"
)

const metaHelp = `meta shows the header of the files, their metadata, and the size of each column. It reads
only headers and descriptors. A type with a question mark, as double?, is that of a field that
may be null, or of one of several types.

The bytes of a column are its bytes in the files: descriptors, blocks and checksums. The raw
bytes are those of its blocks before compression.`

const metaExamples = `  trevni meta events.trv
  trevni meta --blocks events.trv
  trevni meta --json /data/events.trevni | jq '.columns[] | [.name, .share]'`

// metaOptions are the flags of meta.
type metaOptions struct {
	blocks bool
	json   bool
	wide   bool
}

// meta makes the verb.
func (c *command) meta() *cobra.Command {
	var o metaOptions
	v := &cobra.Command{
		Use:     "meta [flags] INPUT...",
		Short:   "show header, metadata, and the size of each column",
		Long:    metaHelp,
		Example: metaExamples,
		RunE:    func(cmd *cobra.Command, args []string) error { return c.runMeta(cmd.Context(), &o, args) },
	}
	v.Flags().BoolVar(&o.blocks, "blocks", false, "also show the descriptors of the blocks")
	v.Flags().BoolVar(&o.wide, "wide", false, "do not fit tables to the width of the terminal")
	v.Flags().BoolVar(&o.json, "json", false, "print JSON, with complete values")
	return c.verb(v)
}

func (c *command) runMeta(ctx context.Context, o *metaOptions, args []string) error {
	files, err := c.files(args)
	if err != nil {
		return err
	}
	s, err := c.summarize(ctx, files, o.blocks)
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(c.stdout, s)
	}
	if !o.wide {
		s.width = c.width
	}
	return s.print(c.stdout, o.blocks)
}

// writeJSON writes a value as JSON that people can read too.
func writeJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// print shows the summary as text.
func (s *summary) print(w io.Writer, blocks bool) error {
	if err := s.printFiles(w); err != nil {
		return err
	}
	if err := s.printMetadata(w); err != nil {
		return err
	}
	if err := s.printColumns(w); err != nil {
		return err
	}
	for i := range s.Columns {
		if !blocks {
			break
		}
		if err := s.printBlocks(w, &s.Columns[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *summary) printFiles(w io.Writer) error {
	g := show.NewGrid("", "<file", "rows", "columns", "bytes", "<codec", "<checksum")
	g.Width = s.width
	for i := range s.Files {
		f := &s.Files[i]
		g.Add(f.Path, show.Comma(f.Rows), show.Comma(len(s.Columns)), show.Comma(f.Bytes), f.Codec, f.Checksum)
	}
	if n := len(s.Files); n > 1 {
		g.Add(fmt.Sprintf("(%d files)", n), show.Comma(s.Rows), show.Comma(len(s.Columns)), show.Comma(s.Bytes), "", "")
	}
	return g.Write(w)
}

// printMetadata shows the first file's properties, except the codec and the checksum, which
// were shown before.
func (s *summary) printMetadata(w io.Writer) error {
	g := show.NewGrid("", "<metadata", "<value")
	g.Width = s.width
	for _, kv := range s.meta {
		if kv.Key != "trevni.codec" && kv.Key != "trevni.checksum" {
			g.Add(show.Short([]byte(kv.Key)), show.Short(kv.Value))
		}
	}
	if g.Len() == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return g.Write(w)
}

// barWidth is the length of the bar of a column that takes all of the files.
const barWidth = 20

// printColumns shows the columns. Parents, codecs and checksums are left out if they say
// nothing.
func (s *summary) printColumns(w io.Writer) error {
	parents, codings := false, false
	for i := range s.Columns {
		c := &s.Columns[i]
		parents = parents || c.Parent != ""
		codings = codings || c.Codec != s.Files[0].Codec || c.Checksum != s.Files[0].Checksum
	}
	cells := func(number, name, kind, parent, codec, checksum string, rest ...string) []string {
		row := []string{number, name, kind}
		if parents {
			row = append(row, parent)
		}
		if codings {
			row = append(row, codec, checksum)
		}
		return append(row, rest...)
	}
	g := show.NewGrid("", cells("#", "<column", "<type", "<parent", "<codec", "<checksum", "blocks", "raw", "bytes", "bytes/row", "share", "<")...)
	g.Width = s.width
	for i := range s.Columns {
		c := &s.Columns[i]
		g.Add(cells(fmt.Sprint(i), show.Short([]byte(c.Name)), c.kind, show.Short([]byte(c.Parent)), c.Codec, c.Checksum,
			show.Comma(c.Blocks), show.Comma(c.Raw), show.Comma(c.Bytes), fmt.Sprintf("%.2f", c.BytesPerRow), show.Percent(c.Share),
			show.Bar(c.Share, barWidth))...)
	}
	rest := s.Bytes - s.columnBytes()
	g.Add(cells("", "(header)", "", "", "", "", "", "", show.Comma(rest), "", show.Percent(share(rest, s.Bytes)), "")...)
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return g.Write(w)
}

func (s *summary) printBlocks(w io.Writer, c *columnSummary) error {
	if _, err := fmt.Fprintf(w, "\nblocks of %s\n", show.Short([]byte(c.Name))); err != nil {
		return err
	}
	titles := []string{"block", "row", "rows", "raw", "bytes", "offset", "<first value"}
	many := len(s.Files) > 1
	if many {
		titles = append([]string{"file"}, titles...)
	}
	g := show.NewGrid("  ", titles...)
	g.Width = s.width
	for i := range c.Descriptors {
		d := &c.Descriptors[i]
		cells := []string{show.Comma(d.Block), show.Comma(d.Row), show.Comma(d.Rows), show.Comma(d.Raw), show.Comma(d.Bytes), show.Comma(d.Offset), d.first()}
		if many {
			cells = append([]string{fmt.Sprint(d.File)}, cells...)
		}
		g.Add(cells...)
	}
	return g.Write(w)
}
