package trevni

import (
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/trevni/block"
)

var update = flag.Bool("update", false, "write testdata/*.txt anew")

// dumper writes a file out with offset, bytes and meaning. It parses by itself, so
// that reader and dump are two opinions.
type dumper struct {
	out  strings.Builder
	file []byte
	at   int
}

// line writes the next n bytes, sixteen a line, with what they are.
func (d *dumper) line(n int, format string, args ...any) []byte {
	b := d.file[d.at : d.at+n]
	note := fmt.Sprintf(format, args...)
	for i := 0; i == 0 || i < n; i += 16 {
		text := fmt.Sprintf("%6d  %-47s  %s", d.at+i, fmt.Sprintf("% x", b[i:min(i+16, n)]), note)
		d.out.WriteString(strings.TrimRight(text, " ") + "\n")
		note = ""
	}
	d.at += n
	return b
}

// title begins a part of the file.
func (d *dumper) title(format string, args ...any) {
	fmt.Fprintf(&d.out, "# "+format+"\n", args...)
}

func (d *dumper) u32(what string) uint32 {
	v := binary.LittleEndian.Uint32(d.file[d.at:])
	d.line(4, "%s: %d", what, v)
	return v
}

func (d *dumper) u64(what string) uint64 {
	v := binary.LittleEndian.Uint64(d.file[d.at:])
	d.line(8, "%s: %d", what, v)
	return v
}

func (d *dumper) long(what string) int {
	v, n := block.ReadLong(d.file[d.at:])
	d.line(n, "%s: %d", what, v)
	return int(v)
}

func (d *dumper) text(what string) string {
	v, n := block.ReadLong(d.file[d.at:])
	return string(d.line(n+int(v), "%s: %q", what, d.file[d.at+n:d.at+n+int(v)])[n:])
}

func (d *dumper) metadata(what string) map[string]string {
	d.title("%s", what)
	m := map[string]string{}
	for range d.long("properties") {
		k := d.text("key")
		m[k] = d.text("value")
	}
	return m
}

// dump returns the annotated bytes of a file.
func dump(file []byte) string {
	d := &dumper{file: file}
	d.title("header")
	d.line(4, "magic")
	d.u64("rows")
	n := d.u32("columns")
	meta := d.metadata("file metadata")
	var columns []map[string]string
	for i := range n {
		columns = append(columns, d.metadata(fmt.Sprintf("metadata of column %d", i)))
	}
	d.title("where columns start")
	for i := range n {
		d.u64(fmt.Sprintf("column %d", i))
	}
	for i := range n {
		d.column(columns[i], meta[keyChecksum])
	}
	return d.out.String()
}

// column writes a column's descriptors and blocks.
func (d *dumper) column(meta map[string]string, checksum string) {
	d.title("column %s", meta[keyName])
	var sizes []uint32
	for i := range d.u32("blocks") {
		d.u32(fmt.Sprintf("block %d: rows", i))
		d.u32("         bytes before the codec")
		sizes = append(sizes, d.u32("         bytes after it"))
		if _, ok := meta[keyValues]; ok {
			t, _ := block.ParseType(meta[keyType])
			d.value(t, "         first value")
		}
	}
	_, array := meta[keyArray]
	for i, size := range sizes {
		d.title("block %d of column %s", i, meta[keyName])
		d.block(meta[keyType], array, int(size))
		if checksum != "" && checksum != "null" {
			d.line(4, "checksum, %s", checksum)
		}
	}
}

// block writes a block's lengths and values; the codec must be null.
func (d *dumper) block(typ string, array bool, size int) {
	t, _ := block.ParseType(typ)
	for end := d.at + size; d.at < end; {
		n := 1
		if array {
			length, count, w, _ := block.ReadLength(d.file[d.at:])
			n = length * count
			d.line(w, "lengths: %d of %d", count, length)
			if t == Boolean && length > 1 {
				n = (length + 7) / 8
			}
		}
		for range n {
			d.value(t, "")
		}
	}
}

