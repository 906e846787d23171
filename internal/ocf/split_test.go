package ocf

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// readSplit reads a file in segments of the given size.
func readSplit(t testing.TB, file []byte, split int64, lim Limits) ([]got, []Span, error) {
	t.Helper()
	size := int64(len(file))
	h, err := header(file, lim)
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(lim, nil)
	var all []got
	var spans []Span
	for start := int64(0); start < size; start += split {
		if err := r.Open(bytes.NewReader(file), "t.avro", size, h, start, min(start+split, size)); err != nil {
			return nil, nil, err
		}
		part, err := readAll(r, keepNone)
		if err != nil {
			return nil, nil, err
		}
		for _, b := range part {
			if b.Offset < start || b.Offset >= start+split {
				if start != 0 || b.Offset != h.Size {
					t.Errorf("block at %d in the segment of %d bytes at %d", b.Offset, split, start)
				}
			}
		}
		all = append(all, part...)
		spans = append(spans, Span{r.First(), r.End()})
	}
	return all, spans, CheckSpans("t.avro", h, size, spans)
}

// Segments of any size give every block once.
func TestSplits(t *testing.T) {
	file := container(t, "null", piece{3, lines(3)}, piece{0, nil}, piece{20, lines(20)}, piece{1, []byte("x")},
		piece{200, lines(200)}, piece{0, nil}, piece{0, nil}, piece{2, lines(2)})
	want, err := readFile(file, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, lim := range []Limits{{}, {ReadBytes: minRead, WindowBytes: 64}} {
		for split := int64(1); split <= int64(len(file))+1; split++ {
			all, _, err := readSplit(t, file, split, lim)
			if err != nil {
				t.Fatalf("segments of %d: %v", split, err)
			}
			if d := cmp.Diff(want, all, cmp.AllowUnexported(got{})); d != "" {
				t.Fatalf("segments of %d: %s", split, d)
			}
		}
	}
}

// The same for any blocks, codecs, buffers and segments.
func TestSplitsOfAny(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		codec := rapid.SampledFrom(written).Draw(rt, "codec")
		var pieces []piece
		for range rapid.IntRange(1, 12).Draw(rt, "blocks") {
			n := rapid.IntRange(0, 400).Draw(rt, "rows")
			pieces = append(pieces, piece{int64(n), lines(n)})
		}
		file := container(t, codec, pieces...)
		lim := Limits{
			ReadBytes:   rapid.IntRange(minRead, 4096).Draw(rt, "read"),
			WindowBytes: rapid.IntRange(minWindow, 4096).Draw(rt, "window"),
		}
		all, _, err := readSplit(t, file, rapid.Int64Range(1, int64(len(file))).Draw(rt, "split"), lim)
		if err != nil {
			rt.Fatal(err)
		}
		for i, b := range all {
			if b.Rows != pieces[i].rows || b.raw != string(pieces[i].raw) {
				rt.Fatalf("block %d: %d rows, %q", i, b.Rows, b.raw)
			}
		}
		if len(all) != len(pieces) {
			rt.Fatalf("%d blocks, want %d", len(all), len(pieces))
		}
	})
}

// The marker in data is passed over where no block follows it; where one seems to,
// the spans tell, whatever the segments' size, or the blocks are right.
func TestMarkerInData(t *testing.T) {
	marker := string(testSync[:])
	fake := string(appendBlock(nil, 1, []byte("fake")))
	tests := []struct {
		name, data string
		fooled     bool
	}{
		{"marker", "a" + marker + "b", false},
		{"marker at the end", "ab" + marker, false},
		{"marker twice", marker + marker, false},
		{"marker and a count", marker + "\x02", false},
		{"a whole block", marker + fake, true},
		{"two whole blocks", "xyz" + marker + fake + fake + "abc", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := container(t, "null", piece{1, lines(30)}, piece{1, []byte(tt.data)}, piece{2, lines(10)}, piece{1, []byte(tt.data)})
			want, err := readFile(file, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			for split := int64(1); split <= int64(len(file)); split++ {
				all, _, err := readSplit(t, file, split, Limits{})
				if err != nil {
					checkError(t, err, ErrCorrupt)
					found++
					continue
				}
				if d := cmp.Diff(want, all, cmp.AllowUnexported(got{})); d != "" {
					t.Fatalf("segments of %d: %s", split, d)
				}
			}
			if (found > 0) != tt.fooled {
				t.Errorf("%d sizes of segments do not fit together", found)
			}
		})
	}
}

