package pack

import (
	"errors"
	"fmt"

	"avro2trevni/internal/tuple"
	"avro2trevni/mapper"
	"avro2trevni/reducer"
)

// Part divides the rows of a job into row groups, each as large as its file may be.
//
//	splits done    0 1 2 . 4 . .      in any order
//	watermark           ^             all before it are done: their marks are points
//	points         |.|..|.|...|
//	               ^from     ^to      next: a range that is predicted to fit
//	                     ^to          laid: its exact size; then the next try, or done
//
// A group may end at a mark or at the end of a split. The mappers' estimates give the
// approximate place. Laying out the group gives its exact size. So a range is tried, and
// tried again with the new information, until it fits and is full enough. The result
// depends only on the results of the splits: where more finished splits could change a
// choice, next waits for them.
//
// Its promises: a file is larger than the limit only if it is one mark interval, which
// is one row; and a file followed by another is at least 95% full, unless the rows
// of the next mark interval would not fit.
//
// It holds the points between the group being packed and the watermark, 24 bytes
// each, and the results beyond it. Not for concurrent use.
type Part struct {
	limit int64 // most bytes of a file; 0: no limit, one group
	fixed int64 // bytes of a file without rows

	splits  int                    // the one after the last
	waiting map[int]*mapper.Result // done, after the watermark
	mark    int                    // the watermark: the first split that is not done
	end     point                  // the last row before it

	from    point   // where the group being packed begins
	points  []point // after it, up to the watermark
	scale   scale   // learned from the groups before
	try     search
	groups  int
	Layouts int // ranges laid out
	Over    int // files larger than the limit
}

// point is a row where a group may begin or end.
type point struct {
	row   tuple.Row
	rows  int64 // rows of the job before it
	bytes int64 // their estimated size in files
}

// errPack is returned for a result that no mapper returns.
var errPack = errors.New("jobs: bad split result")

// NewPart returns a packer for the splits from first to end-1 of a job, whose files may
// have limit bytes (0: any number, in one file), fixed of them without any rows.
func NewPart(first, end int, limit, fixed int64) (*Part, error) {
	if limit > 0 && limit <= fixed {
		return nil, fmt.Errorf("jobs: a file of %d bytes has no room for rows: its header takes %d", limit, fixed)
	}
	begin := point{row: tuple.RowOf(first, 0)}
	return &Part{
		limit: limit, fixed: fixed, splits: end, waiting: map[int]*mapper.Result{}, try: newSearch(),
		mark: first, from: begin, end: begin,
	}, nil
}

// Done takes the result of a split, in any order of splits. The result must not
// change.
func (p *Part) Done(split int, r *mapper.Result) error {
	if _, twice := p.waiting[split]; twice || split < p.mark || split >= p.splits {
		return fmt.Errorf("%w: split %d of %d, at %d", errPack, split, p.splits, p.mark)
	}
	if err := checkMarks(r); err != nil {
		return fmt.Errorf("%w: split %d: %w", errPack, split, err)
	}
	p.waiting[split] = r
	for p.waiting[p.mark] != nil {
		r := p.waiting[p.mark]
		delete(p.waiting, p.mark)
		p.advance(r)
	}
	return nil
}

// checkMarks reports marks out of order.
func checkMarks(r *mapper.Result) error {
	last := mapper.Mark{}
	for _, m := range r.Marks {
		if m.Row <= last.Row || m.Row > r.Rows {
			return fmt.Errorf("a mark at row %d after one at row %d, of %d rows", m.Row, last.Row, r.Rows)
		}
		last = m
	}
	return nil
}

// advance moves the watermark over the next split. Estimates that go down are
// taken as level.
func (p *Part) advance(r *mapper.Result) {
	base := p.end
	for _, m := range r.Marks {
		if m.Row < r.Rows {
			p.point(tuple.RowOf(p.mark, m.Row), base.rows+m.Row, base.bytes+m.Bytes)
		}
	}
	p.mark++
	if r.Rows > 0 {
		p.point(tuple.RowOf(p.mark, 0), base.rows+r.Rows, base.bytes+r.Bytes)
	}
}

// point adds a point.
func (p *Part) point(row tuple.Row, rows, bytes int64) {
	p.end = point{row: row, rows: rows, bytes: max(bytes, p.end.bytes)}
	p.points = append(p.points, p.end)
}

// complete reports whether all splits are done.
func (p *Part) complete() bool { return p.mark == p.splits }

// Ended reports whether the last group is packed.
func (p *Part) Ended() bool { return p.complete() && len(p.points) == 0 && p.groups > 0 }

// Next returns the range to lay out next: of a new group, or, if Laid returned false, of
// the same one with another end. It returns false if more splits must be done first, and
// when everything is packed. A job without rows has one group, which is empty.
func (p *Part) Next() (reducer.Range, bool) {
	if p.Ended() {
		return reducer.Range{}, false
	}
	to := p.from
	if len(p.points) > 0 {
		if !p.choose() {
			return reducer.Range{}, false
		}
		to = p.points[p.try.at]
	} else if !p.complete() {
		return reducer.Range{}, false
	}
	return reducer.Range{From: p.from.row, To: to.row, Rows: to.rows - p.from.rows}, true
}

// Laid takes the exact size of the file of the range that Next returned, in bytes, and
// reports whether this range is the group. Then the file is to be written, and everything
// before its end released.
func (p *Part) Laid(size int64) bool {
	p.Layouts++
	if len(p.points) > 0 && !p.settles(size) {
		return false
	}
	p.groups++
	if p.limit > 0 && size > p.limit {
		p.Over++
	}
	if len(p.points) > 0 {
		to := p.points[p.try.at]
		p.scale.learn(size-p.fixed, to.bytes-p.from.bytes)
		n := copy(p.points, p.points[p.try.at+1:])
		p.from, p.points = to, p.points[:n]
	}
	p.try = newSearch()
	return true
}
