package main

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// scanHarness runs cases of scans.
type scanHarness struct {
	*scanTools
	pairs  int
	hurry  time.Duration         // by which warming up is divided
	tables map[string]*scanTable // by their Avro files
	copies map[string]string     // of files, to be evicted
}

// scanVerb measures scans: one program against another, each warm, in turn.
func scanVerb(ctx context.Context, args []string) error {
	m, err := newMeasuring("scan", args, true)
	if err != nil {
		return err
	}
	if err := m.makeInputs(ctx); err != nil {
		return err
	}
	cases := m.scans()
	order := scanNames(scanCases())
	if m.input != "" {
		order = scanNames(cases)
	}
	if err := m.known(order); err != nil {
		return err
	}
	todo := scanNames(cases)
	return m.measure(ctx, order, todo, func(h *harness, j *journal) error {
		s, err := newScanHarness(ctx, h, m.quick)
		if err != nil {
			return err
		}
		s.versions(ctx, j.Runs[j.run].Versions)
		if m.input != "" { // nothing can be asked of what can't be converted
			if _, err := s.table(ctx, &cases[0]); err != nil {
				return err
			}
		}
		err = m.cases(ctx, j, todo, func(i int) (caseResult, error) { return s.measure(ctx, cases[i]) })
		return errors.Join(err, s.dropCopies())
	})
}

func scanNames(cases []scanCase) []string {
	names := make([]string, len(cases))
	for i, c := range cases {
		names[i] = c.name
	}
	return names
}

// scans are the cases to run: those named, in quick mode those for it, or those of the
// user's file.
func (m *measuring) scans() []scanCase {
	cases := scanCases()
	if m.input != "" {
		cases = inputCases(m.input)
	}
	var all []scanCase
	for _, c := range cases {
		if !wanted(m.names, c.name) || m.quick && !c.quick && !c.outside {
			continue
		}
		if m.quick && !c.outside {
			c.input = quickInput
			c.figures = unasked(c.figures) // what is asked is asked of the whole table
		}
		all = append(all, c)
	}
	return all
}

func newScanHarness(ctx context.Context, h *harness, quick bool) (*scanHarness, error) {
	tools, err := findScanTools(ctx, h)
	if err != nil {
		return nil, err
	}
	s := &scanHarness{scanTools: tools, pairs: h.pairs, hurry: 1, tables: map[string]*scanTable{}, copies: map[string]string{}}
	if quick {
		s.hurry = quickWarmUps
	}
	return s, nil
}

// measure runs a case, whose contenders are all missing if its table is.
func (s *scanHarness) measure(ctx context.Context, c scanCase) (caseResult, error) {
	if c.outside || exists(s.data(c.input)) {
		return s.run(ctx, c)
	}
	setting := &scanSetting{Cores: c.cores(), Cold: c.cold, Whole: c.whole}
	return withoutInput(caseResult{Name: c.name, What: c.what, Input: c.input, Figures: c.figures, Scan: setting}, c.contenders), nil
}

// table opens a case's table, once.
func (s *scanHarness) table(ctx context.Context, c *scanCase) (*scanTable, error) {
	if t := s.tables[c.input]; t != nil {
		return t, nil
	}
	path, name := s.data(c.input), strings.TrimSuffix(c.input, ".avro")
	if c.outside { // two of them may have one name
		path = c.input
		name = fmt.Sprintf("%s-%08x", strings.TrimSuffix(filepath.Base(path), ".avro"), crc32.ChecksumIEEE([]byte(mustAbs(path))))
	}
	t, err := openScanTable(ctx, s.scanTools, path, name)
	if err != nil {
		return nil, err
	}
	t.ascii = !c.outside
	s.tables[c.input] = t
	return t, nil
}

// coldCopy returns a fresh copy of a file, which nothing else reads.
func (s *scanHarness) coldCopy(path string) (string, error) {
	if c := s.copies[path]; c != "" {
		return c, nil
	}
	c := s.data(filepath.Join("work", "cold-"+filepath.Base(path)))
	s.copies[path] = c
	return c, freshCopy(path, c)
}

func (s *scanHarness) dropCopies() error {
	var errs []error
	for _, c := range s.copies {
		errs = append(errs, os.Remove(c))
	}
	return errors.Join(errs...)
}

// versions adds those of all that take part in scans.
func (s *scanHarness) versions(ctx context.Context, v map[string]string) {
	v["goavro"] = moduleVersion("github.com/linkedin/goavro/v2")
	v["pyarrow"], v["duckdb"] = pyarrowVersion, duckdbVersion
	v["parquet-go"] = moduleVersion("github.com/parquet-go/parquet-go")
}
