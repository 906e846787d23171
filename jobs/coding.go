package jobs

import (
	"cmp"
	"slices"
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

// code decides how the columns are coded, and names in them what is not the file's.
func (j *job) code() error {
	codecs, err := j.o.parseCodecs()
	if err != nil {
		return err
	}
	sums, err := j.o.parseChecksums()
	if err != nil {
		return err
	}
	j.coding = codingOf(codecs.all, sums.all)
	if len(codecs.own)+len(sums.own) == 0 {
		return nil
	}
	byCodec, err1 := codecs.words("codec", j.columns)
	bySum, err2 := sums.words("checksum", j.columns)
	if err := cmp.Or(err1, err2); err != nil {
		return err
	}
	j.columns = slices.Clone(j.columns)
	j.codings = make([]block.Coding, len(j.columns))
	for i := range j.columns {
		c := codingOf(byCodec[i], bySum[i])
		j.codings[i] = c
		if name := c.Codec.WireName(); name != j.coding.Codec.WireName() {
			j.columns[i].Codec = name
		}
		if c.Checksum != j.coding.Checksum {
			j.columns[i].Checksum = c.Checksum.String()
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

// deflates is how many codings compress with deflate, whose tables are large.
func (j *job) deflates() (n int64) {
	seen := map[block.Coding]bool{}
	for _, c := range append(slices.Clone(j.codings), j.coding) {
		if c.Codec.Name == "deflate" && !seen[c] {
			seen[c] = true
			n++
		}
	}
	return n
}
