package damage

import (
	"context"
	"errors"

	"avro2trevni/jobs/inputs"
)

// Learns returns the damage, or what looks like it, that a conversion failed for, if there is
// something to be learned about it: nil if not, or if nothing may be skipped and it is
// certain.
func (p *Policy) Learns(plan *inputs.Plan, failed error) *inputs.Damage {
	var d *inputs.Damage
	if !errors.As(failed, &d) || plan.Inputs[d.Input].Known != nil || !p.Skips() && !d.Doubt {
		return nil
	}
	return d
}

// Mend learns where inputs are damaged, of what a conversion came upon, and changes the plan so
// that it can be run again, around the damage. It fails if more is damaged than may be skipped.
//
// Each input is read from start to end. So what is skipped depends only on its bytes, not
// on its segments or on the worker that found the damage first. If nothing may be skipped,
// only that input is read, to distinguish damage from data that hold their own sync marker.
//
// A survey that fails changes nothing: the plan is as it was, and the next attempt comes
// upon the damage again. The parameter adds says whether the run adds to an output.
func (p *Policy) Mend(ctx context.Context, s *Survey, at *inputs.Damage, adds bool) error {
	plan := s.Plan
	if !p.Skips() {
		known, err := s.One(ctx, at.Input)
		if err == nil {
			plan.Inputs[at.Input].Known = known
		}
		return err
	}
	found, err := s.All(ctx)
	if err != nil {
		return err
	}
	for i := range found {
		plan.Inputs[i].Known = found[i]
	}
	if p.OnCorrupt == SkipFile {
		plan.Drop(func(in *inputs.Input) bool { return len(in.Known.Gaps) > 0 })
		plan.Cut()
		if err := plan.ShareMeta(ctx); err != nil {
			return err
		}
	}
	return p.Allowed(plan, adds)
}
