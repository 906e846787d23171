package jobs

import (
	"strings"

	"avro2trevni/internal/colname"
	"avro2trevni/internal/exit"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// choice is an option that is a word for all columns, and others for some of them.
type choice struct {
	all string
	own []ownWord
}

// ownWord is the word for a column, or for the columns of a field.
type ownWord struct{ column, word string }

// parseChoice parses "word,column=word,..."; def is the word for all where there is
// none. The option's name is for errors.
func parseChoice(option, text, def string) (choice, error) {
	c := choice{}
	seen := map[string]bool{}
	for item := range strings.SplitSeq(text, ",") {
		i := strings.LastIndexByte(item, '=')
		column, word := "", item
		if i >= 0 {
			column, word = item[:i], item[i+1:]
		}
		switch {
		case i == 0:
			return c, exit.Usage("%s %q: a column's name is empty", option, text)
		case seen[column] && i < 0:
			return c, exit.Usage("%s %q: two are given for all columns", option, text)
		case seen[column]:
			return c, exit.Usage("%s %q: two are given for %q", option, text, column)
		case i < 0:
			c.all = item
		default:
			c.own = append(c.own, ownWord{column, word})
		}
		seen[column] = true
	}
	c.all = orDefault(c.all, def)
	return c, nil
}

// words returns the word for each column. What is given by a column's name counts before
// what is given by a field, and an inner field before one that it is in.
func (c choice) words(option string, columns []trevni.Column) ([]string, error) {
	words := make([]string, len(columns))
	rank := make([]int, len(columns))
	for i := range words {
		words[i], rank[i] = c.all, -1
	}
	for _, own := range c.own {
		found := false
		for i := range columns {
			if r := fits(columns[i].Name, own.column); r >= 0 {
				found = true
				if r > rank[i] {
					words[i], rank[i] = own.word, r
				}
			}
		}
		if !found {
			return nil, exit.Refused("%s: %q: no such column", option, own.column)
		}
	}
	return words, nil
}

// exactly is the rank of a column's own name.
const exactly = 1 << 30

// fits returns how well a name fits a column: -1 if it is neither its name nor that of
// a field that it is of.
func fits(column, name string) int {
	path := colname.Path(column)
	switch {
	case column == name:
		return exactly
	case path == name, strings.HasPrefix(path, name+"."):
		return len(name)
	}
	return -1
}

// parseCodecs parses the option codec.
func (o *Options) parseCodecs() (choice, error) {
	c, err := parseChoice("codec", orDefault(o.Codec, DefaultCodec), DefaultCodec)
	for _, w := range c.every() {
		if _, bad := block.ParseCodec(w); err == nil && bad != nil {
			err = exit.Usage("codec %q: must be null, snappy, snappy:better, deflate or deflate:1 to deflate:9", w)
		}
	}
	return c, err
}

// parseChecksums parses the option checksum.
func (o *Options) parseChecksums() (choice, error) {
	c, err := parseChoice("checksum", orDefault(o.Checksum, DefaultChecksum), DefaultChecksum)
	for _, w := range c.every() {
		if _, bad := block.ParseChecksum(w); err == nil && bad != nil {
			err = exit.Usage("checksum %q: must be crc32, crc-32 or null", w)
		}
	}
	return c, err
}

// every returns every word that is given.
func (c choice) every() []string {
	words := []string{c.all}
	for _, own := range c.own {
		words = append(words, own.word)
	}
	return words
}

// tabular returns what of the options shapes the table.
func (o *Options) tabular() (t tableOptions, err error) {
	if t.codecs, err = o.parseCodecs(); err != nil {
		return t, err
	}
	t.checksums, err = o.parseChecksums()
	t.blockSize, t.limit, t.sums = o.BlockSize, o.fileLimit(), o.Verify
	return t, err
}
