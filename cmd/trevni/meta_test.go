package main

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/trevni"
)

// First values, and rows of blocks, as JSON.
func TestMetaBlocks(t *testing.T) {
	name := build(t, t.TempDir(), good(), nil)
	code, out, errs := trevniRun("meta", "--json", "--blocks", name)
	if code != 0 {
		t.Fatal(errs)
	}
	var s summary
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatal(err)
	}
	z := s.Columns[4]
	if !z.FirstValues || z.Blocks != 2 || z.Rows != 3 || len(z.Descriptors) != 2 {
		t.Fatalf("%+v", z)
	}
	for i, want := range []struct {
		row   uint64
		first float64
	}{{0, 10}, {2, 12}} {
		if d := z.Descriptors[i]; d.Row != want.row || d.First != want.first || d.Block != i {
			t.Errorf("block %d: %+v", i, d)
		}
	}
	if s.Columns[1].Parent != "a[]" || s.Columns[1].FirstValues || s.Columns[2].Array == false {
		t.Errorf("%+v", s.Columns)
	}
	_, text, _ := trevniRun("meta", "--blocks", name)
	if !strings.Contains(text, "first value\n      0    0     2    2      4 ") || !strings.HasSuffix(text, "  12\n") {
		t.Error(text)
	}
}

func TestFirstValue(t *testing.T) {
	for _, test := range []struct {
		typ  trevni.Type
		raw  []byte
		want any
	}{
		{trevni.Long, nil, nil},
		{trevni.Boolean, []byte{1}, true},
		{trevni.Int, longs(-7), int64(-7)},
		{trevni.Fixed32, []byte{1, 0, 0, 0x80}, uint32(1<<31 + 1)},
		{trevni.Fixed64, []byte{1, 0, 0, 0, 0, 0, 0, 0x80}, uint64(1<<63 + 1)},
		{trevni.Float, binary.LittleEndian.AppendUint32(nil, math.Float32bits(1.5)), json.Number("1.5")},
		{trevni.Double, binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.Inf(-1))), "-Inf"},
		{trevni.String, []byte("\x04ab"), "ab"},
		{trevni.Bytes, []byte("\x04\xff\x00"), map[string]any{"base64": "/wA="}},
	} {
		if diff := cmp.Diff(test.want, firstValue(test.raw, test.typ)); diff != "" {
			t.Errorf("%s: %s", test.typ, diff)
		}
	}
}
