package trevni

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"avro2trevni/internal/tuple"
	"avro2trevni/reducer"
	"avro2trevni/trevni"
	"avro2trevni/trevni/block"
)

// sortedColumns are a column with first values of each type that has an order, and an
// array column, whose runs are cut elsewhere.
func sortedColumns() []trevni.Column {
	cols := []trevni.Column{{Name: "a[]", Type: trevni.Int, Array: true}}
	for _, t := range allTypes[2:] {
		cols = append(cols, trevni.Column{Name: t.String(), Type: t, FirstValues: true})
	}
	return cols
}

// sorted returns a table of these columns, each sorted through all splits.
func sorted(seed uint64, splits, rows int) (*table, *rand.Rand) {
	r := rand.New(rand.NewPCG(seed, 2))
	tb := &table{cols: sortedColumns()}
	total := 0
	for range splits {
		tb.split(r, r.IntN(rows+1), 1+r.IntN(rows/4+1))
		total += len(tb.splits[len(tb.splits)-1][0])
	}
	for i := 1; i < len(tb.cols); i++ {
		values := make([][]byte, total)
		for n := range values {
			values[n] = value(r, tb.cols[i].Type)
		}
		slices.SortFunc(values, func(a, b []byte) int { return order(tb.cols[i].Type, a, b) })
		for _, split := range tb.splits {
			for n := range split[i] {
				split[i][n].values, values = values[:1], values[1:]
			}
		}
	}
	return tb, r
}

// order compares two values as the type is written.
func order(t trevni.Type, a, b []byte) int {
	switch bad, _, err := block.CheckSorted(slices.Concat(a, b), t, 2, nil); {
	case err != nil:
		panic(err)
	case bad == 1:
		return 1
	}
	if bad, _, _ := block.CheckSorted(slices.Concat(b, a), t, 2, nil); bad == 1 {
		return -1
	}
	return 0
}

// checkFirsts compares the first values in a file's descriptors with the blocks.
func checkFirsts(t *rapid.T, tb *table, file []byte) {
	r, err := trevni.NewReader(bytes.NewReader(file), int64(len(file)), nil)
	if err != nil {
		t.Fatalf("NewReader: %v", err)
	}
	for i := 1; i < len(tb.cols); i++ {
		blocks, err := r.Blocks(i)
		if err != nil {
			t.Fatalf("column %q: %v", tb.cols[i].Name, err)
		}
		for k, b := range blocks {
			raw, err := r.ReadBlock(i, k, nil)
			if err != nil {
				t.Fatalf("column %q block %d: %v", tb.cols[i].Name, k, err)
			}
			if len(b.FirstValue) == 0 || !bytes.HasPrefix(raw, b.FirstValue) {
				t.Fatalf("column %q block %d begins %x, first value %x", tb.cols[i].Name, k, raw[:min(len(raw), 16)], b.FirstValue)
			}
		}
	}
}

// Any grouping, and any resizing on the way, gives the rows with the right first
// values; and each group goes on from the one before it.
func TestFirstValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tb, r := sorted(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 4).Draw(t, "splits"), 60)
		o := drawOptions(t, tb)
		src := tb.tuples(r, o, drawRun(t))
		edges := tb.edges()
		var after [][]byte
		for i := 0; i+1 < len(edges); {
			k := i + 1 + r.IntN(len(edges)-i-1)
			rng := tb.span(edges[i], edges[k])
			rng.After = after
			file := layout(t, src, rng, o)
			checkFile(t, tb, src, file, rng, o)
			checkFirsts(t, tb, file)

			other := i + r.IntN(len(edges)-i)
			before := tb.span(edges[i], edges[other])
			before.After = after
			g, err := lay(context.Background(), src, before, o)
			if err != nil {
				t.Fatalf("Layout: %v", err)
			}
			if err := g.Resize(context.Background(), rng); err != nil {
				t.Fatalf("Resize: %v", err)
			}
			if !bytes.Equal(written(t, g, rng), file) {
				t.Fatalf("%v resized from %v is another file", rng, edges[other])
			}
			after = g.Last()
			if err := g.Close(); err != nil {
				t.Fatalf("Close: %v", err)
			}
			i = k
		}
	})
}

