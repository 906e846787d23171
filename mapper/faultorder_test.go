package mapper_test

import (
	"bytes"
	"testing"

	"avro2trevni/internal/ocf"
	"avro2trevni/mapper"
)

// A block that is damaged and has a bad row gives the same error with buffers of any size:
// the block's own fault first.
func TestBlockFaultBeforeRow(t *testing.T) {
	p := compileText(t, `"string"`)
	row := append([]byte{100}, bytes.Repeat([]byte("x"), 50)...)
	raw := bytes.Repeat(row, 2000)
	for _, codec := range []string{"null", "snappy", "deflate"} {
		for _, damage := range []string{"row", "marker", "rest", "behind"} {
			raw, rows := bytes.Clone(raw), 2000
			if damage == "behind" {
				rows -= 500
			} else {
				copy(raw, bytes.Repeat([]byte{0xff}, 12)) // a length of more than 64 bits
			}
			var file bytes.Buffer
			w, err := ocf.NewWriter(&file, &ocf.WriterOptions{Schema: `"string"`, Sync: [ocf.SyncSize]byte{1, 2, 3}, Codec: codec, BlockBytes: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Append(raw, rows); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			b := file.Bytes()
			switch damage {
			case "marker":
				b[len(b)-1] ^= 0x55
			case "rest":
				b[len(b)-ocf.SyncSize-1] ^= 0x55
			}
			want := segmentError(t, p, b, ocf.Limits{})
			for _, lim := range []ocf.Limits{{ReadBytes: 256, WindowBytes: 256}, {ReadBytes: 4096, WindowBytes: 1024}, {WindowBytes: 256}} {
				if got := segmentError(t, p, b, lim); got != want {
					t.Errorf("%s, %s, %+v: %s, with large buffers: %s", codec, damage, lim, got, want)
				}
			}
		}
	}
}

// segmentError maps a file and returns the error.
func segmentError(t *testing.T, p *program, file []byte, lim ocf.Limits) string {
	t.Helper()
	src, size := bytes.NewReader(file), int64(len(file))
	h, err := ocf.ReadHeader(src, size, "t.avro", lim)
	if err != nil {
		t.Fatal(err)
	}
	r := ocf.NewReader(lim, nil)
	defer r.Close()
	if err := r.Open(src, "t.avro", size, h, 0, size); err != nil {
		t.Fatal(err)
	}
	m := newMapper(p, mapper.Options{}, &keepSink{t: t})
	m.Begin(0)
	if _, err = m.Segment(t.Context(), r); err == nil {
		t.Fatal("no error")
	}
	return err.Error()
}
