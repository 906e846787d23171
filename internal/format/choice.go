package format

import (
	"cmp"
	"strings"

	"avro2trevni/internal/exit"
)

// Choice is an option that is a word for all columns, and others for some of them.
type Choice struct {
	All string
	own []ownWord
}

// ownWord is the word for a column, or for the columns of a field.
type ownWord struct{ column, word string }

// ParseChoice parses "word,column=word,..."; def is the word for all where there is
// none. The option's name is for errors.
func ParseChoice(option, text, def string) (Choice, error) {
	c := Choice{}
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
			c.All = item
		default:
			c.own = append(c.own, ownWord{column, word})
		}
		seen[column] = true
	}
	c.All = cmp.Or(c.All, def)
	return c, nil
}

// Words returns the word for each column, by their names; path leads from a name to that of
// the field that a column is of. What is given by a column's name counts before what is given
// by a field, and an inner field before one that it is in.
func (c Choice) Words(option string, columns []string, path func(name string) string) ([]string, error) {
	words := make([]string, len(columns))
	rank := make([]int, len(columns))
	for i := range words {
		words[i], rank[i] = c.All, -1
	}
	for _, own := range c.own {
		found := false
		for i := range columns {
			if r := fits(columns[i], path(columns[i]), own.column); r >= 0 {
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
func fits(column, path, name string) int {
	switch {
	case column == name:
		return exactly
	case path == name, strings.HasPrefix(path, name+"."):
		return len(name)
	}
	return -1
}

// Several reports whether columns have words of their own.
func (c Choice) Several() bool { return len(c.own) > 0 }

// Every returns every word that is given.
func (c Choice) Every() []string {
	words := []string{c.All}
	for _, own := range c.own {
		words = append(words, own.word)
	}
	return words
}