// A value that is less than the one before is met wherever it stands: within a run,
// at the start of one, of a split, of a group.
func TestUnsortedRowsAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tb := &table{cols: []trevni.Column{{Name: "c", Type: trevni.Long, FirstValues: true}}}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		var rows []tuple.Row
		for s := range 3 {
			tb.split(r, 1+r.IntN(30), 5)
			for n := range tb.splits[s][0] {
				tb.splits[s][0][n].values = [][]byte{block.AppendLong(nil, int64(len(rows)))}
				rows = append(rows, tuple.RowOf(s, int64(n)))
			}
		}
		bad := rows[1+r.IntN(len(rows)-1)]
		tb.splits[bad.Split()][0][bad.InSplit()].values = [][]byte{block.AppendLong(nil, -1)}
		o := drawOptions(t, tb)
		src := tb.tuples(r, o, drawRun(t))
		edges := tb.edges()
		cut := edges[r.IntN(len(edges))]
		var after [][]byte
		for _, rng := range []reducer.Range{{To: cut}, {From: cut, To: edges[len(edges)-1]}} {
			rng.Rows, rng.After = tb.rows(rng.From, rng.To), after
			g, err := lay(context.Background(), src, rng, o)
			if err != nil {
				var at *reducer.Error
				if !errors.Is(err, reducer.ErrOrder) || !errors.As(err, &at) || at.Row != bad || at.Column != "c" {
					t.Fatalf("error is %v, want one of row %v", err, bad)
				}
				return
			}
			after = g.Last()
			if err := g.Close(); err != nil {
				t.Fatal(err)
			}
		}
		t.Fatalf("row %v was not found", bad)
	})
}

func TestLongFirstValuesAreRefused(t *testing.T) {
	text := func(n int) []byte {
		return append(block.AppendLong(nil, int64(n)), strings.Repeat("x", n)...)
	}
	for _, tt := range []struct {
		values [][]byte
		want   tuple.Row
	}{
		{[][]byte{text(MaxFirst - 2), text(MaxFirst - 2)}, math.MaxUint64},
		{[][]byte{text(MaxFirst - 1), text(MaxFirst - 1)}, 1}, // last is looked at first
		{[][]byte{text(1), text(MaxFirst), text(MaxFirst)}, 2},
		{[][]byte{text(1), text(MaxFirst), append([]byte{2}, 'y')}, math.MaxUint64},
	} {
		o := &options{Columns: []trevni.Column{{Name: "c", Type: trevni.String, FirstValues: true}}}
		g, err := oneRun(t, o, len(tt.values), slices.Concat(tt.values...))
		var at *reducer.Error
		switch {
		case tt.want == math.MaxUint64 && err != nil, tt.want != math.MaxUint64 && !errors.Is(err, reducer.ErrLong):
			t.Errorf("%d values: %v", len(tt.values), err)
		case err != nil && (!errors.As(err, &at) || at.Row != tt.want):
			t.Errorf("%d values: %v, want row %v", len(tt.values), err, tt.want)
		}
		if g != nil {
			g.Close()
		}
	}
}

// oneRun lays out a group of one run of one column.
func oneRun(t *testing.T, o *options, rows int, raw []byte) (*reducer.Group, error) {
	t.Helper()
	value, err := encoder(o).Append(nil, raw)
	if err != nil {
		t.Fatal(err)
	}
	run := tuple.Tuple{Rows: uint32(rows), Values: uint32(rows), Raw: uint32(len(raw)), Size: uint32(len(value)), Value: value}
	return lay(context.Background(), memory{{run}}, reducer.Range{To: tuple.Row(rows), Rows: int64(rows)}, o)
}

// Runs that do not hold the values they should are no matter of order.
func TestFirstValuesOfMalformedRuns(t *testing.T) {
	raw := binary.LittleEndian.AppendUint64(nil, 1)
	o := &options{Columns: []trevni.Column{{Name: "c", Type: trevni.Double, FirstValues: true}}}
	_, err := oneRun(t, o, 2, raw)
	if !errors.Is(err, reducer.ErrRun) || errors.Is(err, reducer.ErrOrder) {
		t.Errorf("error is %v, want reducer.ErrRun", err)
	}
}
