package pack

import (
	"math"
	"math/bits"
)

// Shares of the limit, as its reciprocal parts: a file is aimed at 99%, good from 98%
// on, and must have 95% where that is possible.
const (
	aimPart   = 100
	goodPart  = 50
	leastPart = 20
)

// Layouts of one group: after patience of them 95% is enough, and after doubt of them
// predictions are no longer used, and the end is found by bisection.
const (
	patience = 3
	doubt    = 4
)

// search is the state of finding a group's end: the points that were tried.
type search struct {
	at      int  // the point last chosen
	fits    int  // the last that is known to fit, -1 if none
	over    int  // the first that is known not to fit, -1 if none
	settled bool // at is the end, whatever else could be tried
	tries   int

	fitsSize, overSize int64
}

func newSearch() search { return search{fits: -1, over: -1} }

// choose chooses the point to try next, and reports whether enough is known for that.
//
// It looks at points only up to the first one that is predicted not to fit, or one after
// the chosen one. It does not choose before these exist, or all splits are done. So further
// finished splits change nothing.
func (p *Part) choose() bool {
	s, last := &p.try, len(p.points)-1
	if s.settled {
		return true
	}
	if p.limit == 0 || s.over < 0 && p.complete() && p.predict(last) <= p.limit {
		s.at = last
		return p.complete()
	}
	if s.over < 0 && !p.complete() && p.predict(last) <= p.limit {
		return false
	}
	at := max(p.promising(), s.fits+1)
	if s.tries >= doubt {
		at = p.bisect()
	}
	if s.over >= 0 {
		at = min(at, s.over-1)
	}
	if at >= last && !p.complete() {
		return false
	}
	s.at = min(at, last)
	return true
}

// promising returns the last point that is predicted to fit with some margin, or the next
// one if that is a better fit; -1 if there is none.
func (p *Part) promising() int {
	lo, hi := -1, len(p.points)-1 // predictions do not fall from point to point
	for lo < hi {
		mid := lo + (hi-lo+1)/2
		if p.predict(mid) <= p.limit-p.limit/aimPart {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	if n := lo + 1; n < len(p.points) && p.predict(n) <= p.limit && (lo < 0 || !p.good(p.predict(lo))) {
		return n
	}
	return lo
}

// bisect returns a point by halving, or doubling, if predictions did not help.
func (p *Part) bisect() int {
	s := &p.try
	if s.over >= 0 {
		return s.fits + max(1, (s.over-s.fits)/2)
	}
	return s.fits + 1<<min(s.tries-doubt, 30)
}

// good and enough report whether a file of a size is full.
func (p *Part) good(size int64) bool   { return size >= p.limit-p.limit/goodPart }
func (p *Part) enough(size int64) bool { return size >= p.limit-p.limit/leastPart }

// settles takes the size of the range to the chosen point, and reports whether it is
// the group.
func (p *Part) settles(size int64) bool {
	s := &p.try
	s.tries++
	switch {
	case p.limit == 0 || s.settled:
		return true
	case size > p.limit:
		return p.tooLarge(size)
	}
	s.fits, s.fitsSize = s.at, size
	last := s.at == len(p.points)-1
	return p.good(size) || last && p.complete() || s.over == s.at+1 ||
		p.enough(size) && s.tries >= patience || !last && p.nextCannotFit()
}

// tooLarge records that the chosen point does not fit. It is still the group's end if there
// is no point before it. If the point before it is the group's end, Next returns that
// again.
func (p *Part) tooLarge(size int64) bool {
	s := &p.try
	if s.over, s.overSize = s.at, size; s.at == 0 {
		return true
	}
	if s.fits >= 0 && (s.fits == s.over-1 || s.tries >= patience && p.enough(s.fitsSize)) {
		s.settled, s.at = true, s.fits
	}
	return false
}

// nextCannotFit reports whether the point after the last fitting one cannot be expected to
// fit: if the file is full enough and the point is predicted not to fit, or if the
// prediction for its rows would have to be a quarter too high. A file less than half full
// is too little for a prediction.
func (p *Part) nextCannotFit() bool {
	s := &p.try
	next := p.predict(s.fits + 1)
	if p.enough(s.fitsSize) {
		return next > p.limit
	}
	return s.fitsSize >= p.limit/2 && next-(next-s.fitsSize)/4 > p.limit
}

// predict returns the size of the file of the range up to point i, in bytes. It scales the
// estimates by the layouts of this group, or else of the groups before.
func (p *Part) predict(i int) int64 {
	s, x := &p.try, p.estimate(i)
	switch {
	case s.fits >= 0 && s.over >= 0:
		from := p.estimate(s.fits)
		return s.fitsSize + mulDiv(x-from, s.overSize-s.fitsSize, p.estimate(s.over)-from)
	case s.fits >= 0:
		return p.fixed + mulDiv(x, s.fitsSize-p.fixed, p.estimate(s.fits))
	case s.over >= 0:
		return p.fixed + mulDiv(x, s.overSize-p.fixed, p.estimate(s.over))
	}
	return p.fixed + mulDiv(x, p.scale.exact, p.scale.estimated)
}

// estimate returns the estimated bytes of the rows up to point i.
func (p *Part) estimate(i int) int64 { return p.points[i].bytes - p.from.bytes }

// scale is the ratio of exact to estimated bytes. It uses whole numbers, to be the same on
// every machine. Its zero value leaves the estimates unchanged.
type scale struct{ exact, estimated int64 }

// learn adds a group, with the same weight as all groups before it together.
func (s *scale) learn(exact, estimated int64) {
	s.exact, s.estimated = s.exact/2+exact, s.estimated/2+estimated
}

// mulDiv returns a*b/c for numbers that are not negative (those that are count as 0),
// a where c is 0, and at most a quarter of the largest int64, so that sums do not
// overflow.
func mulDiv(a, b, c int64) int64 {
	if a <= 0 || c > 0 && b <= 0 {
		return 0
	}
	if c <= 0 {
		return min(a, math.MaxInt64/4)
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return math.MaxInt64 / 4
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(min(q, math.MaxInt64/4))
}
