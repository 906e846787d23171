package jobs

import (
	"avro2trevni/mapper"
	"avro2trevni/reducer"
)

// packs packs the rows of a job part by part, each by a packer of its own: no file holds
// rows of two.
//
//	splits   0 1 2 3 | 4 | 5 6 7 8 9
//	parts    0         1   2            a packer each, one after the other
type packs struct {
	parts  []splitRange
	limit  int64
	fixed  int64
	part   int // the one being packed
	p      *packer
	early  map[int]*mapper.Result // of splits of parts behind it
	seen   int                    // splits that are done
	splits int

	groups, layouts, over int // of the parts before
}

// splitRange is the splits [first, end) of a part.
type splitRange struct{ first, end int }

// newPacks returns what packs the parts, which follow each other from split 0 on; see
// [newPacker].
func newPacks(parts []splitRange, limit, fixed int64) (*packs, error) {
	p := &packs{parts: parts, limit: limit, fixed: fixed, early: map[int]*mapper.Result{}}
	first := splitRange{}
	if len(parts) > 0 {
		first = parts[0]
		p.splits = parts[len(parts)-1].end
	}
	var err error
	p.p, err = newPacker(first.first, first.end, limit, fixed)
	return p, err
}

// done takes the result of a split, in any order of splits.
func (p *packs) done(split int, r *mapper.Result) error {
	p.seen++
	if len(p.parts) > 0 && split >= p.parts[p.part].end && split < p.splits && p.early[split] == nil {
		p.early[split] = r
		return nil
	}
	return p.p.done(split, r)
}

// complete tells whether all splits are done.
func (p *packs) complete() bool { return p.seen == p.splits }

// ended tells whether all groups of all parts are packed.
func (p *packs) ended() bool {
	return len(p.parts) == 0 || p.part == len(p.parts)-1 && p.p.ended()
}

// turn begins the next part if one is packed.
func (p *packs) turn() error {
	if !p.p.ended() || p.ended() {
		return nil
	}
	p.groups, p.layouts, p.over = p.groups+p.p.groups, p.layouts+p.p.layouts, p.over+p.p.over
	p.part++
	of := p.parts[p.part]
	next, err := newPacker(of.first, of.end, p.limit, p.fixed)
	if err != nil {
		return err
	}
	next.scale = p.p.scale
	p.p = next
	for split := of.first; split < of.end; split++ {
		if r := p.early[split]; r != nil {
			delete(p.early, split)
			if err := p.p.done(split, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// next returns the range to lay out next; see [packer.next].
func (p *packs) next() (reducer.Range, bool) { return p.p.next() }

// laid takes the exact bytes of the range; see [packer.laid].
func (p *packs) laid(size int64) bool { return p.p.laid(size) }

// counts returns the groups, the layouts, and the files larger than the limit, of all.
func (p *packs) counts() (groups, layouts, over int) {
	return p.groups + p.p.groups, p.layouts + p.p.layouts, p.over + p.p.over
}
