package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	m, err := newMeasuring("scan", args, false)
	if err != nil {
		return err
	}
	return m.measure(ctx, func(h *harness, all *results) error {
		s, err := newScanHarness(ctx, h)
		if err != nil {
			return err
		}
		s.versions(ctx, all.Versions)
		return s.all(ctx, all, scanCases(), m.names)
	})
}

func newScanHarness(ctx context.Context, h *harness) (*scanHarness, error) {
	tools, err := findScanTools(ctx, h)
	if err != nil {
		return nil, err
	}
	return &scanHarness{scanTools: tools, pairs: h.pairs, warmUp: warmUp, tables: map[string]*scanTable{}, copies: map[string]string{}}, nil
}

// all runs those of the cases that are wanted.
func (s *scanHarness) all(ctx context.Context, r *results, cases []scanCase, names []string) (err error) {
	defer func() { err = errors.Join(err, s.dropCopies()) }()
	for _, c := range cases {
		if !wanted(names, c.name) {
			continue
		}
		result, err := s.run(ctx, c)
		if err != nil {
			return err
		}
		r.Cases = append(r.Cases, result)
	}
	return nil
}

// table opens a table of the data folder, once.
func (s *scanHarness) table(ctx context.Context, input string) (*scanTable, error) {
	if t := s.tables[input]; t != nil {
		return t, nil
	}
	path := s.data(input)
	if !exists(path) {
		return nil, fmt.Errorf("bench: no %s: run the data verb", path)
	}
	t, err := openScanTable(ctx, s.scanTools, path, true)
	s.tables[input] = t
	return t, err
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
	v["parquet-go"] = firstLine(ctx, "go", "list", "-C", filepath.Join("bench", "peers", "go"), "-m", "-f", "{{.Version}}", "github.com/parquet-go/parquet-go")
}
