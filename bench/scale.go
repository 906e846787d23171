package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// tenth is the first tenth of lineitem, to see what fewer rows of the same cost.
const tenth = "lineitem-tenth.avro"

// tenth cuts lineitem behind the block in which its tenth part ends.
func (p paths) tenth(context.Context) (err error) {
	in, err := os.Open(p.data("lineitem-snappy.avro"))
	if err != nil {
		return err
	}
	defer in.Close()
	_, spans, err := avroBlocks(in)
	if err != nil {
		return err
	}
	product := p.data(tenth)
	out, err := os.Create(product + ".tmp")
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.NewSectionReader(in, 0, endOfPart(spans, 10)))
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("bench: %s: %w", product, err)
	}
	return os.Rename(product+".tmp", product)
}

// endOfPart is where the block ends in which the first of n equal parts of the rows
// ends.
func endOfPart(spans []span, n int64) int64 {
	var all, rows int64
	for _, s := range spans {
		all += s.rows
	}
	for _, s := range spans {
		if rows += s.rows; rows*n >= all {
			return s.end()
		}
	}
	return 0
}

// workerCounts are 1, 2, 4 and so on up to n, and n.
func workerCounts(n int) (counts []string) {
	for i := 1; i < n; i *= 2 {
		counts = append(counts, fmt.Sprint(i))
	}
	return append(counts, fmt.Sprint(n))
}

// scaleInputs are lineitem at 0.1, 1, 3 and 10 times its rows. The larger ones are hard
// links to one file: their rows are read from the page cache, as the smaller ones' are.
var scaleInputs = []struct {
	name  string
	times float64
}{{tenth, 0.1}, {"lineitem-snappy.avro", 1}, {"lineitem3", 3}, {"lineitem10", 10}}

// quickScaleInputs are those of quick runs.
var quickScaleInputs = []struct {
	name  string
	times float64
}{{quickInput, 0.1}, {"lineitem01-3", 0.3}, {"lineitem01-10", 1}}

// scaleBound is the --memory under which peak memory is to be flat.
const scaleBound = "128MiB"

// scaleSweeps measure what a row costs at each size, with memory bounded and not.
func scaleSweeps(ctx context.Context, s *sweeper) error {
	inputs := scaleInputs
	if s.quick {
		inputs = quickScaleInputs
	}
	if s.measuring.input != "" {
		return errors.New("bench: scale has its own inputs")
	}
	for _, memory := range []string{scaleBound, unbounded} {
		var settings []setting
		for _, in := range inputs {
			settings = append(settings, setting{fmt.Sprint(in.times), in.times, func(ctx context.Context) (reading, error) {
				c, err := s.convertTo(ctx, "scale", s.harness.data(in.name), "--memory", memory)
				if err != nil {
					return nil, err
				}
				return c.perRow(), s.remove("scale")
			}})
		}
		w := sweep{
			Name: "scale-" + memory, Setting: "times lineitem",
			What:     "Cost of a row with --memory " + memory,
			Measures: []string{"rows", "ns a row", "CPU ns a row", "peak MiB", "temp bytes a row", "output bytes a row"},
		}
		if err := s.sweep(ctx, w, settings); err != nil {
			return err
		}
	}
	return nil
}

// perRow is what the conversion took, by the row.
func (c *conversion) perRow() reading {
	rows := float64(max(c.Counters.Rows, 1))
	return reading{
		"rows": float64(c.Counters.Rows), "ns a row": c.Wall / rows * 1e9, "CPU ns a row": c.cpu() / rows * 1e9,
		"peak MiB": float64(c.Memory) / (1 << 20), "temp bytes a row": float64(c.Run.SpilledBytes) / rows,
		"output bytes a row": float64(c.Counters.OutputBytes) / rows,
	}
}
