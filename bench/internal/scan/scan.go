package scan

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"time"

	"avro2trevni/bench/internal/data"
	"avro2trevni/bench/internal/report"
	"avro2trevni/bench/internal/run"
)

// ScanHarness runs cases of scans.
type ScanHarness struct {
	*ScanTools
	pairs  int
	hurry  time.Duration         // by which warming up is divided
	tables map[string]*scanTable // by their Avro files
	copies map[string]string     // of files, to be evicted
}

// Verb measures scans: one program against another, each warm, in turn.
func Verb(ctx context.Context, args []string) error {
	m, err := run.NewMeasuring("scan", args, true)
	if err != nil {
		return err
	}
	if err := m.MakeInputs(ctx); err != nil {
		return err
	}
	cases := ScansOf(m)
	order := ScanNames(scanCases())
	if m.Input != "" {
		order = ScanNames(cases)
	}
	if err := m.Known(order); err != nil {
		return err
	}
	todo := ScanNames(cases)
	return m.Measure(ctx, order, todo, func(h *run.Harness, j *report.Journal) error {
		s, err := newScanHarness(ctx, h, m.Quick)
		if err != nil {
			return err
		}
		s.versions(ctx, j.Runs[j.Run].Versions)
		if m.Input != "" { // nothing can be asked of what can't be converted
			if _, err := s.table(ctx, &cases[0]); err != nil {
				return err
			}
		}
		err = m.Cases(ctx, j, todo, func(i int) (report.CaseResult, error) { return s.Measure(ctx, cases[i]) })
		return errors.Join(err, s.dropCopies())
	})
}

func ScanNames(cases []scanCase) []string {
	names := make([]string, len(cases))
	for i, c := range cases {
		names[i] = c.name
	}
	return names
}

// ScansOf are the cases to run: those named, in quick mode those for it, or those of the
// user's file.
func ScansOf(m *run.Measuring) []scanCase {
	cases := scanCases()
	if m.Input != "" {
		cases = inputCases(m.Input)
	}
	var all []scanCase
	for _, c := range cases {
		if !data.Wanted(m.Names, c.name) || m.Quick && !c.quick && !c.outside {
			continue
		}
		if m.Quick && !c.outside {
			c.input = data.QuickInput
			c.figures = run.Unasked(c.figures) // what is asked is asked of the whole table
		}
		all = append(all, c)
	}
	return all
}

func newScanHarness(ctx context.Context, h *run.Harness, quick bool) (*ScanHarness, error) {
	tools, err := findScanTools(ctx, h)
	if err != nil {
		return nil, err
	}
	s := &ScanHarness{ScanTools: tools, pairs: h.Pairs, hurry: 1, tables: map[string]*scanTable{}, copies: map[string]string{}}
	if quick {
		s.hurry = quickWarmUps
	}
	return s, nil
}

// Measure runs a case, whose contenders are all missing if its table is.
func (s *ScanHarness) Measure(ctx context.Context, c scanCase) (report.CaseResult, error) {
	if c.outside || data.Exists(s.Data(c.input)) {
		return s.run(ctx, c)
	}
	setting := &report.ScanSetting{Cores: c.cores(), Cold: c.cold, Whole: c.whole}
	return run.WithoutInput(report.CaseResult{Name: c.name, What: c.what, Input: c.input, Figures: c.figures, Scan: setting}, c.contenders), nil
}

// table opens a case's table, once.
func (s *ScanHarness) table(ctx context.Context, c *scanCase) (*scanTable, error) {
	if t := s.tables[c.input]; t != nil {
		return t, nil
	}
	path, name := s.Data(c.input), strings.TrimSuffix(c.input, ".avro")
	if c.outside { // two of them may have one name
		path = c.input
		name = fmt.Sprintf("%s-%08x", strings.TrimSuffix(filepath.Base(path), ".avro"), crc32.ChecksumIEEE([]byte(data.MustAbs(path))))
	}
	t, err := openScanTable(ctx, s.ScanTools, path, name)
	if err != nil {
		return nil, err
	}
	t.ascii = !c.outside
	s.tables[c.input] = t
	return t, nil
}

// coldCopy returns a fresh copy of a file, which nothing else reads.
func (s *ScanHarness) coldCopy(path string) (string, error) {
	if c := s.copies[path]; c != "" {
		return c, nil
	}
	c := s.Data(filepath.Join("work", "cold-"+filepath.Base(path)))
	s.copies[path] = c
	return c, freshCopy(path, c)
}

func (s *ScanHarness) dropCopies() error {
	var errs []error
	for _, c := range s.copies {
		errs = append(errs, os.Remove(c))
	}
	return errors.Join(errs...)
}

// versions adds those of all that take part in scans.
func (s *ScanHarness) versions(ctx context.Context, v map[string]string) {
	v["goavro"] = report.ModuleVersion("github.com/linkedin/goavro/v2")
	v["pyarrow"], v["duckdb"] = data.PyarrowVersion, data.DuckdbVersion
	v["parquet-go"] = report.ModuleVersion("github.com/parquet-go/parquet-go")
}
