package trvfile

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"avro2trevni/trevni"
)

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
		{trevni.Double, binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.Inf(-1))), "-Infinity"},
		{trevni.String, []byte("\x04ab"), "ab"},
		{trevni.Bytes, []byte("\x04\xff\x00"), map[string]any{"base64": "/wA="}},
	} {
		if diff := cmp.Diff(test.want, firstValue(test.raw, test.typ)); diff != "" {
			t.Errorf("%s: %s", test.typ, diff)
		}
	}
}
