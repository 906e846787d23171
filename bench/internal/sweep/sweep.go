package sweep

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"avro2trevni/bench/internal/report"
)

// setting is a point that is yet to be measured.
type setting struct {
	at   string
	x    float64
	turn func(ctx context.Context) (report.Reading, error)
}

// runSettings measures the settings in turn, A B C A B C, after one round that isn't counted.
// How many rounds a setting has depends on the seconds that it took in that; one that has
// none has that one counted.
func runSettings(ctx context.Context, s *report.Sweep, roundsOf func(seconds float64) int, settings []setting) error {
	all, due := make([][]report.Reading, len(settings)), make([]int, len(settings))
	fmt.Fprintf(os.Stderr, "%s: warming up\n", s.Name)
	for i, x := range settings {
		start := time.Now()
		got, err := x.read(ctx, s.Name)
		if err != nil {
			return err
		}
		if due[i] = roundsOf(time.Since(start).Seconds()); due[i] == 0 {
			all[i] = append(all[i], got)
		}
	}
	for round := range slices.Max(append(due, 0)) {
		fmt.Fprintf(os.Stderr, "%s: round %d of %d\n", s.Name, round+1, slices.Max(due))
		for i, x := range settings {
			if round >= due[i] {
				continue
			}
			got, err := x.read(ctx, s.Name)
			if err != nil {
				return err
			}
			all[i] = append(all[i], got)
		}
	}
	for i, x := range settings {
		s.Points = append(s.Points, report.Point{At: x.at, X: x.x, Rounds: len(all[i]), Values: s.Spreads(all[i])})
	}
	return nil
}

// read measures once.
func (x *setting) read(ctx context.Context, sweep string) (report.Reading, error) {
	got, err := x.turn(ctx)
	if err != nil {
		return nil, fmt.Errorf("bench: %s at %s: %w", sweep, x.at, err)
	}
	return got, nil
}
