package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"avro2trevni/jobs/report"
)

// manifest is what a finished job says of its files. A nil manifest says nothing.
type manifest struct {
	root  string
	files map[string]report.Output // by name below root; those seen are taken out
}

// readManifest reads the _SUCCESS of a job's folder; of a partition's it keeps the files
// in it. There is none in a folder that is not a job's, and one that is empty, as Hadoop's
// are, says nothing. What is wrong with the folder is an error that is trevni.ErrCorrupt.
func readManifest(in input) (*manifest, error) {
	switch {
	case !in.job:
		return nil, nil
	case !in.finished:
		return nil, wrong{fmt.Errorf("%s: %w", in.name, errUnfinished)}
	}
	name := filepath.Join(in.root, successName)
	data, err := readRegular(name)
	if err != nil || len(data) == 0 {
		return nil, err
	}
	var said report.Report
	if err := json.Unmarshal(data, &said); err != nil {
		return nil, wrong{fmt.Errorf("%s: not a job's report: %w", name, err)}
	}
	m := &manifest{root: in.root, files: map[string]report.Output{}}
	below := ""
	if in.root != in.name {
		below = m.key(in.name) + "/"
	}
	for _, out := range said.Outputs {
		if strings.HasPrefix(out.Path, below) {
			m.files[out.Path] = out
		}
	}
	return m, nil
}

// key returns the name below the job's folder of a file or folder in it.
func (m *manifest) key(name string) string {
	root, err := filepath.Abs(m.root)
	if err == nil {
		name, err = filepath.Abs(name)
	}
	if err == nil {
		name, err = filepath.Rel(root, name)
	}
	if err != nil { // no such name is listed
		return ""
	}
	return filepath.ToSlash(name)
}

// seen notes that a file is there.
func (m *manifest) seen(name string) (said report.Output, listed bool) {
	if m == nil {
		return said, false
	}
	key := m.key(name)
	said, listed = m.files[key]
	delete(m.files, key)
	return said, listed
}

// checkListed returns what is not as the manifest says of a file, if it is listed there.
func checkListed(ctx context.Context, f *file, said report.Output, listed bool) ([]error, error) {
	switch rows := f.Header().Rows; {
	case !listed:
		return []error{fmt.Errorf("%s: not among the files that %s lists", f.name, successName)}, nil
	case uint64(said.Rows) != rows:
		return []error{fmt.Errorf("%s: %s rows, %s says %s", f.name, comma(rows), successName, comma(said.Rows))}, nil
	case said.Bytes != f.size:
		return []error{fmt.Errorf("%s: %s bytes, %s says %s", f.name, comma(f.size), successName, comma(said.Bytes))}, nil
	case said.XXH64 == "":
		return nil, nil
	}
	sum := xxhash.New()
	if _, err := io.Copy(sum, &cancelable{ctx, io.NewSectionReader(f.src, 0, f.size)}); err != nil {
		return nil, err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != said.XXH64 {
		return []error{fmt.Errorf("%s: its XXH64 is %s, %s says %s", f.name, got, successName, said.XXH64)}, nil
	}
	return nil, nil
}

// missing returns an error for each file that is listed and was not seen.
func (m *manifest) missing() []error {
	if m == nil {
		return nil
	}
	var names []string
	for name := range m.files {
		names = append(names, name)
	}
	slices.Sort(names)
	var missing []error
	for _, name := range names {
		missing = append(missing, fmt.Errorf("%s: missing; %s lists it", filepath.Join(m.root, filepath.FromSlash(name)), successName))
	}
	return missing
}

// cancelable is a reader that ends when its context does.
type cancelable struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (c *cancelable) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.r.Read(p)
}
