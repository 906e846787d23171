package inputs

import (
	"math"
	"testing"

	"avro2trevni/internal/units"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMakeSplits(t *testing.T) {
	const m = units.MiB
	seg := func(input, part int, start, end int64) Segment { return Segment{input, part, start, end} }
	tests := []struct {
		name     string
		sizes    []int64
		size     int64
		limit    int
		want     []Split
		wantSize int64
	}{
		{name: "none", size: 8 * m, limit: 10, wantSize: 8 * m},
		{name: "one of a split", sizes: []int64{8 * m}, size: 8 * m, limit: 10, wantSize: 8 * m, want: []Split{{seg(0, 0, 0, 8*m)}}},
		{
			name: "one byte more", sizes: []int64{8*m + 1}, size: 8 * m, limit: 10, wantSize: 8 * m,
			want: []Split{{seg(0, 0, 0, 4*m)}, {seg(0, 1, 4*m, 8*m+1)}},
		},
		{
			name: "small ones together", sizes: []int64{3 * m, 3 * m, 3 * m, 0, 1}, size: 8 * m, limit: 10, wantSize: 8 * m,
			want: []Split{{seg(0, 0, 0, 3*m), seg(1, 0, 0, 3*m)}, {seg(2, 0, 0, 3*m), seg(3, 0, 0, 0), seg(4, 0, 0, 1)}},
		},
		{
			name: "small around large", sizes: []int64{m, 12 * m, m}, size: 8 * m, limit: 10, wantSize: 8 * m,
			want: []Split{{seg(0, 0, 0, m)}, {seg(1, 0, 0, 6*m)}, {seg(1, 1, 6*m, 12*m)}, {seg(2, 0, 0, m)}},
		},
		{
			name: "size grows to keep the limit", sizes: []int64{12 * m, 12 * m}, size: 8 * m, limit: 3, wantSize: 16 * m,
			want: []Split{{seg(0, 0, 0, 12*m)}, {seg(1, 0, 0, 12*m)}},
		},
		{
			name: "largest file", sizes: []int64{math.MaxInt64}, size: 1024, limit: 2, wantSize: 1 << 62,
			want: []Split{{seg(0, 0, 0, math.MaxInt64/2)}, {seg(0, 1, math.MaxInt64/2, math.MaxInt64)}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, size := makeSplits(test.sizes, test.size, test.limit)
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("splits (-want +got):\n%s", d)
			}
			if size != test.wantSize {
				t.Errorf("size %d, want %d", size, test.wantSize)
			}
		})
	}
}

// checkSplits fails unless the splits hold each byte of each file once, in order.
func checkSplits(t interface{ Fatalf(string, ...any) }, sizes []int64, splits []Split) {
	input, part, at := 0, 0, int64(0)
	for n, s := range splits {
		if len(s) == 0 {
			t.Fatalf("split %d is empty", n)
		}
		for _, seg := range s {
			if seg.Input != input || seg.Part != part || seg.Start != at || seg.End < at || seg.End > sizes[input] {
				t.Fatalf("split %d: segment %+v, want input %d part %d from %d of %d", n, seg, input, part, at, sizes[input])
			}
			part, at = part+1, seg.End
			if at == sizes[input] {
				input, part, at = input+1, 0, 0
			}
		}
	}
	if input != len(sizes) {
		t.Fatalf("splits end at input %d of %d", input, len(sizes))
	}
}

func TestSplitsHoldEachByteOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.Int64Range(0, 1<<24), 0, 40).Draw(t, "sizes")
		size := rapid.Int64Range(1<<10, 1<<22).Draw(t, "size")
		limit := rapid.IntRange(1, 100).Draw(t, "limit")
		if len(sizes) > limit { // files are grouped only as far as the size allows, which then grows
			limit = len(sizes)
		}
		splits, used := makeSplits(sizes, size, limit)
		checkSplits(t, sizes, splits)
		if len(splits) > limit {
			t.Fatalf("%d splits, limit %d", len(splits), limit)
		}
		for n, s := range splits {
			if s.Bytes() > used {
				t.Fatalf("split %d holds %d bytes, more than %d", n, s.Bytes(), used)
			}
		}
	})
}
