package parquet

import (
	"errors"
	"fmt"
	"io"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/format"
	"avro2trevni/parquet"
)

// Summaries implements [format.Table]: _metadata has the row groups of all files, and
// _common_metadata the schema.
func (t *table) Summaries() []format.Summary {
	if t.summary == nil {
		return nil
	}
	return []format.Summary{{Name: "_metadata", Write: t.writeMetadata}, {Name: "_common_metadata", Write: t.writeCommon}}
}

func (t *table) writeCommon(w io.Writer, _ []format.Part) error {
	return parquet.NewSummary(t.layout.Schema, *t.summary).WriteCommonMetadata(w)
}

func (t *table) writeMetadata(w io.Writer, parts []format.Part) error {
	s := parquet.NewSummary(t.layout.Schema, *t.summary)
	for i := range parts {
		footer, err := footerOf(&parts[i])
		if err != nil {
			return err
		}
		err = s.Add(footer)
		if errors.Is(err, parquet.ErrSchema) {
			return exit.Refused("%s: has other columns than the files of this version would: --summary cannot describe it with them", parts[i].Path)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", parts[i].Path, err)
		}
	}
	return s.WriteMetadata(w, func(i int) (string, []byte, error) {
		footer, err := footerOf(&parts[i])
		return parts[i].Path, footer, err
	})
}

// footerOf reads the footer of a file.
func footerOf(p *format.Part) (footer []byte, err error) {
	f, err := p.Open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if footer, err = parquet.Footer(f, p.Bytes); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Path, err)
	}
	return footer, nil
}
