package jobs

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/hive"
	"avro2trevni/internal/rowkey"
	"avro2trevni/internal/schema"
	"avro2trevni/trevni/block"
)

// An output that is partitioned by a field has its files in a folder a value, named as
// package hive says, and one _SUCCESS.
//
// Rows are sorted by the name of their folder first; that decides which rows are a
// partition, so that no two can meet in a folder.

// DefaultPartitions is the most folders, if the options don't say.
const DefaultPartitions = 10_000

// longestName is the most bytes of a folder's name: what file systems, and HDFS, take.
const longestName = 255

// parting makes the names of folders.
type parting struct {
	field string
	typ   *schema.Schema
}

// key returns the column of a key for the partitions.
func (p *parting) key() rowkey.Column {
	return rowkey.Column{Path: p.field, Text: func(dst, value []byte) ([]byte, error) {
		start := len(dst)
		dst = append(hive.Escape(dst, []byte(p.field)), '=')
		dst = p.text(dst, value)
		if n := len(dst) - start; n > longestName {
			return dst, &errKey{fmt.Errorf("the name of its folder, of the value of %q, would have %d bytes: the most is %d", p.field, n, longestName)}
		}
		return append(dst, 0, 0), nil // names have no zeros
	}}
}

// check refuses types whose values have no one name.
func (p *parting) check() error {
	switch {
	case p.typ.Kind == schema.Float || p.typ.Kind == schema.Double:
		return exit.Refused("partition by: %q is of type %s: its values have no one text", p.field, p.typ)
	case p.typ.Logical.Name == "decimal":
		return exit.Refused("partition by: %q is a decimal, whose values have no one text", p.field)
	}
	return nil
}

// text appends the name of a value, which is nil for a null.
func (p *parting) text(dst, v []byte) []byte {
	if v == nil {
		return append(dst, hive.NoValue...)
	}
	n, k := int64(0), 0
	if p.typ.Kind != schema.Boolean {
		n, k = block.ReadLong(v)
	}
	switch p.typ.Kind {
	case schema.Boolean:
		return strconv.AppendBool(dst, v[0]&1 == 1)
	case schema.Enum:
		return hive.Escape(dst, []byte(p.typ.Symbols[n]))
	case schema.Int, schema.Long:
		if p.typ.Logical.Name == "date" {
			return appendDate(dst, n)
		}
		return strconv.AppendInt(dst, n, 10)
	}
	text := v[k:]
	switch {
	case len(text) == 0:
		return append(dst, hive.NoValue...)
	case string(text) == hive.NoValue:
		return append(append(dst, "%5F"...), hive.NoValue[1:]...)
	case p.typ.Kind != schema.String:
		return hive.EscapeBytes(dst, text)
	}
	return hive.Escape(dst, text)
}

// appendDate appends the date of a number of days since 1970; the number, if the year has
// not four digits.
func appendDate(dst []byte, days int64) []byte {
	const first, last = -719162, 2932896 // 0001-01-01, 9999-12-31
	if days < first || days > last {
		return strconv.AppendInt(dst, days, 10)
	}
	return time.Unix(days*86400, 0).UTC().AppendFormat(dst, time.DateOnly)
}

// partitionOf returns the name of the folder that a key begins with.
func partitionOf(key []byte) []byte {
	name, _, _ := bytes.Cut(key, []byte{0})
	return name
}

// partCount is what is known of a partition when all inputs are read.
type partCount struct {
	name  string
	bytes int64 // of its rows
}

// partNumbers numbers the partitions that cutters come upon.
type partNumbers struct {
	mu    sync.RWMutex
	most  int
	index map[string]int
	names []string
}

// number returns the number of a partition.
func (p *partNumbers) number(name []byte) (int, error) {
	p.mu.RLock()
	i, ok := p.index[string(name)]
	p.mu.RUnlock()
	if ok {
		return i, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i, ok := p.index[string(name)]; ok {
		return i, nil
	}
	if i = len(p.names); i == p.most {
		return 0, tooManyParts(p.most)
	}
	if p.index == nil {
		p.index = map[string]int{}
	}
	p.names = append(p.names, string(name))
	p.index[p.names[i]] = i
	return i, nil
}

// partCounter counts the bytes of partitions, those of one cutter.
type partCounter struct {
	names *partNumbers
	bytes []int64 // by a partition's number
	last  []byte  // the name of the row before
	at    int     // its number
}

// Memory that partitions take, in bytes for each that there may be.
const (
	partMemory  = 256 // once: its name, and what numbers it
	countMemory = 16  // for each cutter
)

// add counts a row.
func (c *partCounter) add(name []byte, bytes int) (err error) {
	if len(c.bytes) == 0 || string(c.last) != string(name) {
		if c.at, err = c.names.number(name); err != nil {
			return err
		}
		c.last = append(c.last[:0], name...)
		if n := c.at + 1 - len(c.bytes); n > 0 {
			c.bytes = append(c.bytes, make([]int64, n)...)
		}
	}
	c.bytes[c.at] += int64(bytes)
	return nil
}

func tooManyParts(most int) error {
	return &errParts{exit.Refused("more than %d partitions: is it the right field? --max-partitions raises the bound", most)}
}

// joinParts returns the partitions of several cutters, in the order of their names.
func joinParts(cutters []*rowCutter) []partCount {
	names := cutters[0].parts.names.names
	all := make([]partCount, len(names))
	for i, name := range names {
		all[i].name = name
		for _, c := range cutters {
			if i < len(c.parts.bytes) {
				all[i].bytes += c.parts.bytes[i]
			}
		}
	}
	slices.SortFunc(all, func(a, b partCount) int { return strings.Compare(a.name, b.name) })
	return all
}

// folderPrefix returns what the names of the partitions' folders begin with, "" if there are
// none.
func (o *Options) folderPrefix() string {
	if o.PartitionBy == "" {
		return ""
	}
	return string(hive.Escape(nil, []byte(o.PartitionBy))) + "="
}
