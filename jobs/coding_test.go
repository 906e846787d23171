package jobs

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/trevni"
)

func TestChoice(t *testing.T) {
	var columns []trevni.Column
	for _, name := range []string{"id", "user#name", "user#mail/string", "items[]", "items[]#sku", "items[]#price/ns.Money#units", "m>", "m>key", "m>value", "a.b"} {
		columns = append(columns, trevni.Column{Name: name})
	}
	tests := []struct {
		text string
		want string // words, or what the error says
		exit int
	}{
		{"x", "[x x x x x x x x x x]", exit.StatusDone},
		{"id=y", "[y d d d d d d d d d]", exit.StatusDone},
		{"x,id=y", "[y x x x x x x x x x]", exit.StatusDone},
		{"id=y,x", "[y x x x x x x x x x]", exit.StatusDone},
		{"x,user=y", "[x y y x x x x x x x]", exit.StatusDone},
		{"x,user.mail=z,user=y", "[x y z x x x x x x x]", exit.StatusDone},
		{"x,items=y,items.price=z,items[]=w", "[x x x w y z x x x x]", exit.StatusDone},
		{"x,m=y,m>key=z", "[x x x x x x y z y x]", exit.StatusDone},
		{"x,a.b=y", "[x x x x x x x x x y]", exit.StatusDone},
		{"x,use=y", `o: "use": no such column`, exit.StatusRefused},
		{"x,y", "two are given for all columns", exit.StatusUsage},
		{"id=x,id=y", `two are given for "id"`, exit.StatusUsage},
		{"=x", "a column's name is empty", exit.StatusUsage},
	}
	for _, test := range tests {
		c, err := parseChoice("o", test.text, "d")
		var words []string
		if err == nil {
			words, err = c.words("o", columns)
		}
		if err != nil || test.exit != exit.StatusDone {
			wantExit(t, err, test.exit, test.want)
			continue
		}
		if got := fmt.Sprint(words); got != test.want {
			t.Errorf("%s: %s, want %s", test.text, got, test.want)
		}
	}
}

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
