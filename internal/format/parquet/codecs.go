package parquet

import (
	"cmp"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/format"
	"avro2trevni/parquet"
)

// parseCodecs parses the word for codecs.
func parseCodecs(text string) (format.Choice, error) {
	c, err := format.ParseChoice("codec", cmp.Or(text, format.DefaultCodec), format.DefaultCodec)
	for _, w := range c.Every() {
		if _, bad := parquet.ParseCodec(w); err == nil && bad != nil {
			err = exit.Usage("codec %q: of Parquet files must be null, snappy, snappy:better, gzip, gzip:1 to gzip:9, zstd or zstd:1 to zstd:22", w)
		}
	}
	return c, err
}

// codecs returns the codec of each leaf. A name is that of a column or of a field, as in
// [Layout.find], and a field's is that of all columns below it.
func (l *Layout) codecs(text string) ([]parquet.Codec, error) {
	choice, err := parseCodecs(text)
	if err != nil {
		return nil, err
	}
	names, fieldOf := make([]string, len(l.Schema.Leaves)), map[string]string{}
	for i, field := range l.fields() {
		names[i] = l.Schema.Leaves[i].String()
		fieldOf[names[i]] = field
	}
	words, err := choice.Words("codec", names, func(name string) string { return fieldOf[name] })
	if err != nil {
		return nil, err
	}
	codecs := make([]parquet.Codec, len(words))
	for i, w := range words {
		if codecs[i], err = parquet.ParseCodec(w); err != nil {
			return nil, err
		}
	}
	return codecs, nil
}
