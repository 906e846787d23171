package leveltest

import (
	"io"

	"avro2trevni/internal/schema"
	"avro2trevni/parquet"
)

// Split parts the data of n rows of a schema into rows.
func Split(s *schema.Schema, data []byte, n int64) (rows [][]byte) {
	for range n {
		_, rest := decode(s, data)
		rows = append(rows, data[:len(data)-len(rest)])
		data = rest
	}
	if len(data) > 0 {
		panic("leveltest: bytes after the rows")
	}
	return rows
}

// File is how [File.Write] writes a file.
type File struct {
	Encoder parquet.EncoderOptions
	Writer  parquet.WriterOptions // its Codec is the Encoder's
	Group   int                   // rows of a row group, but the last; 0 for all
	Page    int                   // rows of a page, but a group's last; 0 for all
}

// Write writes a Parquet file of rows to w, in the plain way.
func (f File) Write(w io.Writer, s *parquet.Schema, from *schema.Selection, rows [][]byte) error {
	f.Writer.Codec = f.Encoder.Codec
	file, err := parquet.NewWriter(w, s, f.Writer)
	if err != nil {
		return err
	}
	enc, err := parquet.NewEncoder(s, f.Encoder)
	if err != nil {
		return err
	}
	for group, rest := part(rows, f.Group); len(group) > 0; group, rest = part(rest, f.Group) {
		if err := f.group(file, enc, s, from, group); err != nil {
			return err
		}
	}
	return file.Close()
}

// part takes n rows off the front, all if n is 0.
func part(rows [][]byte, n int) (first, rest [][]byte) {
	if n == 0 {
		n = len(rows)
	}
	n = min(n, len(rows))
	return rows[:n], rows[n:]
}

// A page is a finished one.
type page struct {
	column int
	meta   parquet.Meta
	bytes  []byte
}

// group writes a row group: of each column, its dictionary before its data; then what else
// the encoder has made.
func (f File) group(file *parquet.Writer, enc *parquet.Encoder, s *parquet.Schema, from *schema.Selection, rows [][]byte) error {
	pages := make([][]page, len(s.Leaves))
	for some, rest := part(rows, f.Page); len(some) > 0; some, rest = part(rest, f.Page) {
		for i, v := range Values(s, from, some) {
			data, meta, err := enc.Page(nil, i, v)
			if err != nil {
				return err
			}
			pages[i] = append(pages[i], page{i, meta, data})
		}
	}
	var order, last []page
	for i := range pages {
		data, metas, err := enc.EndChunk(nil, i)
		if err != nil {
			return err
		}
		for _, meta := range metas {
			p := page{i, meta, data[:meta.Stored]}
			data = data[meta.Stored:]
			if meta.Kind == parquet.DictionaryPage {
				order = append(order, p)
			} else {
				last = append(last, p)
			}
		}
		order = append(order, pages[i]...)
	}
	for _, p := range append(order, last...) {
		if err := file.WritePage(p.column, p.meta, p.bytes); err != nil {
			return err
		}
	}
	return file.EndRowGroup()
}

// Values returns what rows put into each leaf, for one page a leaf.
func Values(s *parquet.Schema, from *schema.Selection, rows [][]byte) []parquet.Values {
	out := make([]parquet.Values, len(s.Leaves))
	present := make([]int, len(s.Leaves))
	for _, row := range rows {
		for i, entries := range Shred(s, from, row) {
			leaf, v := s.Leaves[i], &out[i]
			v.Rows++
			for _, e := range entries {
				if leaf.MaxDef > 0 {
					v.Def = append(v.Def, byte(e.Def))
				}
				if leaf.MaxRep > 0 {
					v.Rep = append(v.Rep, byte(e.Rep))
				}
				if e.Value == nil {
					continue
				}
				if leaf.Type == parquet.Boolean {
					if present[i]%8 == 0 {
						v.Data = append(v.Data, 0)
					}
					v.Data[present[i]/8] |= Plain(nil, leaf.Node, e.Value)[0] << (present[i] % 8)
				} else {
					v.Data = Plain(v.Data, leaf.Node, e.Value)
				}
				present[i]++
			}
		}
	}
	return out
}
