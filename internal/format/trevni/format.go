package trevni

import (
	"avro2trevni/internal/columns"
	"avro2trevni/internal/format"
	"avro2trevni/internal/schema"
	"avro2trevni/mapper"
	"cmp"
)

// Format is Trevni, as a job has it.
type Format struct{}

var _ format.Format = Format{}

// Ext implements [format.Format].
func (Format) Ext() string { return ".trv" }

// Reserved implements [format.Format].
func (Format) Reserved() []string { return []string{"trevni.", "avro."} }

// Unreadable implements [format.Format].
func (Format) Unreadable(t *schema.Text) (reader, at, why string) {
	if at, why = t.Unreadable(); why == "" {
		return "", "", ""
	}
	return "Java's Trevni reader", cmp.Or(at, "the top level"), why
}

// LayOut implements [format.Format].
func (Format) LayOut(rows *schema.Selection) (*mapper.Layout, error) { return columns.LayOut(rows) }
