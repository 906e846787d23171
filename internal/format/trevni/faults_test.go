package trevni

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"avro2trevni/internal/tuple"
	"avro2trevni/reducer"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// small returns a table of three columns, its runs, and its whole range: splits 0 and
// 1 of runs of 4 rows with a cut after 2.
func small(tb testing.TB) (*options, memory, reducer.Range) {
	o := &options{
		Columns: []trevni.Column{{Name: "a", Type: trevni.Int}, {Name: "b", Type: trevni.Boolean}, {Name: "c[]", Type: trevni.String, Array: true}},
		Codec:   codec(tb, "snappy"), Checksum: trevni.ChecksumCRC32, BlockSize: 1024, Workers: 2, Readers: 2,
	}
	enc := encoder(o)
	src := make(memory, 3)
	for i := range src {
		for _, row := range []tuple.Row{0, 4, 8, tuple.RowOf(1, 0), tuple.RowOf(1, 4)} {
			src[i] = append(src[i], four(tb, enc, &o.Columns[i], uint32(i), row))
		}
	}
	return o, src, reducer.Range{From: 0, To: tuple.RowOf(2, 0), Rows: 20}
}

// four returns a run of four rows with a cut in the middle.
func four(tb testing.TB, enc *block.Encoder, c *trevni.Column, col uint32, row tuple.Row) tuple.Tuple {
	b, t := newBuilder(c), tuple.Tuple{Column: col, Row: row, Rows: 4}
	for n := range 4 {
		if n == 2 {
			t.Note = Cuts(t.Note).Append(b.cut(2))
		}
		switch c.Type {
		case trevni.Int:
			b.add(cell{values: [][]byte{{byte(2 * n)}}})
		case trevni.Boolean:
			b.add(cell{values: [][]byte{{byte(n % 2)}}})
		default:
			b.add(cell{lengths: []int{1}, values: [][]byte{{2, 'x'}}})
		}
	}
	raw := b.close()
	var err error
	if t.Value, err = enc.Append(nil, raw); err != nil {
		tb.Fatal(err)
	}
	t.Values, t.Raw, t.Size = uint32(b.values), uint32(len(raw)), uint32(len(t.Value))
	return t
}

