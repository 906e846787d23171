package inputs

import (
	"errors"
	"slices"
	"testing"

	"avro2trevni/internal/ocf"
)

// The segments of an input must meet, from its header to its end, but for gaps that are known.
func TestTally(t *testing.T) {
	whole := []ocf.Span{{First: 20, End: 60}, {First: -1, End: -1}, {First: 60, End: 100}}
	gap := []ocf.Span{{First: 20, End: 60}, {First: -1, End: -1}, {First: 70, End: 100}}
	for _, c := range []struct {
		name  string
		spans []ocf.Span
		known *Known
		good  bool
	}{
		{"whole", whole, nil, true},
		{"nothing known of a gap", gap, nil, false},
		{"known", gap, &Known{Gaps: []ocf.Gap{{Offset: 60, End: 70}}}, true},
		{"another is known", gap, &Known{Gaps: []ocf.Gap{{Offset: 30, End: 40}}}, false},
		{"short", []ocf.Span{{First: 20, End: 60}, {First: -1, End: -1}, {First: 60, End: 90}}, nil, false},
		{"twice", []ocf.Span{{First: 20, End: 60}, {First: 50, End: 60}, {First: 60, End: 100}}, nil, false},
	} {
		p := New(Options{})
		p.Add(Input{Path: "0.avro", Size: 10, Header: &ocf.Header{Size: 10}})
		p.Add(Input{Path: "1.avro", Size: 100, Header: &ocf.Header{Size: 20}, Known: c.known})
		p.SplitSize = 40
		p.Cut()
		tally := p.NewTally()
		for _, split := range p.Splits {
			for _, seg := range split {
				if seg.Input == 0 {
					tally.Enter(seg, 0, ocf.Span{First: -1, End: -1})
				} else {
					tally.Enter(seg, int64(seg.Part), c.spans[seg.Part])
				}
			}
		}
		rows, err := tally.Rows()
		d := (*Damage)(nil)
		if c.good && (err != nil || !slices.Equal(rows, []int64{0, 3})) {
			t.Errorf("%s: %d rows, %v", c.name, rows, err)
		}
		if !c.good && (!errors.As(err, &d) || d.Input != 1 || !d.Doubt || !Damaged(err)) {
			t.Errorf("%s: %v is no doubt of input 1", c.name, err)
		}
	}
}
