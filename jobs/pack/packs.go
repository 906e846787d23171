package pack

import (
	"avro2trevni/mapper"
	"avro2trevni/reducer"
)

// Packer packs the rows of a job part by part, each with a Part of its own: no file holds
// rows of two parts.
//
//	splits   0 1 2 3 | 4 | 5 6 7 8 9
//	parts    0         1   2            a packer each, one after the other
type Packer struct {
	parts []Range
	Limit int64
	fixed int64
	Part  int // the one being packed
	p     *Part
	early map[int]*mapper.Result // of splits of later parts
	seen  int                    // splits that are done
	end   int                    // after the last split

	groups, layouts, over int // of the parts before
}

// Range is the splits [first, end) of a part.
type Range struct{ First, End int }

// New returns a packer for the parts, whose splits are consecutive; see [NewPart].
func New(parts []Range, limit, fixed int64) (*Packer, error) {
	p := &Packer{parts: parts, Limit: limit, fixed: fixed, early: map[int]*mapper.Result{}}
	first := Range{}
	if len(parts) > 0 {
		first = parts[0]
		p.end = parts[len(parts)-1].End
	}
	var err error
	p.p, err = NewPart(first.First, first.End, limit, fixed)
	return p, err
}

// Done takes the result of a split, in any order of splits.
func (p *Packer) Done(split int, r *mapper.Result) error {
	p.seen++
	if len(p.parts) > 0 && split >= p.parts[p.Part].End && split < p.end && p.early[split] == nil {
		p.early[split] = r
		return nil
	}
	return p.p.Done(split, r)
}

// Complete reports whether all splits are done.
func (p *Packer) Complete() bool { return len(p.parts) == 0 || p.seen == p.end-p.parts[0].First }

// Ended reports whether all groups of all parts are packed.
func (p *Packer) Ended() bool {
	return len(p.parts) == 0 || p.Part == len(p.parts)-1 && p.p.Ended()
}

// Turn begins the next part if one is packed.
func (p *Packer) Turn() error {
	if !p.p.Ended() || p.Ended() {
		return nil
	}
	p.groups, p.layouts, p.over = p.groups+p.p.groups, p.layouts+p.p.Layouts, p.over+p.p.Over
	p.Part++
	of := p.parts[p.Part]
	next, err := NewPart(of.First, of.End, p.Limit, p.fixed)
	if err != nil {
		return err
	}
	next.scale = p.p.scale
	p.p = next
	for split := of.First; split < of.End; split++ {
		if r := p.early[split]; r != nil {
			delete(p.early, split)
			if err := p.p.Done(split, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Next returns the range to lay out next; see [Part.Next].
func (p *Packer) Next() (reducer.Range, bool) { return p.p.Next() }

// Laid takes the exact size of the range; see [Part.Laid].
func (p *Packer) Laid(size int64) bool { return p.p.Laid(size) }

// Counts returns the groups, the layouts, and the files larger than the limit, of all.
func (p *Packer) Counts() (groups, layouts, over int) {
	return p.groups + p.p.groups, p.layouts + p.p.Layouts, p.over + p.p.Over
}
