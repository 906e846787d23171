package parquetfile

import (
	"context"
	"fmt"
	"io"

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/parquet/reader"
)

var _ colfile.Counter = (*file)(nil)

// Count implements [colfile.Counter], by the histograms of levels that the footer has of one
// column, or else its column index; or by the levels themselves.
//
// An entry at a definition level below that of a value is one place where the value is not. Others
// begin a value if they do not repeat inside of it. So there are as many values as entries that
// repeat no deeper than the value, less those below its definition level.
func (f *file) Count(ctx context.Context, path string, pages bool) ([]colfile.Count, error) {
	if f.bad != nil {
		return nil, fmt.Errorf("%s: %w", f.name, f.bad)
	}
	places, leaf, err := f.table.Places(path)
	if err != nil {
		return nil, err
	}
	all := newFacts(f.f.Schema.Leaves[leaf], nil)
	for _, g := range f.f.RowGroups {
		one := newFacts(all.leaf, nil)
		known := false
		if !pages {
			if known, err = one.known(g.Chunks[leaf]); err != nil {
				return nil, err
			}
		}
		if !known {
			if one, err = levels(ctx, g.Chunks[leaf]); err != nil {
				return nil, err
			}
		}
		all.join(&one)
	}
	counts := make([]colfile.Count, len(places))
	for i, p := range places {
		counts[i] = colfile.Count{Path: p.Path, Values: uint64(sum(all.rep[:p.Rep+1]) - sum(all.def[:p.Def]))}
		if p.Null >= 0 {
			counts[i].Optional, counts[i].Null = true, uint64(all.def[p.Null])
		}
		if p.Empty >= 0 {
			counts[i].List, counts[i].Empty = true, uint64(all.def[p.Empty])
		}
	}
	return counts, nil
}

func sum(all []int64) (n int64) {
	for _, v := range all {
		n += v
	}
	return n
}

// known takes what is said of a chunk's levels, and reports whether that is all of them.
func (f *facts) known(c *reader.Chunk) (bool, error) {
	nulls := int64(-1)
	if c.Statistics != nil {
		nulls = c.Statistics.NullCount
	}
	if f.said(c.Entries, nulls, c.DefHistogram, c.RepHistogram) {
		return true, nil
	}
	x, err := c.Bounds()
	if err != nil || x == nil {
		return false, err
	}
	def, rep, none := make([]int64, len(f.def)), make([]int64, len(f.rep)), int64(0)
	for _, p := range x.Pages {
		if len(p.DefHistogram) != len(def) {
			def = nil
		}
		if len(p.RepHistogram) != len(rep) {
			rep = nil
		}
		for i := range def {
			def[i] += p.DefHistogram[i]
		}
		for i := range rep {
			rep[i] += p.RepHistogram[i]
		}
		if none += p.NullCount; p.NullCount < 0 {
			return false, nil
		}
	}
	return f.said(c.Entries, none, def, rep), nil
}

// said takes histograms, or numbers that say the same, and reports whether there are such.
func (f *facts) said(entries, nulls int64, def, rep []int64) bool {
	if len(f.rep) == 1 {
		rep = []int64{entries}
	}
	if len(def) != len(f.def) {
		switch {
		case len(f.def) == 1:
			def = []int64{entries}
		case len(f.def) == 2 && nulls >= 0:
			def = []int64{nulls, entries - nulls}
		}
	}
	if len(def) != len(f.def) || len(rep) != len(f.rep) || sum(def) != entries || sum(rep) != entries {
		return false
	}
	copy(f.def, def)
	copy(f.rep, rep)
	return true
}

// levels counts the levels of a chunk.
func levels(ctx context.Context, c *reader.Chunk) (facts, error) {
	f := newFacts(c.Leaf, nil)
	column, err := c.Column()
	if err != nil {
		return f, err
	}
	column.OmitValues()
	var b reader.Batch
	for {
		if ctx.Err() != nil {
			return f, context.Cause(ctx)
		}
		if err := column.Next(&b); err == io.EOF {
			return f, nil
		} else if err != nil {
			return f, err
		}
		f.levels(&b)
	}
}