func TestBadRunsAreErrorsThatNameColumnAndRow(t *testing.T) {
	middle := func(r *reducer.Range) { r.From, r.To, r.Rows = 2, tuple.RowOf(1, 6), 16 }
	cases := map[string]struct {
		harm func(b []tuple.Tuple) []tuple.Tuple // to column b
		rng  func(*reducer.Range)
		want error
		row  tuple.Row
	}{
		"first run lost":   {func(b []tuple.Tuple) []tuple.Tuple { return b[1:] }, nil, reducer.ErrRows, 0},
		"middle run lost":  {func(b []tuple.Tuple) []tuple.Tuple { return slices.Delete(b, 1, 2) }, nil, reducer.ErrRows, 4},
		"split's end lost": {func(b []tuple.Tuple) []tuple.Tuple { return slices.Delete(b, 2, 3) }, nil, reducer.ErrRows, 8},
		"split lost":       {func(b []tuple.Tuple) []tuple.Tuple { return b[:3] }, nil, reducer.ErrRows, tuple.RowOf(1, 0)},
		"last run lost":    {func(b []tuple.Tuple) []tuple.Tuple { return b[:4] }, nil, reducer.ErrRows, tuple.RowOf(1, 4)},
		"end lost":         {func(b []tuple.Tuple) []tuple.Tuple { return b[:4] }, middle, reducer.ErrRows, tuple.RowOf(1, 4)},
		"all lost":         {func(b []tuple.Tuple) []tuple.Tuple { return nil }, nil, reducer.ErrRows, 0},
		"run twice":        {func(b []tuple.Tuple) []tuple.Tuple { return slices.Insert(b, 1, b[1]) }, nil, reducer.ErrRows, 8},
		"runs overlap":     {func(b []tuple.Tuple) []tuple.Tuple { b[1].Row--; return b }, nil, reducer.ErrRows, 4},
		"no rows":          {func(b []tuple.Tuple) []tuple.Tuple { b[1].Rows = 0; return b }, nil, reducer.ErrRun, 4},
		"other column":     {func(b []tuple.Tuple) []tuple.Tuple { b[1].Column = 7; return b }, nil, reducer.ErrRows, 4},
		"no cuts":          {func(b []tuple.Tuple) []tuple.Tuple { b[0].Note = nil; return b }, middle, reducer.ErrRows, 0},
		"half a cut":       {func(b []tuple.Tuple) []tuple.Tuple { b[0].Note = b[0].Note[:7]; return b }, middle, reducer.ErrRun, 0},
		"cut past values": {func(b []tuple.Tuple) []tuple.Tuple {
			b[0].Note = Cuts(nil).Append(Cut{Rows: 2, Values: 5})
			return b
		}, middle, reducer.ErrRun, 0},
		"no checksum":      {func(b []tuple.Tuple) []tuple.Tuple { b[1].Size = 3; return b }, nil, reducer.ErrRun, 4},
		"wrong values":     {func(b []tuple.Tuple) []tuple.Tuple { b[1].Values = 9; return b }, nil, reducer.ErrRun, 0},
		"wrong raw size":   {func(b []tuple.Tuple) []tuple.Tuple { b[1].Raw = 2; return b }, nil, reducer.ErrRun, 0},
		"wrong size":       {func(b []tuple.Tuple) []tuple.Tuple { b[1].Size++; return b }, nil, reducer.ErrRun, 0},
		"flipped bit":      {func(b []tuple.Tuple) []tuple.Tuple { b[1].Value[2] ^= 4; return b }, nil, trevni.ErrCorrupt, 0},
		"rows fewer":       {nil, func(r *reducer.Range) { r.Rows++ }, reducer.ErrRows, 0},
		"rows more":        {nil, func(r *reducer.Range) { r.Rows-- }, reducer.ErrRows, 0},
		"begins at no cut": {nil, func(r *reducer.Range) { r.From, r.Rows = 1, 19 }, reducer.ErrRows, 0},
		"ends at no cut":   {nil, func(r *reducer.Range) { r.To, r.Rows = 3, 3 }, reducer.ErrRows, 0},
		"ends too far":     {nil, func(r *reducer.Range) { r.To = tuple.RowOf(1, 9) }, reducer.ErrRows, tuple.RowOf(1, 8)},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			o, src, rng := small(t)
			o.Workers = 1
			if c.harm != nil {
				src[1] = c.harm(src[1])
			}
			if c.rng != nil {
				c.rng(&rng)
			}
			g, err := lay(context.Background(), src, rng, o)
			var at *reducer.Error
			if g != nil || !errors.Is(err, c.want) || !errors.As(err, &at) {
				t.Fatalf("error is %v, want %v", err, c.want)
			}
			if at.Row != c.row || c.harm != nil && at.Column != "b" || !strings.Contains(err.Error(), at.Row.String()) {
				t.Errorf("%v\nis in column %q at %v, want row %v", err, at.Column, at.Row, c.row)
			}
		})
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for name, harm := range map[string]func(*options){
		"block size":      func(o *options) { o.BlockSize = -1 },
		"large blocks":    func(o *options) { o.BlockSize = 1<<30 + 1 },
		"codec":           func(o *options) { o.Codec.Name = "zip" },
		"values of nulls": func(o *options) { o.Columns[0].Type, o.Columns[0].FirstValues = trevni.Null, true },
		"of booleans":     func(o *options) { o.Columns[0].Type, o.Columns[0].FirstValues = trevni.Boolean, true },
		"column codec":    func(o *options) { o.Columns[0].Codec = "null" },
		"column checksum": func(o *options) { o.Columns[0].Checksum = "null" },
		"column twice":    func(o *options) { o.Columns[1].Name = "a" },
	} {
		o, _, _ := small(t)
		harm(o)
		if _, err := o.reducing(); !errors.Is(err, reducer.ErrOptions) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
