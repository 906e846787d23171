package sorting

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/hive"
	"avro2trevni/internal/rowkey"
	"avro2trevni/internal/schema"
	"avro2trevni/jobs/inputs"
)

// An output that is partitioned by a field has its files in a folder a value, named as
// package hive says, and one _SUCCESS.
//
// Rows are sorted by the name of their folder first; that decides which rows are a
// partition, so that no two can meet in a folder.

// longestName is the largest size of a folder's name in file systems and HDFS, in bytes.
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
			return dst, &inputs.RowError{Err: fmt.Errorf("the name of the folder for its value of %q would have %d bytes: the limit is %d", p.field, n, longestName)}
		}
		return append(dst, 0, 0), nil // names have no zeros
	}}
}

// check refuses types whose values have no one name.
func (p *parting) check() error {
	switch {
	case p.typ.Kind == schema.Float || p.typ.Kind == schema.Double:
		return exit.Refused("partition by: %q is of type %s: its values have no unique text", p.field, p.typ)
	case p.typ.Logical.Name == "decimal":
		return exit.Refused("partition by: %q is a decimal, whose values have no unique text", p.field)
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
		n, k = binary.Varint(v)
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

// FolderPrefix returns what the names of the folders of a field's values begin with.
func FolderPrefix(field string) string { return string(hive.Escape(nil, []byte(field))) + "=" }
