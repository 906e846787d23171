package parquet

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/parquet-go/parquet-go/format"
)

var update = flag.Bool("update", false, "write the golden files")

// TestDump compares a small file, annotated byte by byte, with testdata/paper.txt.
func TestDump(t *testing.T) {
	file := build(t, mustSchema(t, paper()), EncoderOptions{}, WriterOptions{CreatedBy: "convert version 1.2.3 (build 0)"}, paperValues())
	golden(t, "paper.txt", dump(t, file))
}

// TestBytes pins what files are made of, with all codecs: it fails if a library's next release
// compresses otherwise.
func TestBytes(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the codecs' assembly for amd64 makes other bytes than what other machines run")
	}
	var out strings.Builder
	group := [][]Values{
		{strings1(repeat(5000, 40, "few")...), strings1(repeat(5000, 4000, "many")...)},
		{ints1(make([]int32, 5000)...), {Rows: 5000, Data: bytes.Repeat([]byte("Parquet bytes, 20 B."), 1000)}},
	}
	s := mustSchema(t, Group("m", Required, Column("a", Required, ByteArray, Logical{Kind: StringType}), Column("b", Required, Int32, Logical{})))
	for _, codec := range []string{"null", "snappy", "snappy:better", "gzip", "gzip:9", "zstd", "zstd:1", "zstd:9"} {
		c, err := ParseCodec(codec)
		if err != nil {
			t.Fatal(err)
		}
		for version := 1; version <= 2; version++ {
			for _, modern := range []bool{false, true} {
				file := build(t, s, EncoderOptions{Codec: c, PageVersion: version, Modern: modern}, WriterOptions{}, group, group)
				fmt.Fprintf(&out, "%-13s version %d modern %-5v %6d bytes %016x\n", codec, version, modern, len(file), xxhash.Sum64(file))
			}
		}
	}
	golden(t, "bytes.txt", out.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; go test -update writes it:\n%s", path, got)
	}
}

// paperValues are the two documents of the Dremel paper.
func paperValues() [][]Values {
	long := func(numbers ...uint64) (b []byte) {
		for _, n := range numbers {
			b = binary.LittleEndian.AppendUint64(b, n)
		}
		return b
	}
	text := func(values ...string) []byte { return strings1(values...).Data }
	return [][]Values{
		{{Rows: 2, Data: long(10, 20)}},
		{{Rows: 2, Data: long(10, 30), Def: []byte{1, 2, 2}, Rep: []byte{0, 0, 1}}},
		{{Rows: 2, Data: long(20, 40, 60, 80), Def: []byte{2, 2, 2, 2}, Rep: []byte{0, 1, 1, 0}}},
		{{Rows: 2, Data: text("en-us", "en", "en-gb"), Def: []byte{2, 2, 1, 2, 1}, Rep: []byte{0, 2, 1, 1, 0}}},
		{{Rows: 2, Data: text("us", "gb"), Def: []byte{3, 2, 1, 3, 1}, Rep: []byte{0, 2, 1, 1, 0}}},
		{{Rows: 2, Data: text("http://A", "http://B", "http://C"), Def: []byte{2, 2, 1, 2}, Rep: []byte{0, 1, 1, 0}}},
	}
}

// dump annotates a file of one row group without codec.
func dump(t *testing.T, file []byte) string {
	t.Helper()
	d := dumper{file: file}
	f := footerOf(t, file)
	d.to(4, "magic")
	for i := range f.RowGroups[0].Columns {
		c := &f.RowGroups[0].Columns[i]
		name := strings.Join(c.MetaData.PathInSchema, ".")
		for end := d.at + int(c.MetaData.TotalCompressedSize); d.at < end; {
			h := headerOf(t, file[d.at:])
			size, err := marshal(&h)
			if err != nil {
				t.Fatal(err)
			}
			d.to(len(size), fmt.Sprintf("%s: header of a %v: body of %d bytes, CRC %08x", name, h.Type, h.CompressedSize, uint32(h.CRC)))
			end := d.at + int(h.CompressedSize)
			for _, level := range d.levels(c) {
				d.to(4, name+": length of "+level)
				d.to(int(binary.LittleEndian.Uint32(file[d.at-4:])), name+": "+level)
			}
			d.to(end-d.at, fmt.Sprintf("%s: %d entries, %v", name, h.Data.NumValues, h.Data.Encoding))
		}
	}
	for i := range f.RowGroups[0].Columns {
		c := &f.RowGroups[0].Columns[i]
		x := columnIndexOf(t, file, c)
		d.to(int(c.ColumnIndexLength.V), fmt.Sprintf("column index: %q to %q, nulls %v, %v", x.MinValues, x.MaxValues, x.NullCounts, x.BoundaryOrder))
	}
	for i := range f.RowGroups[0].Columns {
		c := &f.RowGroups[0].Columns[i]
		var x format.OffsetIndex
		parse(t, file[c.OffsetIndexOffset.V:][:c.OffsetIndexLength.V], &x)
		d.to(int(c.OffsetIndexLength.V), fmt.Sprintf("offset index: %v", x.PageLocations))
	}
	d.to(len(file)-8-d.at, fmt.Sprintf("footer: %d rows, %d row group, %q", f.NumRows, len(f.RowGroups), f.CreatedBy))
	d.to(4, "length of the footer")
	d.to(4, "magic")
	return d.out.String()
}

type dumper struct {
	file []byte
	at   int
	out  strings.Builder
}

// to notes what the next n bytes are.
func (d *dumper) to(n int, what string) {
	fmt.Fprintf(&d.out, "%s\n", what)
	for end := d.at + n; d.at < end; {
		line := d.file[d.at:min(d.at+16, end)]
		text := make([]byte, len(line))
		for i, b := range line {
			if text[i] = b; b < ' ' || b > '~' {
				text[i] = '.'
			}
		}
		fmt.Fprintf(&d.out, "  %5d  %-48s %s\n", d.at, fmt.Sprintf("% x", line), text)
		d.at += len(line)
	}
}

// levels lists the levels of the column's pages.
func (d *dumper) levels(c *columnChunk) (all []string) {
	if c.MetaData.SizeStatistics == nil {
		return nil
	}
	if c.MetaData.SizeStatistics.RepHistogram != nil {
		all = append(all, "repetition levels")
	}
	if c.MetaData.SizeStatistics.DefHistogram != nil {
		all = append(all, "definition levels")
	}
	return all
}
