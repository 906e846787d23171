package ocf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// small are buffers that hold a test's blocks, and cost little to make.
var small = Limits{ReadBytes: 4 << 10, WindowBytes: 4 << 10}

// readSkipping reads what the reader gives, and skips what it cannot.
func readSkipping(t testing.TB, r *Reader) (all []got, gaps []Gap) {
	t.Helper()
	for {
		part, err := readAll(r, keepNone)
		all = append(all, part...)
		if err == nil {
			return all, gaps
		}
		checkError(t, err, nil)
		gap, err := r.Skip()
		if err != nil {
			t.Fatal(err)
		}
		gaps = AppendGap(gaps, gap)
	}
}

// survey reads a whole file so.
func survey(t testing.TB, file []byte, lim Limits) ([]got, []Gap) {
	t.Helper()
	h, err := header(file, lim)
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(lim, nil)
	defer r.Close()
	if err := r.Open(bytes.NewReader(file), "t.avro", int64(len(file)), h, 0, int64(len(file))); err != nil {
		t.Fatal(err)
	}
	return readSkipping(t, r)
}

// spansOf returns where blocks begin and end.
func spansOf(blocks []got, size int64) []Span {
	var s []Span
	for i, b := range blocks {
		end := size
		if i+1 < len(blocks) {
			end = blocks[i+1].Offset
		}
		s = append(s, Span{b.Offset, end})
	}
	return s
}

// Each byte damaged, in turn: every block but the one it lies in is read, as it was, and
// the gap is that one.
func TestSkipEachByte(t *testing.T) {
	for _, codec := range written {
		for _, lim := range []Limits{small, {ReadBytes: minRead, WindowBytes: 64}} {
			t.Run(fmt.Sprintf("%s/%d", codec, lim.ReadBytes), func(t *testing.T) {
				file := container(t, codec, piece{9, lines(9)}, piece{0, nil}, piece{80, lines(80)}, piece{70, lines(70)}, piece{3, lines(3)})
				want, gaps := survey(t, file, lim)
				if len(want) != 5 || gaps != nil {
					t.Fatalf("whole: %d blocks, gaps %v", len(want), gaps)
				}
				for at := int(want[0].Offset); at < len(file); at++ {
					bad := bytes.Clone(file)
					bad[at] ^= byte(1 + at%255)
					checkSkipped(t, fmt.Sprintf("byte %d", at), bad, lim, want, int64(at), int64(at+1))
				}
			})
		}
	}
}

// checkSkipped compares what is read of a file damaged in a range with what it held.
func checkSkipped(t *testing.T, what string, bad []byte, lim Limits, want []got, from, to int64) {
	t.Helper()
	all, gaps := survey(t, bad, lim)
	h, err := header(bad, lim)
	if err != nil {
		t.Fatal(err)
	}
	var intact []got
	var hit []Span
	for i, s := range spansOf(want, int64(len(bad))) {
		if s.End <= from || s.First >= to {
			intact = append(intact, want[i])
		} else {
			hit = append(hit, s)
		}
	}
	all = slices.DeleteFunc(all, func(b got) bool { return b.Offset >= hit[0].First && b.Offset < hit[len(hit)-1].End })
	if d := cmp.Diff(intact, all, cmp.AllowUnexported(got{})); d != "" {
		t.Fatalf("%s: blocks that are whole (-want +got):\n%s\ngaps %v", what, d, gaps)
	}
	for _, g := range gaps {
		if g.Offset < hit[0].First || g.End > hit[len(hit)-1].End || g.Blocks < 1 {
			t.Errorf("%s: the gap %+v is more than the damaged %v", what, g, hit)
		}
	}
	checkGaps(t, what, bad, h, lim, gaps)
}

