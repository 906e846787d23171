package tuple

import (
	"errors"
	"slices"
	"testing"
)

func TestRowOrdersBySplitThenRow(t *testing.T) {
	rows := []Row{RowOf(0, 0), RowOf(0, MaxRow), RowOf(1, 0), RowOf(1, 7), RowOf(MaxSplit, MaxRow), RowOf(MaxSplit, MaxRow+1), RowOf(MaxSplit+1, 0)}
	if !slices.IsSorted(rows) {
		t.Fatalf("rows out of order: %v", rows)
	}
	for _, r := range rows {
		if back := RowOf(r.Split(), r.InSplit()); back != r {
			t.Errorf("RowOf(%d, %d) = %v, want %v", r.Split(), r.InSplit(), back, r)
		}
	}
	if got := RowOf(3, 12).String(); got != "3:12" {
		t.Errorf("String = %q", got)
	}
}

func TestRowOfRefusesWhatDoesNotFit(t *testing.T) {
	for _, c := range []struct {
		split int
		row   int64
	}{{-1, 0}, {MaxSplit + 1, 1}, {MaxSplit + 2, 0}, {0, -1}, {0, MaxRow + 2}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("RowOf(%d, %d) did not panic", c.split, c.row)
				}
			}()
			RowOf(c.split, c.row)
		}()
	}
}

func TestCutsKeepEveryField(t *testing.T) {
	want := []Cut{{1, 2, 3, 4, 5}, {10, 20, 0, 0, 50}, {1 << 31, 1 << 30, 6, 7, 1<<32 - 1}}
	var cs Cuts
	for _, c := range want {
		cs = cs.Append(c)
	}
	if cs.Len() != len(want) {
		t.Fatalf("Len = %d", cs.Len())
	}
	for i, c := range want {
		if got := cs.At(i); got != c {
			t.Errorf("At(%d) = %+v, want %+v", i, got, c)
		}
		if got, ok := cs.Find(c.Rows); !ok || got != c {
			t.Errorf("Find(%d) = %+v, %v", c.Rows, got, ok)
		}
	}
	for _, rows := range []uint32{0, 2, 11, 1<<32 - 1} {
		if c, ok := cs.Find(rows); ok {
			t.Errorf("Find(%d) found %+v", rows, c)
		}
	}
}

func TestCutsCheck(t *testing.T) {
	cs := Cuts(nil).Append(Cut{Rows: 1})
	if err := cs.Check(); err != nil {
		t.Error(err)
	}
	if err := cs[:len(cs)-1].Check(); !errors.Is(err, ErrCuts) {
		t.Errorf("a cut sequence gave %v", err)
	}
}