// value writes one value, or a byte of booleans.
func (d *dumper) value(t Type, what string) {
	n, _ := block.SkipValues(d.file[d.at:], t, 1)
	b := d.file[d.at : d.at+n]
	if what != "" {
		what += ": "
	}
	switch t {
	case Null:
	case Int, Long:
		v, _ := block.ReadLong(b)
		d.line(n, "%s%d", what, v)
	case String, Bytes:
		_, w := block.ReadLong(b)
		d.line(n, "%s%q", what, b[w:])
	case Boolean:
		d.line(n, "%s%08b, the least significant bit first", what, b[0])
	default:
		d.line(n, "%s%s", what, t)
	}
}

// goldens are files to learn the format from.
func goldens(t *testing.T) map[string][]byte {
	col := func(c Column, lengths [][]int, values ...[]any) tableColumn { return tableColumn{c, lengths, values} }
	crc := Metadata{{keyCodec, []byte("null")}, {keyChecksum, []byte("crc32")}, {"made.by", []byte("a test")}}
	plain := &table{3, []tableColumn{
		col(Column{Name: "id", Type: Long, FirstValues: true}, nil, []any{int64(566)}, []any{int64(-1)}, []any{int64(64)}),
		col(Column{Name: "name", Type: String}, nil, []any{"foo"}, []any{""}, []any{"é"}),
		col(Column{Name: "ok", Type: Boolean}, nil, []any{true}, []any{false}, []any{true}),
		col(Column{Name: "price", Type: Double}, nil, []any{1.5}, []any{0.0}, []any{-2.0}),
		col(Column{Name: "nothing", Type: Null}, nil, []any{nil}, []any{nil}, []any{nil}),
	}}
	ones := func(vs ...any) (rows [][]any) {
		for _, v := range vs {
			if v == nil {
				rows = append(rows, []any{})
			} else {
				rows = append(rows, []any{v})
			}
		}
		return rows
	}
	runs := [][]int{{1}, {1}, {1}, {0}, {0}, {1}}
	arrays := &table{6, []tableColumn{
		{Column{Name: "x/int", Type: Int, Array: true}, runs, ones(int32(5), int32(6), int32(7), nil, nil, int32(8))},
		{Column{Name: "b/boolean", Type: Boolean, Array: true}, runs, ones(true, false, true, nil, nil, true)},
		{Column{Name: "to[]", Type: String, Array: true}, [][]int{{2}, {0}, {0}, {0}, {1}, {0}},
			[][]any{{"a", "b"}, {}, {}, {}, {"c"}, {}}},
		{Column{Name: "received[]", Type: Null, Array: true}, [][]int{{2}, {1}, {1}, {1}, {0}, {0}},
			[][]any{{nil, nil}, {nil}, {nil}, {nil}, {}, {}}},
		{Column{Name: "received[]#host", Type: String, Parent: "received[]"}, make([][]int, 6),
			[][]any{{"h1", "h2"}, {"h3"}, {"h4"}, {"h5"}, {}, {}}},
		{Column{Name: "received[]#sigs[]", Type: Bytes, Parent: "received[]", Array: true},
			[][]int{{0, 2}, {1}, {0}, {0}, {}, {}}, [][]any{{[]byte{1}, []byte{2, 3}}, {[]byte{4}}, {}, {}, {}, {}}},
	}}
	return map[string][]byte{
		"plain-crc32":  plain.file(t, crc, 2),
		"arrays-crc32": arrays.file(t, crc, 6),
		"little-endian-crc-32": (&table{1, []tableColumn{col(Column{Name: "n", Type: Fixed32}, nil, []any{uint32(1)})}}).
			file(t, Metadata{{keyChecksum, []byte("crc-32")}}, 1),
		"no-rows": (&table{0, []tableColumn{col(Column{Name: "n", Type: Int}, nil)}}).file(t, nil, 1),
	}
}

// TestGolden compares files, annotated, with testdata/*.txt.
func TestGolden(t *testing.T) {
	for name, file := range goldens(t) {
		path := filepath.Join("testdata", name+".txt")
		got := dump(file)
		if _, err := readTable(open(t, file, nil), 1000); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if *update {
			must(t, os.MkdirAll("testdata", 0o777))
			must(t, os.WriteFile(path, []byte(got), 0o666))
		}
		want, err := os.ReadFile(path)
		must(t, err)
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s (-want +got; -update accepts):\n%s", path, d)
		}
	}
}
