package inputs

import (
	"testing"

	"avro2trevni/internal/format"
	"avro2trevni/internal/format/parquet"
	"avro2trevni/internal/format/trevni"
	"avro2trevni/internal/ocf"
	"avro2trevni/internal/schema"
	"avro2trevni/mapper"
)

// leveled is a format whose columns are leaves with levels.
type leveled struct{ format.Format }

func (leveled) LayOut(rows *schema.Selection) (*mapper.Layout, error) {
	l, err := parquet.Map(rows, parquet.Options{})
	if err != nil {
		return nil, err
	}
	return l.For(rows), nil
}

// Keys are taken from columns with lengths, whatever the files' are.
func TestKeyPrograms(t *testing.T) {
	const text = `{"type":"record","name":"R","fields":[{"name":"a","type":["null","int"]},{"name":"b","type":"string"}]}`
	for _, c := range []struct {
		format format.Format
		keys   bool
		apart  bool // the files' columns are others
	}{
		{trevni.Format{}, false, false}, {trevni.Format{}, true, false},
		{leveled{}, false, false}, {leveled{}, true, true},
	} {
		p := New(Options{Format: c.format, Keys: c.keys, Memory: 1 << 30})
		p.Add(Input{Path: "a.avro", Header: &ocf.Header{Schema: text}})
		if err := p.Resolve(); err != nil {
			t.Fatal(err)
		}
		keys := p.KeyProgram(0)
		switch {
		case !c.keys:
			if keys != nil {
				t.Errorf("%T: keys that nobody asked for", c.format)
			}
		case (keys != p.Program(0)) != c.apart:
			t.Errorf("%T: the program for keys is the files' own: %v", c.format, keys == p.Program(0))
		case keys.Columns()[0].Name != "a/int" || !keys.Columns()[0].Array || keys.Columns()[1].Name != "b":
			t.Errorf("%T: keys of columns %+v", c.format, keys.Columns())
		}
	}
}
