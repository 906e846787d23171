package jobs

import (
	"bytes"
	"os"
	"slices"
	"testing"
)

// Columns of their own codec and checksum have the values of a file of one; where all
// runs are cut and joined, and where they pass.
func TestColumnCodings(t *testing.T) {
	dir := t.TempDir()
	for shape, own := range map[string]Options{
		"flat":     {Codec: "deflate,id=null,name=snappy", Checksum: "crc32,price=null,ok=crc-32"},
		"nullable": {Codec: "snappy,id=deflate:1,never=null", Checksum: "null,note=crc32"},
		"nested":   {Codec: "null,items=deflate,items.tags=snappy:better", Checksum: "crc32,attrs=null"},
	} {
		in := dir + "/" + shape + ".avro"
		makeInput(t, in, shape, 0, shapes[shape].rows/4)
		own.Inputs, own.Output = []string{in}, dir+"/own-"+shape
		own.SplitSize, own.BlockSize, own.FileSize = 20_000, 4<<10, 30_000
		r, err := Convert(t.Context(), &own)
		must(t, err)
		plain := own
		plain.Codec, plain.Checksum, plain.Output, plain.FileSize = "null", "null", dir+"/plain-"+shape+".trv", 0
		_, err = Convert(t.Context(), &plain)
		must(t, err)
		want, _ := rowsIn(t, plain.Output)
		var got [][]byte
		for _, o := range r.Outputs {
			rows, _ := rowsIn(t, own.Output+"/"+o.Path)
			got = append(got, rows...)
		}
		if !slices.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("%s: %d rows, %d in a file of one coding, or others", shape, len(got), len(want))
		}
		data, err := os.ReadFile(own.Output + "/" + r.Outputs[0].Path)
		must(t, err)
		h := headerOf(t, string(data))
		several := map[string]bool{}
		for i := range h.Columns {
			coding, err := h.Coding(i)
			must(t, err)
			several[coding.Codec.String()+" "+coding.Checksum.String()] = true
		}
		if len(several) < 3 || len(r.Outputs) < 2 {
			t.Errorf("%s: %v in %d files", shape, several, len(r.Outputs))
		}
	}
}
