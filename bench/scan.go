package main

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// scanHarness runs cases of scans.
type scanHarness struct {
	*scanTools
	pairs  int
	warmUp time.Duration
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
	return m.measure(ctx, func(h *harness, all *results) error {
		s, err := newScanHarness(ctx, h, m.quick)
		if err != nil {
			return err
		}
		s.versions(ctx, all.Versions)
		return s.all(ctx, all, m.scans())
	})
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
			c.figures = slices.Clone(c.figures)
			for i := range c.figures { // what is asked is asked of the whole table
				c.figures[i].AtLeast = 0
			}
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
	s := &scanHarness{scanTools: tools, pairs: h.pairs, warmUp: warmUp, tables: map[string]*scanTable{}, copies: map[string]string{}}
	if quick {
		s.warmUp = quickWarmUp
	}
	return s, nil
}

// all runs cases. One whose table has no column for it is passed over.
func (s *scanHarness) all(ctx context.Context, r *results, cases []scanCase) (err error) {
	defer func() { err = errors.Join(err, s.dropCopies()) }()
	for _, c := range cases {
		if !c.outside && !exists(s.data(c.input)) {
			setting := &scanSetting{Cores: c.cores(), Cold: c.cold, Whole: c.whole}
			r.Cases = append(r.Cases, withoutInput(caseResult{Name: c.name, What: c.what, Input: c.input, Figures: c.figures, Scan: setting}, c.contenders))
			continue
		}
		result, err := s.run(ctx, c)
		if errors.Is(err, errNoColumn) {
			fmt.Fprintf(os.Stderr, "%s: %v\n", c.name, err)
			continue
		}
		if err != nil {
			return err
		}
		r.Cases = append(r.Cases, result)
	}
	return nil
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
