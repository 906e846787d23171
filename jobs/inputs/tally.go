package inputs

import (
	"sync/atomic"

	"avro2trevni/internal/ocf"
)

// Tally is what was read of the inputs: each segment's rows, and where its blocks were.
// Several goroutines may enter segments.
type Tally struct {
	plan *Plan
	rows []atomic.Int64 // of each input
	seen [][]ocf.Span   // of each input, by segment
}

// NewTally returns a tally of nothing.
func (p *Plan) NewTally() *Tally {
	t := &Tally{plan: p, rows: make([]atomic.Int64, len(p.Inputs)), seen: make([][]ocf.Span, len(p.Inputs))}
	for _, split := range p.Splits {
		for _, seg := range split {
			t.seen[seg.Input] = append(t.seen[seg.Input], ocf.Span{First: -1, End: -1})
		}
	}
	return t
}

// Enter enters a segment that was read to its end.
func (t *Tally) Enter(seg Segment, rows int64, span ocf.Span) {
	t.rows[seg.Input].Add(rows)
	t.seen[seg.Input][seg.Part] = span
}

// Span returns where the blocks of a segment were.
func (t *Tally) Span(seg Segment) ocf.Span { return t.seen[seg.Input][seg.Part] }

// Rows returns the rows of each input, when all segments are entered. It checks that those of
// each follow each other without a gap that is not known, to the file's end: [Damage] if not.
func (t *Tally) Rows() ([]int64, error) {
	rows := make([]int64, len(t.seen))
	for i := range t.seen {
		in := &t.plan.Inputs[i]
		rows[i] = t.rows[i].Load()
		if in.part {
			continue
		}
		var gaps []ocf.Gap
		if in.Known != nil {
			gaps = in.Known.Gaps
		}
		if err := ocf.CheckSpans(in.Path, in.Header, in.Size, t.seen[i], gaps...); err != nil {
			return nil, &Damage{Input: i, Doubt: true, Err: err}
		}
	}
	return rows, nil
}
