package reducer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlannerJoinsSmallNeighbours(t *testing.T) {
	one := func(raw uint32) run { return run{rows: 10, values: 10, raw: raw, size: raw/2 + 1} }
	cut := func(raw uint32) run { r := one(raw); r.cut = true; return r }
	many := func(n uint32) run { r := one(0); r.rows, r.values = n, n; return r }
	for name, c := range map[string]struct {
		runs []run
		want []uint32 // runs of each block, 0: passed
	}{
		"none":                {nil, nil},
		"one small":           {[]run{one(10)}, []uint32{0}},
		"one full":            {[]run{one(99)}, []uint32{0}},
		"half is full":        {[]run{one(50), one(50)}, []uint32{0, 0}},
		"two small":           {[]run{one(49), one(49)}, []uint32{2}},
		"to the limit":        {[]run{one(40), one(40), one(20)}, []uint32{3}},
		"past the limit":      {[]run{one(40), one(40), one(21)}, []uint32{2, 0}},
		"full between":        {[]run{one(10), one(90), one(10), one(10)}, []uint32{0, 0, 2}},
		"cut alone":           {[]run{cut(10)}, []uint32{1}},
		"cut and full":        {[]run{cut(90), one(90), cut(90)}, []uint32{1, 0, 1}},
		"cut and small":       {[]run{cut(10), one(10), one(90), one(10), cut(10)}, []uint32{2, 0, 2}},
		"larger than a block": {[]run{one(10), one(1000), one(10)}, []uint32{0, 0, 0}},
		"no bytes":            {[]run{one(0), one(0), one(0)}, []uint32{3}},
		"too many rows":       {[]run{many(1 << 29), many(1 << 29), many(1)}, []uint32{2, 0}},
	} {
		p := planner{shape: &Shape{JoinBytes: 100}, room: new(room)}
		for i := range c.runs {
			p.add(&c.runs[i])
		}
		p.flush()
		var got []uint32
		for _, b := range p.blocks {
			got = append(got, b.runs)
			if known := b.size > 0; known != (b.runs == 0) {
				t.Errorf("%s: a block of %d runs has size %d", name, b.runs, b.size)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}
