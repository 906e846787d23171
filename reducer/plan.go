package reducer

import "avro2trevni/internal/tuple"

// entry is what the index holds of one block of the file: 24 bytes.
type entry struct {
	row  tuple.Row // its first row
	rows uint32
	raw  uint32 // bytes before compression; until the block is staged, what its runs add up to
	size uint32 // bytes in the file, checksum included; 0 until it is known
	runs uint32 // runs that it is made of here; 0: one run, passed on as it is
}

// blockBytes is the size of an entry in memory, and refBytes that of a ref.
const (
	blockBytes = 24
	refBytes   = 8
)

// maxRows bounds rows and values of a joined block: readers count in 32 bits, and a
// null column's block would never fill.
const maxRows = 1 << 30

// planner turns the runs of a column into the blocks to be, by the joining rule of
// the package comment. It sees no bytes.
type planner struct {
	shape  *Shape
	blocks []entry
	room   *room // that the blocks take

	gather entry  // small runs so far; runs counts them
	values uint64 // their values
	cut    bool   // one of them is cut
}

// add takes the next run.
func (p *planner) add(r *run) {
	small := p.shape.Small(r.raw)
	if !small || !p.fits(r) {
		p.flush()
	}
	if !small {
		p.keep(single(r))
		return
	}
	if p.gather.runs == 0 {
		p.gather, p.values, p.cut = single(r), uint64(r.values), r.cut
		p.gather.runs = 1
		return
	}
	p.gather.rows += r.rows
	p.gather.raw += r.raw
	p.gather.runs++
	p.values += uint64(r.values)
	p.cut = p.cut || r.cut
}

// fits reports whether r can join the runs gathered so far.
func (p *planner) fits(r *run) bool {
	g := &p.gather
	return uint64(g.raw)+uint64(r.raw) <= uint64(p.shape.JoinBytes) &&
		uint64(g.rows)+uint64(r.rows) <= maxRows &&
		p.values+uint64(r.values) <= maxRows &&
		!(p.shape.BySplit && g.row.Split() != r.row.Split())
}

// single returns the block that r alone becomes.
func single(r *run) entry {
	b := entry{row: r.row, rows: r.rows, raw: r.raw, size: r.size}
	if r.cut {
		b.runs, b.size = 1, 0
	}
	return b
}

// flush makes a block of what is gathered. It is called once more at the end.
func (p *planner) flush() {
	switch {
	case p.gather.runs == 0:
		return
	case p.gather.runs == 1 && !p.cut:
		p.gather.runs = 0
	default:
		p.gather.size = 0
	}
	p.keep(p.gather)
	p.gather = entry{}
}

// keep appends a block. Where there is no room for it, it is counted alone.
func (p *planner) keep(b entry) {
	if p.room.take(p.shape.BlockMemory()) {
		p.blocks = append(p.blocks, b)
	}
}

// chain checks that runs follow one another and fill a range.
type chain struct {
	next tuple.Row // the row that must come next, if not a later split's first
	to   tuple.Row // the range's end
}

// add checks t, of the column numbered col, which is next in row order. The first
// may begin before the range.
func (c *chain) add(t *tuple.Tuple, col uint32, first bool) error {
	switch {
	case t.Column != col:
		return rowsError("a run of column %d", t.Column)
	case t.Rows == 0 || t.Size == 0 && t.Raw > 0:
		return runError("%d rows in %d bytes", t.Rows, t.Size)
	case t.Row.InSplit() == 0 && t.Row.Split() > c.next.Split():
	case t.Row > c.next:
		return rowsError("rows up to %v are missing", t.Row)
	case t.Row < c.next && !first || t.End() <= c.next:
		return rowsError("a run from %v to %v holds rows again", t.Row, t.End())
	}
	if t.Row >= c.to {
		return rowsError("a run from %v, after the range", t.Row)
	}
	c.next = min(t.End(), c.to)
	return nil
}

// end checks that the range is filled, as far as that can be told without the
// number of rows of its splits.
func (c *chain) end() error {
	if c.next == c.to || c.to.InSplit() == 0 && c.next.Split() < c.to.Split() {
		return nil
	}
	return rowsError("rows up to %v are missing", c.to)
}

// kept returns how many of the blocks of a column, laid out for a range's end was,
// are the same when the range ends at to. A block closes where the next run does not
// fit, so it stays if that run does: if the whole block after it ends before both.
func kept(blocks []entry, was, to tuple.Row) int {
	n := len(blocks) - 2
	for n > 0 && blocks[n+1].row > min(was, to) {
		n--
	}
	return max(n, 0)
}