// checkGaps reads a file in segments of many sizes, its gaps being known: the same
// blocks, and spans that meet.
func checkGaps(t *testing.T, what string, file []byte, h *Header, lim Limits, gaps []Gap) {
	t.Helper()
	size := int64(len(file))
	want, _ := survey(t, file, lim)
	for _, split := range []int64{1, 7, 50, 333, size} {
		var all []got
		var spans []Span
		r := NewReader(lim, nil)
		for start := int64(0); start < size; start += split {
			first := size
			for _, b := range want {
				if b.Offset >= start && (b.Offset < first) {
					first = b.Offset
				}
			}
			for _, g := range gaps { // a gap is a place where a block was tried
				if g.Offset >= max(start, h.Size) && g.Offset < first {
					first = g.Offset
				}
			}
			if err := r.OpenAt(bytes.NewReader(file), "t.avro", size, h, first, start+split, gaps); err != nil {
				t.Fatal(err)
			}
			part, err := readAll(r, keepNone)
			if err != nil {
				t.Fatalf("%s, segments of %d: %v", what, split, err)
			}
			all = append(all, part...)
			spans = append(spans, Span{r.First(), r.End()})
		}
		r.Close()
		if d := cmp.Diff(want, all, cmp.AllowUnexported(got{})); d != "" {
			t.Fatalf("%s, segments of %d: %s", what, split, d)
		}
		if err := CheckSpans("t.avro", h, size, spans, gaps...); err != nil {
			t.Fatalf("%s, segments of %d: %v", what, split, err)
		}
	}
}

// A file cut at each place: the blocks before it, and the rows of the one cut are known
// as soon as its header is there.
func TestSkipCutShort(t *testing.T) {
	file := container(t, "snappy", piece{9, lines(9)}, piece{8, lines(8)}, piece{7, lines(7)})
	want, _ := survey(t, file, small)
	spans := spansOf(want, int64(len(file)))
	for at := want[0].Offset + 1; at < int64(len(file)); at++ {
		all, gaps := survey(t, file[:at], small)
		n := 0
		for spans[n].End <= at {
			n++
		}
		if d := cmp.Diff(want[:n], all, cmp.AllowUnexported(got{}), cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("cut at %d: %s", at, d)
		}
		cut := at - spans[n].First
		switch {
		case cut == 0:
			if gaps != nil {
				t.Errorf("cut at %d, a block's end: %v", at, gaps)
			}
		case len(gaps) != 1 || gaps[0].Offset != spans[n].First || gaps[0].End != at || gaps[0].Blocks != 1:
			t.Errorf("cut at %d: %+v", at, gaps)
		case cut >= 3 && gaps[0].Rows != want[n].Rows || cut < 2 && gaps[0].Rows != -1:
			t.Errorf("cut at %d: %d rows", at, gaps[0].Rows)
		}
	}
}

// Bytes taken out, put in, or overwritten with zeros: all blocks that they don't touch
// are found.
func TestSkipRanges(t *testing.T) {
	pieces := make([]piece, 12)
	for i := range pieces {
		pieces[i] = piece{int64(20 + i), lines(20 + i)}
	}
	file := container(t, "deflate", pieces...)
	want, _ := survey(t, file, small)
	spans := spansOf(want, int64(len(file)))
	raws := func(all []got) (s []string) {
		for _, b := range all {
			s = append(s, b.raw)
		}
		return s
	}
	for from := int(want[0].Offset); from < len(file); from += 41 {
		for _, n := range []int{1, 17, 100, 700} {
			to := min(from+n, len(file))
			damaged := map[string][]byte{
				"removed":  slices.Concat(file[:from], file[to:]),
				"inserted": slices.Concat(file[:from], make([]byte, n), file[from:]),
				"zeroed":   slices.Concat(file[:from], make([]byte, to-from), file[to:]),
			}
			for how, bad := range damaged {
				all, gaps := survey(t, bad, small)
				have := raws(all)
				for i, s := range spans {
					touched := s.First < int64(to) && s.End > int64(from)
					if how == "inserted" {
						touched = s.First <= int64(from) && s.End > int64(from) // no marker in front of it
					}
					// A block can only be found by the marker in front of it, where more than the
					// block before is damaged.
					orphan := i > 0 && spans[i-1].End > int64(from) && spans[i-1].End-SyncSize < int64(to)
					if !touched && !orphan && !slices.Contains(have, want[i].raw) {
						t.Fatalf("%s %d bytes at %d: block %d at %d is lost; gaps %v", how, n, from, i, s.First, gaps)
					}
				}
			}
		}
	}
}