func TestCheckSpans(t *testing.T) {
	h := &Header{Size: 100}
	none := Span{-1, -1}
	tests := []struct {
		name  string
		spans []Span
		size  int64
		at    string // the offset the error names, empty for none
	}{
		{"one", []Span{{100, 500}}, 500, ""},
		{"header only", []Span{none}, 100, ""},
		{"with gaps", []Span{none, {100, 300}, none, none, {300, 500}, none}, 500, ""},
		{"first missing", []Span{none, {300, 500}}, 500, "100"},
		{"middle missing", []Span{{100, 300}, {400, 500}}, 500, "300"},
		{"twice", []Span{{100, 300}, {200, 500}}, 500, "300"},
		{"end missing", []Span{{100, 300}, none}, 500, "300"},
		{"nothing", []Span{none}, 500, "100"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := CheckSpans("t.avro", h, tt.size, tt.spans)
			if tt.at == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			checkError(t, err, ErrCorrupt)
			if !strings.Contains(err.Error(), "block at "+tt.at+":") {
				t.Errorf("%q does not name %s", err, tt.at)
			}
		})
	}
}

// A file damaged or cut at any place, read in segments: what was written, or an error.
func TestSweepSplits(t *testing.T) {
	file := container(t, "snappy", piece{9, lines(9)}, piece{8, lines(8)}, piece{7, lines(7)})
	want, err := readFile(file, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := header(file, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	ends := map[int]bool{} // a cut at a block's end cannot be seen
	for _, b := range want {
		ends[int(b.Offset)] = true
	}
	check := func(what string, damaged []byte, silent bool) {
		for _, split := range []int64{20, 50, 90} {
			all, _, err := readSplit(t, damaged, split, Limits{})
			if err != nil {
				checkError(t, err, ErrCorrupt)
				continue
			}
			if silent {
				continue
			}
			for i := range all {
				all[i].Block, want[i].Block = Block{}, Block{} // counts have no checksum
			}
			if d := cmp.Diff(want, all, cmp.AllowUnexported(got{})); d != "" {
				t.Errorf("%s, segments of %d: %s", what, split, d)
			}
		}
	}
	for i := int(h.Size); i < len(file); i++ {
		damaged := bytes.Clone(file)
		damaged[i] ^= 0x40
		check(fmt.Sprintf("byte %d", i), damaged, false)
		check(fmt.Sprintf("cut at %d", i), file[:i], ends[i])
	}
}

// A reader goes from file to file, codec to codec, after errors too.
func TestReuse(t *testing.T) {
	mem := &account{limit: 1 << 20}
	r := NewReader(Limits{ReadBytes: 512, WindowBytes: 512}, mem)
	for round := range 3 {
		for _, codec := range written {
			file := container(t, codec, piece{500, lines(500)}, piece{900, lines(900)})
			for _, damage := range []bool{true, false} {
				bad := bytes.Clone(file)
				if damage {
					bad[len(bad)-1]++
				}
				h, err := header(bad, Limits{})
				if err != nil {
					t.Fatal(err)
				}
				if err := r.Open(bytes.NewReader(bad), codec, int64(len(bad)), h, 0, int64(len(bad))); err != nil {
					t.Fatal(err)
				}
				all, err := readAll(r, keepNone)
				if damage {
					checkError(t, err, ErrCorrupt)
				} else if err != nil || all[1].raw != string(lines(900)) {
					t.Errorf("round %d, %s: %v", round, codec, err)
				}
				if mem.now != 0 {
					t.Fatalf("round %d, %s: %d bytes not returned", round, codec, mem.now)
				}
			}
		}
	}
	if _, _, err := r.Window(0); err == nil {
		t.Error("a window without a block")
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("got %v, want io.EOF again", err)
	}
	r.Close()
	if _, err := r.Next(); err == nil || err == io.EOF {
		t.Errorf("Next after Close: %v", err)
	}
}

// countingReads counts what is asked of a file.
type countingReads struct {
	io.ReaderAt
	n int
}

func (c *countingReads) ReadAt(p []byte, off int64) (int, error) {
	c.n++
	return c.ReaderAt.ReadAt(p, off)
}

// TestMarkersOnly: what follows a marker is looked at where it was read already. A file of
// nothing but markers takes no more reads than any other.
func TestMarkersOnly(t *testing.T) {
	file := append(appendHeader(nil, "null"), bytes.Repeat(testSync[:], 10_000)...)
	h, err := header(file, small)
	if err != nil {
		t.Fatal(err)
	}
	src := &countingReads{ReaderAt: bytes.NewReader(file)}
	r := NewReader(small, nil)
	if err := r.Open(src, "markers", int64(len(file)), h, h.Size+1, int64(len(file))); err != nil || r.First() >= 0 {
		t.Fatalf("first block at %d, error %v", r.First(), err)
	}
	if most := 4 * len(file) / small.ReadBytes; src.n > most {
		t.Errorf("%d reads of %d bytes by %d: more than %d", src.n, len(file), small.ReadBytes, most)
	}
}
