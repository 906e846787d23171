package trevni

import (
	"cmp"

	"avro2trevni/internal/colname"
	"avro2trevni/internal/exit"
	"avro2trevni/internal/format"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// parseCodecs parses the word for codecs.
func parseCodecs(text string) (format.Choice, error) {
	c, err := format.ParseChoice("codec", cmp.Or(text, format.DefaultCodec), format.DefaultCodec)
	for _, w := range c.Every() {
		if _, bad := block.ParseCodec(w); err == nil && bad != nil {
			err = exit.Usage("codec %q: must be null, snappy, snappy:better, deflate or deflate:1 to deflate:9", w)
		}
	}
	return c, err
}

// parseChecksums parses the word for checksums.
func parseChecksums(text string) (format.Choice, error) {
	c, err := format.ParseChoice("checksum", cmp.Or(text, format.DefaultChecksum), format.DefaultChecksum)
	for _, w := range c.Every() {
		if _, bad := block.ParseChecksum(w); err == nil && bad != nil {
			err = exit.Usage("checksum %q: must be crc32, crc-32 or null", w)
		}
	}
	return c, err
}

// Check implements [format.Format].
func (Format) Check(w *format.Words) error {
	_, err1 := parseCodecs(w.Codec)
	_, err2 := parseChecksums(w.Checksum)
	return cmp.Or(err1, err2)
}

// code decides how the columns are coded, and names in them what is not the file's.
func (t *fileTable) code(w *format.Words) error {
	codecs, err := parseCodecs(w.Codec)
	if err != nil {
		return err
	}
	sums, err := parseChecksums(w.Checksum)
	if err != nil {
		return err
	}
	byCodec, err1 := codecs.Words("codec", t.names(), colname.Path)
	bySum, err2 := sums.Words("checksum", t.names(), colname.Path)
	if err := cmp.Or(err1, err2); err != nil {
		return err
	}
	t.coding = codingOf(codecs.All, sums.All)
	for i := range t.columns {
		c := codingOf(byCodec[i], bySum[i])
		t.codings = append(t.codings, c)
		if name := c.Codec.WireName(); name != t.coding.Codec.WireName() {
			t.columns[i].Codec = name
		}
		if c.Checksum != t.coding.Checksum {
			t.columns[i].Checksum = c.Checksum.String()
		}
	}
	return nil
}

// codingOf returns the coding of two words that were checked.
func codingOf(codec, sum string) (c block.Coding) {
	c.Codec, _ = block.ParseCodec(codec)
	c.Checksum, _ = block.ParseChecksum(sum)
	return c
}

// indexBy gives the columns named first values, and returns their own names in the columns'
// order. What cannot have them is refused.
func (t *fileTable) indexBy(names []string) (own []string, err error) {
	all := make([]string, len(t.columns))
	for i := range t.columns {
		all[i] = t.columns[i].Name
	}
	for _, name := range names {
		i, err := colname.Find(all, name)
		if err != nil {
			return nil, exit.Refused("index: %w", err)
		}
		c := &t.columns[i]
		if why := unindexable(c); why != "" {
			return nil, exit.Refused("index: column %q, %s: %s", c.Name, c.Type, why)
		}
		c.FirstValues = true
	}
	for i := range t.columns {
		if t.columns[i].FirstValues {
			own = append(own, t.columns[i].Name)
		}
	}
	return own, nil
}

// unindexable returns why a column cannot have first values, "" if it can.
func unindexable(c *trevni.Column) string {
	switch {
	case c.Array || c.Parent != "":
		return "the format has no first values for arrays, maps, unions, and what is in them: a row may have none or several"
	case c.Type == trevni.Boolean:
		return "Avro's Java implementation misreads booleans with first values"
	case c.Type == trevni.Null:
		return "nulls have no order"
	}
	return ""
}
