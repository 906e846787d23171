package trevni

import (
	"errors"
	"testing"
)

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
