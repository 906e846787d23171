package sweep

import (
	"context"
	"errors"
	"fmt"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/report"
)

// scaleInputs are lineitem at 0.1, 1, 3 and 10 times its rows. The larger ones are hard
// links to one file: their rows are read from the page cache, as the smaller ones' are.
var scaleInputs = []struct {
	name  string
	times float64
}{{data.Tenth, 0.1}, {"lineitem-snappy.avro", 1}, {"lineitem3", 3}, {"lineitem10", 10}}

// quickScaleInputs are those of quick runs.
var quickScaleInputs = []struct {
	name  string
	times float64
}{{data.QuickInput, 0.1}, {"lineitem01-3", 0.3}, {"lineitem01-10", 1}}

// ScaleSweeps measure what a row costs at each size, with memory bounded and not.
func ScaleSweeps(ctx context.Context, s *sweeper) error {
	inputs := scaleInputs
	if s.Quick {
		inputs = quickScaleInputs
	}
	if s.Measuring.Input != "" {
		return errors.New("bench: scale has its own inputs")
	}
	for _, memory := range []string{report.ScaleBound, report.Unbounded} {
		var settings []setting
		for _, in := range inputs {
			settings = append(settings, setting{fmt.Sprint(in.times), in.times, func(ctx context.Context) (report.Reading, error) {
				c, err := s.convertTo(ctx, "scale", s.Harness.Data(in.name), "--memory", memory)
				if err != nil {
					return nil, err
				}
				return c.perRow(), s.remove("scale")
			}})
		}
		w := report.Sweep{
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
func (c *conversion) perRow() report.Reading {
	rows := float64(max(c.Counters.Rows, 1))
	return report.Reading{
		"rows": float64(c.Counters.Rows), "ns a row": c.Wall / rows * 1e9, "CPU ns a row": c.CPU() / rows * 1e9,
		"peak MiB": float64(c.Memory) / (1 << 20), "temp bytes a row": float64(c.Run.SpilledBytes) / rows,
		"output bytes a row": float64(c.Counters.OutputBytes) / rows,
	}
}
