package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
)

const metaHelp = `meta shows the header of the files, their metadata, and the size of each column. It reads
only headers and descriptors.

The bytes of a column are its bytes in the files: descriptors, blocks and checksums. The raw
bytes are those of its blocks before compression.`

const metaExamples = `  trevni meta events.trv
  trevni meta --blocks events.trv
  trevni meta --json /data/events.trevni | jq '.columns[] | [.name, .share]'`

// metaOptions are the flags of meta.
type metaOptions struct {
	blocks bool
	json   bool
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
		out := json.NewEncoder(c.stdout)
		out.SetEscapeHTML(false)
		out.SetIndent("", "  ")
		return out.Encode(s)
	}
	return s.print(c.stdout, o.blocks)
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
	g := newGrid("", "<file", "rows", "columns", "bytes", "<codec", "<checksum")
	for i := range s.Files {
		f := &s.Files[i]
		g.add(f.Path, comma(f.Rows), comma(len(s.Columns)), comma(f.Bytes), f.Codec, f.Checksum)
	}
	if n := len(s.Files); n > 1 {
		g.add(fmt.Sprintf("(%d files)", n), comma(s.Rows), comma(len(s.Columns)), comma(s.Bytes), "", "")
	}
	return g.write(w)
}

// printMetadata shows the first file's properties, except the codec and the checksum, which
// were shown before.
func (s *summary) printMetadata(w io.Writer) error {
	g := newGrid("", "<metadata", "<value")
	for _, kv := range s.header.Meta {
		if kv.Key != "trevni.codec" && kv.Key != "trevni.checksum" {
			g.add(shorten([]byte(kv.Key)), shorten(kv.Value))
		}
	}
	if len(g.rows) == 1 {
		return nil
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return g.write(w)
}

func (s *summary) printColumns(w io.Writer) error {
	g := newGrid("", "#", "<column", "<type", "<parent", "<codec", "<checksum", "blocks", "rows", "raw", "bytes", "share", "bytes/row")
	for i := range s.Columns {
		c := &s.Columns[i]
		g.add(fmt.Sprint(i), shorten([]byte(c.Name)), c.kind, shorten([]byte(c.Parent)), c.Codec, c.Checksum,
			comma(c.Blocks), comma(c.Rows), comma(c.Raw), comma(c.Bytes), percent(c.Share), fmt.Sprintf("%.2f", c.BytesPerRow))
	}
	rest := s.Bytes - s.columnBytes()
	g.add("", "(header)", "", "", "", "", "", "", "", comma(rest), percent(share(rest, s.Bytes)), "")
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return g.write(w)
}

func (s *summary) printBlocks(w io.Writer, c *columnSummary) error {
	if _, err := fmt.Fprintf(w, "\nblocks of %s\n", shorten([]byte(c.Name))); err != nil {
		return err
	}
	titles := []string{"block", "row", "rows", "raw", "bytes", "offset", "<first value"}
	many := len(s.Files) > 1
	if many {
		titles = append([]string{"file"}, titles...)
	}
	g := newGrid("  ", titles...)
	for i := range c.Descriptors {
		d := &c.Descriptors[i]
		cells := []string{comma(d.Block), comma(d.Row), comma(d.Rows), comma(d.Raw), comma(d.Bytes), comma(d.Offset), d.first()}
		if many {
			cells = append([]string{fmt.Sprint(d.File)}, cells...)
		}
		g.add(cells...)
	}
	return g.write(w)
}

// comma writes a number with its thousands apart.
func comma[T int | int64 | uint64 | uint32](n T) string { return humanize.Comma(int64(n)) }

func percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

// shortest is the largest number of characters of a value in a table.
const shortest = 100

// shorten returns a value for a table: on one line, without characters that
// terminals act on, and cut if it is long.
func shorten(value []byte) string {
	if !utf8.Valid(value) {
		return cut(fmt.Sprintf("0x%x", value[:min(len(value), shortest)]), len(value))
	}
	text := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, string(value))
	return cut(text, len(value))
}

// cut cuts a text that is long, and then tells the bytes of the whole.
func cut(text string, whole int) string {
	if utf8.RuneCountInString(text) <= shortest {
		return text
	}
	return fmt.Sprintf("%s... (%s bytes)", string([]rune(text)[:shortest]), comma(whole))
}
