package damage

import (
	"errors"
	"testing"

	"avro2trevni/internal/exit"
	"avro2trevni/internal/jobtest"
	"avro2trevni/internal/ocf"
	"avro2trevni/jobs/inputs"
)

// planOf returns a plan of inputs of 100 bytes, each with the gaps given.
func planOf(gaps ...[]ocf.Gap) *inputs.Plan {
	p := inputs.New(inputs.Options{})
	for _, all := range gaps {
		in := inputs.Input{Path: "in", Size: 100}
		if all != nil {
			in.Known = &inputs.Known{Gaps: all, Blocks: 8, Rows: 80, Err: errors.New("bad")}
		}
		p.Add(in)
	}
	return p
}

// What may be skipped is counted in blocks, in files or in bytes, of inputs that were left out too.
func TestAllowed(t *testing.T) {
	two := []ocf.Gap{{Offset: 10, End: 20, Blocks: 1, Rows: 9}, {Offset: 30, End: 40, Blocks: 1, Rows: -1}}
	for _, c := range []struct {
		policy Policy
		drop   bool // whether all that are damaged are dropped
		adds   bool
		plan   *inputs.Plan
		says   string
	}{
		{policy: Policy{OnCorrupt: SkipBlock, MaxSkipped: "0"}, plan: planOf(nil, nil)},
		{policy: Policy{OnCorrupt: SkipBlock, MaxSkipped: "2"}, plan: planOf(two, nil)},
		{policy: Policy{OnCorrupt: SkipBlock, MaxSkipped: "1"}, plan: planOf(two, nil), says: "jobs: more is damaged than --max-skipped 1 allows: "},
		{policy: Policy{OnCorrupt: SkipBlock, MaxSkipped: "10%"}, plan: planOf(two, nil)},
		{policy: Policy{OnCorrupt: SkipBlock, MaxSkipped: "10%"}, plan: planOf(two), says: "allows: "},
		{policy: Policy{OnCorrupt: SkipFile, MaxSkipped: "1"}, plan: planOf(two, nil), drop: true},
		{policy: Policy{OnCorrupt: SkipFile, MaxSkipped: "1"}, plan: planOf(two, two, nil), drop: true, says: "allows: "},
		{policy: Policy{OnCorrupt: SkipFile, MaxSkipped: "50%"}, plan: planOf(two, nil), drop: true},
		{policy: Policy{OnCorrupt: SkipFile, MaxSkipped: "49.9%"}, plan: planOf(two, nil), drop: true, says: "first: bad"},
		{policy: Policy{OnCorrupt: SkipFile}, plan: planOf(two, two), drop: true, says: "jobs: no input is left, and 2 left out as damaged: bad"},
		{policy: Policy{OnCorrupt: SkipFile}, plan: planOf(two, two), drop: true, adds: true},
		{policy: Policy{OnCorrupt: SkipBlock}, plan: planOf(make([]ocf.Gap, maxGaps+1)), says: "jobs: 100001 ranges are damaged, more than the 100000"},
	} {
		if c.drop {
			c.plan.Drop(func(in *inputs.Input) bool { return in.Known != nil })
		}
		status := exit.StatusFailed
		if c.says == "" {
			status = exit.StatusDone
		}
		jobtest.WantExit(t, c.policy.Allowed(c.plan, c.adds), status, c.says)
	}
}

// There is something to be learned of damage that may be skipped, or that is in doubt; once.
func TestLearns(t *testing.T) {
	for _, c := range []struct {
		on     string
		known  bool
		failed error
		learns bool
	}{
		{"", false, errors.New("disk"), false},
		{"", false, &inputs.Damage{Err: ocf.ErrCorrupt}, false},
		{"", false, &inputs.Damage{Doubt: true, Err: ocf.ErrCorrupt}, true},
		{Fail, true, &inputs.Damage{Doubt: true, Err: ocf.ErrCorrupt}, false},
		{SkipBlock, false, &inputs.Damage{Err: ocf.ErrCorrupt}, true},
		{SkipFile, false, &inputs.Damage{Err: ocf.ErrCorrupt}, true},
		{SkipFile, true, &inputs.Damage{Err: ocf.ErrCorrupt}, false},
		{SkipFile, false, ocf.ErrCorrupt, false},
	} {
		p := planOf(nil)
		if c.known {
			p = planOf([]ocf.Gap{})
		}
		if at := (&Policy{OnCorrupt: c.on}).Learns(p, c.failed); (at != nil) != c.learns {
			t.Errorf("%+v: %v", c, at)
		}
	}
}
