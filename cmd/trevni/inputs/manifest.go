package inputs

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

	"avro2trevni/cmd/trevni/colfile"
	"avro2trevni/cmd/trevni/show"
	"avro2trevni/internal/storage"
	"avro2trevni/jobs/report"
)

// Manifest is what a finished job says of its files. A nil Manifest says nothing.
type Manifest struct {
	root  string
	files map[string]report.Output // by name below root; those seen are taken out
}

// ReadManifest reads the _SUCCESS of a job's folder; of a partition's it keeps the files
// in it. There is none in a folder that is not a job's, and one that is empty, as Hadoop's
// are, says nothing. What is wrong with the folder is an error that is colfile.ErrWrong.
func ReadManifest(f storage.FS, in Input) (*Manifest, error) {
	switch {
	case !in.Job:
		return nil, nil
	case !in.Finished:
		return nil, colfile.Wrong(fmt.Errorf("%s: %w", in.Name, ErrUnfinished))
	}
	name := storage.Join(in.root, SuccessName)
	data, err := colfile.ReadRegular(f, name)
	if err != nil || len(data) == 0 {
		return nil, err
	}
	var said report.Report
	if err := json.Unmarshal(data, &said); err != nil {
		return nil, colfile.Wrong(fmt.Errorf("%s: not a job's report: %w", name, err))
	}
	m := &Manifest{root: in.root, files: map[string]report.Output{}}
	below := ""
	if in.root != in.Name {
		below = m.key(in.Name) + "/"
	}
	for _, out := range said.Outputs {
		if strings.HasPrefix(out.Path, below) {
			m.files[out.Path] = out
		}
	}
	return m, nil
}

// key returns the name below the job's folder of a file or folder in it.
func (m *Manifest) key(name string) string {
	root, err := storage.Abs(m.root)
	if err == nil {
		name, err = storage.Abs(name)
	}
	if err == nil {
		name, err = filepath.Rel(root, name)
	}
	if err != nil { // no such name is listed
		return ""
	}
	return filepath.ToSlash(name)
}

// Seen notes that a file is there.
func (m *Manifest) Seen(name string) (said report.Output, listed bool) {
	if m == nil {
		return said, false
	}
	key := m.key(name)
	said, listed = m.files[key]
	delete(m.files, key)
	return said, listed
}

// CheckListed returns what is not as the manifest says of a file of a name, if it is listed
// there.
func CheckListed(ctx context.Context, f io.ReaderAt, name string, size int64, rows uint64, said report.Output, listed bool) ([]error, error) {
	switch {
	case !listed:
		return []error{fmt.Errorf("%s: not among the files that %s lists", name, SuccessName)}, nil
	case uint64(said.Rows) != rows:
		return []error{fmt.Errorf("%s: %s rows, %s says %s", name, show.Comma(rows), SuccessName, show.Comma(said.Rows))}, nil
	case said.Bytes != size:
		return []error{fmt.Errorf("%s: %s bytes, %s says %s", name, show.Comma(size), SuccessName, show.Comma(said.Bytes))}, nil
	case said.XXH64 == "":
		return nil, nil
	}
	sum := xxhash.New()
	if _, err := io.Copy(sum, &cancelable{ctx, io.NewSectionReader(f, 0, size)}); err != nil {
		return nil, err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != said.XXH64 {
		return []error{fmt.Errorf("%s: its XXH64 is %s, %s says %s", name, got, SuccessName, said.XXH64)}, nil
	}
	return nil, nil
}

// Missing returns an error for each file that is listed and was not seen.
func (m *Manifest) Missing() []error {
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
		missing = append(missing, fmt.Errorf("%s: missing; %s lists it", storage.Join(m.root, filepath.FromSlash(name)), SuccessName))
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
