package tuple

import (
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
