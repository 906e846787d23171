package trevni

import (
	"avro2trevni/internal/shred"
	"avro2trevni/mapper"
	"avro2trevni/trevni"
)

// Columns returns the columns of a layout as a file has them.
func Columns(l *mapper.Layout) []trevni.Column {
	all := make([]trevni.Column, len(l.Columns))
	for i, c := range l.Columns {
		all[i] = trevni.Column{Name: c.Name, Type: shred.TypeOf(c.Kind), Array: c.Array}
		if c.Parent >= 0 {
			all[i].Parent = l.Columns[c.Parent].Name
		}
	}
	return all
}
