package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"avro2trevni/cmd/trevni/avrorows"
	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/cmd/trevni/rowtext"
	"avro2trevni/cmd/trevni/show"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/schema"
)

// against compares the rows of Trevni files with those of Avro files, one for one, up
// to the first that differs. What differs is an error that formats.Corrupt knows; others
// are of reading.
func (c *command) against(ctx context.Context, files, avro []string) (rows int64, err error) {
	names, err := avrorows.List(c.fs(), avro)
	if err != nil {
		return 0, err
	}
	cmp := &comparison{source: avrorows.Reader{FS: c.fs(), Names: names}}
	defer cmp.source.Close()
	err = c.readRows(ctx, files, everything(), sink{
		begin: func(_ string, s *schema.Schema, _ []ocf.Meta) error { cmp.source.Schema = s; return nil },
		rows:  cmp.rows,
	})
	if err != nil {
		return cmp.row, err
	}
	switch _, err := cmp.source.Next(nil); err {
	case io.EOF:
		return cmp.row, nil
	case nil:
		name, _ := cmp.source.Place()
		return cmp.row, colfile.Wrong(fmt.Errorf("%s has more rows than the %s here", name, show.Comma(cmp.row)))
	default:
		return cmp.row, err
	}
}

// comparison is how far two tables were found equal.
type comparison struct {
	source avrorows.Reader
	row    int64 // the next one, in all files
	canon  rowtext.Canonical
	want   []byte
	have   []byte
}

// rows compares some rows.
func (c *comparison) rows(f *file, first int64, data []byte, n int) error {
	for i := range int64(n) {
		var err error
		if c.want, err = c.source.Next(c.want[:0]); err == io.EOF {
			return colfile.Wrong(fmt.Errorf("%s: row %s: the Avro files have only %s rows", f.name, show.Comma(first+i), show.Comma(c.row)))
		}
		if err != nil {
			return err
		}
		if bytes.HasPrefix(data, c.want) { // what begins with a whole row's bytes is that row
			data = data[len(c.want):]
			c.row++
			continue
		}
		var size int
		if c.have, size, err = c.canon.Row(c.have[:0], data, c.source.Schema); err != nil {
			return fmt.Errorf("%s: row %d: %w", f.name, first+i, err)
		}
		if !bytes.Equal(c.have, c.want) {
			return colfile.Wrong(c.differ(f, first+i))
		}
		data = data[size:]
		c.row++
	}
	return nil
}

// differ says how the current rows differ.
func (c *comparison) differ(f *file, row int64) error {
	have, want := c.json(c.have), c.json(c.want)
	at := 0
	for at < len(have) && at < len(want) && have[at] == want[at] {
		at++
	}
	name, block := c.source.Place()
	return fmt.Errorf("%s: row %s is not that of %s (block at %d): %s, there %s",
		f.name, show.Comma(row), name, block, around(have, at), around(want, at))
}

func (c *comparison) json(row []byte) string {
	var text beginning
	j := rowtext.JSON{W: &text}
	if _, err := j.Row(c.source.Schema, row); err == nil || err == errEnough {
		_ = j.Flush() // kept in j, and looked at no more
	}
	return string(bytes.TrimSpace(text))
}

// beginning keeps what is written to it, up to a megabyte or so: a row of a few bytes
// may have 2^30 elements. Then its error is errEnough.
type beginning []byte

var errEnough = errors.New("enough was written")

// Write implements io.Writer.
func (b *beginning) Write(p []byte) (int, error) {
	if len(*b) > 1<<20 {
		return 0, errEnough
	}
	*b = append(*b, p...)
	return len(p), nil
}

// around returns the part of a row's text where it differs.
func around(text string, at int) string {
	const before, after = 60, 40
	from, to := max(at-before, 0), min(at+after, len(text))
	cutText := text[from:to]
	if from > 0 {
		cutText = "..." + cutText
	}
	if to < len(text) {
		cutText += "..."
	}
	return cutText
}
