package trevni

import (
	"avro2trevni/internal/columns"
	"avro2trevni/internal/format"
	"avro2trevni/internal/schema"
	"avro2trevni/mapper"
)

// Format is Trevni, as a job has it.
type Format struct{}

var _ format.Format = Format{}

// Ext implements [format.Format].
func (Format) Ext() string { return ".trv" }

// Reserved implements [format.Format].
func (Format) Reserved() []string { return []string{"trevni.", "avro."} }

// LayOut implements [format.Format].
func (Format) LayOut(rows *schema.Selection) (*mapper.Layout, error) { return columns.LayOut(rows) }
