package schema

import "testing"

// TestCheckForgetsWhatItTookForGranted asks for a pair again that fitted only as long as
// the pair around it did.
func TestCheckForgetsWhatItTookForGranted(t *testing.T) {
	of := func(x string) *Text {
		return parsed(t, rec("R", fld("list", `{"type":"array","items":"R"}`), fld("x", x)))
	}
	w, r := of(`"string"`), of(`"int"`)
	x := NewResolver(r)
	if m := x.Check(w.Schema, r.Schema); m == nil || m.Path != ".x" {
		t.Fatalf("the rows: %v", m)
	}
	if m := x.Check(w.Schema.Fields[0].Type, r.Schema.Fields[0].Type); m == nil || m.Path != "[].x" {
		t.Errorf("the list: %v, want that strings are no ints", m)
	}
	if m := x.Check(w.Schema, w.Schema); m != nil {
		t.Errorf("a schema and itself: %v", m)
	}
}
