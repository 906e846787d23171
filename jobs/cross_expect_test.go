package jobs

import (
	"maps"
	"slices"
	"strings"

	"avro2trevni/internal/exit"
	format "avro2trevni/internal/format/trevni"
)

// crossState is what an output ought to hold after some runs.
type crossState struct {
	published bool
	rows      map[string][]string   // of each folder, "" if there are no partitions, in order: as Avro
	inputs    []crossInput          // that were converted, in order
	known     map[string]*crossFile // inputs that need not be looked at again
	skipped   int64                 // bytes
}

type crossInput struct {
	name string
	rows int64
}

// crossOutcome is how a run ought to end.
type crossOutcome struct {
	exits []int // one of these
	state *crossState
	free  bool // it may also fail
}

// refuse is the outcome of a run that leaves all as it was.
func (s *crossState) refuse(exits ...int) crossOutcome { return crossOutcome{exits: exits, state: s} }

// next returns how run n ought to end, with files there.
func (c *crossDraw) next(s *crossState, r *crossRun, there map[string]*crossFile) crossOutcome {
	next := &crossState{published: true, rows: map[string][]string{}, known: map[string]*crossFile{}}
	adds := s.published && r.o.IfExists == IfExistsAppend
	if adds {
		next = s.clone()
	}
	var files []*crossFile
	for _, name := range slices.Sorted(maps.Keys(there)) {
		f := there[name]
		switch was := next.known[name]; {
		case was == f:
			continue
		case was != nil && next.listed(name) && r.o.Changed == ChangedIgnore:
			continue // it is not even read
		case f.gone && c.o.OnCorrupt != "": // damage is skipped before anybody asks what was there
		case was != nil && next.listed(name) && r.o.Changed == "":
			return s.refuse(exit.StatusRefused, exit.StatusFailed) // that, if the header of any is damaged
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return crossOutcome{exits: []int{exit.StatusDone}, state: s}
	}
	return c.convert(s, next, files, adds)
}

// convert returns what becomes of an output that files are converted to, or added to.
func (c *crossDraw) convert(before, next *crossState, files []*crossFile, adds bool) crossOutcome {
	var rows, lost []any
	damaged := false
	for _, f := range files {
		next.known[f.name] = f
		damaged = damaged || f.damage != ""
		next.skipped += f.skipped
		dropped := f.gone || f.damage != "" && c.o.OnCorrupt == CorruptSkipFile
		if dropped {
			next.skipped += int64(len(f.data)) - f.skipped
		} else {
			next.inputs = append(next.inputs, crossInput{f.name, 0})
		}
		for i, block := range f.blocks {
			for _, row := range block {
				row = c.keeps.value(c.rows, row)
				if f.lost[i] || dropped {
					lost = append(lost, row)
					continue
				}
				rows = append(rows, row)
				next.inputs[len(next.inputs)-1].rows++
			}
		}
	}
	no, maybe := c.impossible(rows)
	worse, perhaps := c.impossible(slices.Concat(rows, lost))
	switch free := maybe || worse && !no || perhaps; {
	case damaged && c.o.OnCorrupt == "":
		return before.refuse(exit.StatusRefused, exit.StatusFailed)
	case damaged && len(rows) == 0 && !adds, no:
		return before.refuse(exit.StatusFailed, exit.StatusRefused)
	case damaged:
		c.place(next, rows)
		return crossOutcome{exits: []int{exit.StatusSome}, state: next, free: free}
	default:
		c.place(next, rows)
		return crossOutcome{exits: []int{exit.StatusDone}, state: next, free: free}
	}
}

// place sorts rows and puts them into their folders.
func (c *crossDraw) place(s *crossState, rows []any) {
	c.out.order(rows, c.o.SortBy)
	for _, row := range rows {
		folder := ""
		if c.o.PartitionBy != "" {
			folder = folderOf(c.out, c.o.PartitionBy, row)
		}
		s.rows[folder] = append(s.rows[folder], string(c.out.encode(nil, row, nil)))
	}
}

// impossible reports whether rows cannot be converted as they are asked to be, or perhaps not.
func (c *crossDraw) impossible(rows []any) (no, maybe bool) {
	folders := map[string]bool{}
	for _, row := range rows {
		size := 0
		if c.o.PartitionBy != "" {
			name := folderOf(c.out, c.o.PartitionBy, row)
			no = no || len(name) > 255
			folders[name] = true
			size += len(name)
		}
		for i, by := range c.o.SortBy {
			path, _, _ := strings.Cut(by, ":")
			key := keyOf(c.out, path, row)
			size += keyBytes(key)
			if s, ok := key[0].(string); ok && i == 0 && len(c.o.Index) > 0 && len(s) > format.MaxFirst {
				maybe = true // it is if it is the first of a block
			}
		}
		no, maybe = no || size > 66_000, maybe || size > 65_000
	}
	most := c.o.MaxPartitions
	return no || len(folders) > DefaultPartitions || most > 0 && len(folders) > most, maybe
}

func (s *crossState) clone() *crossState {
	next := &crossState{published: true, rows: map[string][]string{}, inputs: slices.Clone(s.inputs), known: maps.Clone(s.known), skipped: s.skipped}
	for folder, rows := range s.rows {
		next.rows[folder] = slices.Clone(rows)
	}
	return next
}

// listed reports whether an input was converted, as it is now or as it was.
func (s *crossState) listed(name string) bool {
	return slices.ContainsFunc(s.inputs, func(in crossInput) bool { return in.name == name })
}
