package jobs

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"avro2trevni/internal/avrotest"
	"avro2trevni/internal/exit"
	"avro2trevni/internal/hive"
	"avro2trevni/internal/schema"
)

// branchTypes are simple types, each with values in ascending order and the names of their
// folders; none: rows cannot be partitioned by the type.
var branchTypes = []struct {
	typ, path string
	values    [][]byte
	folders   []string
}{
	{`"boolean"`, "boolean", [][]byte{{0}, {1}}, []string{"false", "true"}},
	{`"int"`, "int", varints(-65, -1, 0, 1, 63, 64, 1<<31-1), []string{"-65", "-1", "0", "1", "63", "64", "2147483647"}},
	{`"long"`, "long", varints(-1<<63, -1, 0, 64, 1<<40), []string{"-9223372036854775808", "-1", "0", "64", "1099511627776"}},
	{`{"type":"int","logicalType":"date"}`, "int", varints(-1, 0, 20000), []string{"1969-12-31", "1970-01-01", "2024-10-04"}},
	{`{"type":"long","logicalType":"timestamp-micros"}`, "long", varints(-5, 1e15), []string{"-5", "1000000000000000"}},
	{`"float"`, "float", [][]byte{float4(-1.5), float4(0), float4(2)}, nil},
	{`"double"`, "double", [][]byte{float8(-1e300), float8(0), float8(1e-300)}, nil},
	{`"string"`, "string", [][]byte{textBytes("\x01"), textBytes("a"), textBytes(strings.Repeat("b", 100))}, []string{"%01", "a", strings.Repeat("b", 100)}},
	{`{"type":"string","logicalType":"uuid"}`, "string", [][]byte{textBytes("0b"), textBytes("1a")}, []string{"0b", "1a"}},
	{`{"type":"enum","name":"n.E","symbols":["B","A"]}`, "n.E", varints(0, 1), []string{"B", "A"}},
	{`{"type":"fixed","name":"n.F","size":3}`, "n.F", [][]byte{[]byte("abc"), []byte("abd")}, []string{"abc", "abd"}},
}

func varints(all ...int64) (b [][]byte) {
	for _, n := range all {
		b = append(b, binary.AppendVarint(nil, n))
	}
	return b
}

func float4(f float32) []byte { return binary.LittleEndian.AppendUint32(nil, math.Float32bits(f)) }
func float8(f float64) []byte { return binary.LittleEndian.AppendUint64(nil, math.Float64bits(f)) }

// branchPlaces are places of a union: the type stands for %s, and a value follows some bytes.
var branchPlaces = []struct {
	name, path     string
	schema         string // of the rows as they come out
	before, null   []byte // there, before a value and for null
	writer         string // of the input; "": the same
	before2, null2 []byte // there; nil: there are no nulls
}{
	{"field", "u.", `["null",%s]`, []byte{2}, []byte{0}, "", []byte{2}, []byte{0}},
	{"null last", "u.", `[%s,"null"]`, []byte{0}, []byte{2}, "", []byte{0}, []byte{2}},
	{"record", "u.v.", `["null",{"type":"record","name":"in","fields":[{"name":"v","type":["null",%s]}]}]`, []byte{2, 2}, []byte{2, 0}, "", []byte{2, 2}, []byte{2, 0}},
	{"top", "", `["null",%s]`, []byte{2}, []byte{0}, "", []byte{2}, []byte{0}},
	{"resolved", "u.", `["null",%s]`, []byte{2}, nil, "%s", nil, nil},
	{"resolved union", "u.", `["null",%s]`, []byte{2}, []byte{0}, `[%s,"null"]`, []byte{0}, []byte{2}},
	{"several", "u.", `["null",{"type":"array","items":"int"},%s]`, []byte{4}, []byte{0}, `["null",%s]`, []byte{2}, []byte{0}},
}

// Rows can be sorted and partitioned by a union's branch of each simple type, by its name:
// where the union is a field, in a record that may be null, or the rows' own type; and
// where it comes from the schema wanted.
func TestByBranchName(t *testing.T) {
	for _, c := range branchTypes {
		for _, at := range branchPlaces {
			t.Run(at.name+"/"+c.typ, func(t *testing.T) {
				t.Chdir(t.TempDir())
				fill := func(s string) string {
					if s = fmt.Sprintf(s, c.typ); at.path == "" {
						return s
					}
					return `{"type":"record","name":"r","fields":[{"name":"u","type":` + s + `},{"name":"n","type":"int"}]}`
				}
				var in, rows [][]byte
				files := map[string][][]byte{}
				for i := range 60 {
					before, before2, v, folder := at.null, at.null2, []byte(nil), hive.NoValue
					if k := (i*7 + 3) % (len(c.values) + 1); k < len(c.values) {
						before, before2, v, folder = at.before, at.before2, c.values[k], ""
						if c.folders != nil {
							folder = c.folders[k]
						}
					} else if at.null == nil {
						continue
					}
					var n []byte // a row's number
					if at.path != "" {
						n = binary.AppendVarint(nil, int64(i))
					}
					row := slices.Concat(before, v, n)
					in, rows = append(in, slices.Concat(before2, v, n)), append(rows, row)
					name := at.path + c.path + "=" + folder + "/part-00000.trv"
					files[name] = append(files[name], row)
				}
				must(t, os.Mkdir("in", 0o777))
				o := Options{SortBy: []string{at.path + c.path}, PartitionBy: at.path + c.path}
				writer := at.schema
				if at.writer != "" {
					writer, o.Schema = at.writer, "rows.avsc"
					must(t, os.WriteFile(o.Schema, []byte(fill(at.schema)), 0o666))
				}
				writeAvro(t, "in/a.avro", fill(writer), in...)
				if c.folders == nil || at.name == "several" {
					files = nil
				}
				testByBranch(t, o, fill(at.schema), rows, files)
			})
		}
	}
}

// testByBranch sorts by a field, and then partitions by it, and compares with what plain
// code makes of the rows; files are those of the partitions, nil if there can be none.
func testByBranch(t *testing.T, o Options, text string, rows [][]byte, files map[string][][]byte) {
	t.Helper()
	s, err := schema.Parse(text)
	must(t, err)
	avrotest.SortBy(s, rows, o.SortBy...)
	sorting, parting := o, o
	sorting.PartitionBy, parting.SortBy = "", nil
	_, got, err := partitioned(t, sorting)
	must(t, err)
	equalRows(t, "sorted", got, map[string][][]byte{"part-00000.trv": rows})
	must(t, os.RemoveAll("out"))
	_, got, err = partitioned(t, parting)
	if files == nil {
		if exit.Code(err) != exit.StatusRefused {
			t.Errorf("partitioned: %v", err)
		}
		return
	}
	must(t, err)
	equalRows(t, "partitioned", got, files)
}