// Rows are known of a block whose header leads to its marker, or to a block's start.
func TestSkipKnowsRows(t *testing.T) {
	a, b, c := lines(30), lines(20), lines(10)
	whole := func() []byte { return container(t, "snappy", piece{30, a}, piece{20, b}, piece{10, c}) }
	blocks, _ := survey(t, whole(), small)
	second := int(blocks[1].Offset)
	tests := []struct {
		name   string
		damage func(file []byte) []byte
		want   []Gap
	}{
		{"data", func(f []byte) []byte { f[second+9]++; return f },
			[]Gap{{blocks[1].Offset, blocks[2].Offset, 1, 20}}},
		{"marker", func(f []byte) []byte { f[blocks[2].Offset-1]++; return f },
			[]Gap{{blocks[1].Offset, blocks[2].Offset, 1, 20}}},
		{"size", func(f []byte) []byte { f[second+1] ^= 2; return f },
			[]Gap{{blocks[1].Offset, blocks[2].Offset, 1, -1}}},
		{"negative count", func(f []byte) []byte { f[second] ^= 1; return f },
			[]Gap{{blocks[1].Offset, blocks[2].Offset, 1, -1}}},
		{"last marker", func(f []byte) []byte { f[len(f)-1]++; return f },
			[]Gap{{blocks[2].Offset, int64(len(whole())), 1, 10}}},
		{"two blocks", func(f []byte) []byte { f[blocks[0].Offset+9]++; f[second+9]++; return f },
			[]Gap{{blocks[0].Offset, blocks[2].Offset, 2, 50}}},
		{"header's marker", func(f []byte) []byte { f[blocks[0].Offset-1]++; return f },
			[]Gap{{blocks[0].Offset, int64(len(whole())), 1, -1}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, gaps := survey(t, tt.damage(whole()), small)
			if d := cmp.Diff(tt.want, gaps); d != "" {
				t.Error(d)
			}
		})
	}
}

// Data that hold the file's marker do not hide where the header leads: the next block is
// found, and the rows of the damaged one are known.
func TestSkipMarkerInData(t *testing.T) {
	sly := slices.Concat(lines(9), testSync[:], lines(9))
	whole := func() []byte {
		return container(t, "null", piece{3, lines(3)}, piece{2, sly}, piece{5, sly}, piece{4, lines(4)})
	}
	blocks, _ := survey(t, whole(), small)
	want := []Gap{{blocks[1].Offset, blocks[2].Offset, 1, 2}}
	for n := 1; n <= SyncSize/2; n++ {
		bad := whole()
		for i := range n {
			bad[blocks[2].Offset-1-int64(i)] ^= 0x55
		}
		all, gaps := survey(t, bad, small)
		if d := cmp.Diff(want, gaps); d != "" {
			t.Errorf("%d bytes of the marker: %s", n, d)
		}
		if d := cmp.Diff(slices.Delete(slices.Clone(blocks), 1, 2), all, cmp.AllowUnexported(got{})); d != "" {
			t.Errorf("%d bytes of the marker: %s", n, d)
		}
	}
}

// A failing read is not damage, and ends the skipping.
func TestSkipFailingRead(t *testing.T) {
	file := container(t, "null", piece{9, lines(9)}, piece{8, lines(8)})
	h, err := header(file, small)
	if err != nil {
		t.Fatal(err)
	}
	file[h.Size] = 1 // a negative count
	failed := errors.New("disk")
	src := &failingAfter{bytes.NewReader(file), 1, failed}
	r := NewReader(Limits{ReadBytes: minRead}, nil)
	if _, err := r.Skip(); err == nil {
		t.Error("skipped without a file")
	}
	if err := r.Open(src, "t.avro", int64(len(file)), h, 0, int64(len(file))); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); !errors.Is(err, ErrCorrupt) {
		t.Fatalf("got %v", err)
	}
	if _, err := r.Skip(); !errors.Is(err, failed) || errors.Is(err, ErrCorrupt) {
		t.Errorf("got %v, want the disk's error", err)
	}
}

// failingAfter fails all reads but the first few.
type failingAfter struct {
	io.ReaderAt
	left int
	err  error
}

func (f *failingAfter) ReadAt(p []byte, off int64) (int, error) {
	if f.left--; f.left < 0 {
		return 0, f.err
	}
	return f.ReaderAt.ReadAt(p, off)
}

func TestGapString(t *testing.T) {
	for g, want := range map[Gap]string{
		{10, 30, 1, 5}:  "20 bytes from 10 on, 5 rows",
		{10, 30, 1, -1}: "20 bytes from 10 on, an unknown number of rows",
	} {
		if got := g.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
