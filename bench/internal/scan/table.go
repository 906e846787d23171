package scan

import (
	"context"
	"fmt"
	"os"

	"avro2trevni/bench/internal/run"
	"avro2trevni/bench/internal/scanner"
	"avro2trevni/internal/ocf"
	"avro2trevni/trevni"
)

// scanTable is a table to scan, in all formats.
type scanTable struct {
	files   scanFiles
	size    int64 // of the Avro file
	rows    int64
	schema  string
	columns []scanner.Column
	ascii   bool // its strings are, as far as is known
}

// openScanTable makes what is missing of a table's files, under a name, and reads its
// schema.
func openScanTable(ctx context.Context, tools *ScanTools, avro, name string) (*scanTable, error) {
	files, err := tools.files(ctx, avro, name)
	if err != nil {
		return nil, err
	}
	t := &scanTable{files: files}
	if err := t.readAvro(avro); err != nil {
		return nil, err
	}
	r, err := trevni.OpenFile(t.files["trv"], nil)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t.rows = int64(r.Header().Rows)
	return t, nil
}

func (t *scanTable) readAvro(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	h, err := ocf.ReadHeader(f, info.Size(), path, ocf.Limits{})
	if err != nil {
		return err
	}
	t.size, t.schema = info.Size(), h.Schema
	t.columns, err = scanner.Columns(h.Schema)
	return err
}

// chosen are the columns of the given paths.
func (t *scanTable) chosen(choice columnChoice) ([]scanner.Column, error) {
	if choice == nil {
		return nil, nil
	}
	paths := choice(t.columns)
	if len(paths) == 0 {
		return nil, run.ErrNoColumn
	}
	all := make([]scanner.Column, len(paths))
	for i, path := range paths {
		for _, c := range t.columns {
			if c.Path == path {
				all[i] = c
			}
		}
		if all[i].Path == "" {
			return nil, fmt.Errorf("bench: %s has no column %q that scans sum up", t.files["avro"], path)
		}
	}
	return all, nil
}

// columnChoice chooses columns to scan, by their paths.
type columnChoice func([]scanner.Column) []string

// these are columns by their paths.
func these(paths ...string) columnChoice {
	return func([]scanner.Column) []string { return paths }
}

// firstOf chooses the first column that will do, or none.
func firstOf(good func(scanner.Column) bool) columnChoice {
	return func(columns []scanner.Column) []string {
		for _, c := range columns {
			if good(c) {
				return []string{c.Path}
			}
		}
		return nil
	}
}

// spreadOut chooses n columns at equal distances, or all if n is 0 or there are fewer.
func spreadOut(n int) columnChoice {
	return func(columns []scanner.Column) []string {
		if n == 0 || n > len(columns) {
			n = len(columns)
		}
		paths := make([]string, n)
		for i := range paths {
			paths[i] = columns[i*len(columns)/n].Path
		}
		return paths
	}
}

// fewer is spreadOut for tables with more than n columns, and nothing for others.
func fewer(n int) columnChoice {
	return func(columns []scanner.Column) []string {
		if n >= len(columns) {
			return nil
		}
		return spreadOut(n)(columns)
	}
}
