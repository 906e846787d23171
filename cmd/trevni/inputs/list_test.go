package inputs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"avro2trevni/internal/storage"
)

// A folder's files are its own and those of its partitions, by their names, and no others.
func TestListPartitions(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"a=2/part-00001.trv", "a=2/part-00000.trv", "a=10/part-00000.trv", "a=10/other.trv", "a=10/deep/part-00000.trv",
		"a=10/1.trv", "a=10/_2.trv", "a=3/b=1/part-00000.trv", "a=\xe9/1.trv",
		"b/part-00000.trv", "_a=1/part-00000.trv", ".a=1/part-00000.trv", "=1/part-00000.trv", "_SUCCESS",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	in, err := listFolder(storage.Local{}, dir, []string{".trv"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range in.Files {
		got = append(got, strings.TrimPrefix(f, dir+"/"))
	}
	want := []string{
		"_a=1/part-00000.trv", "a=10/1.trv", "a=10/other.trv", "a=10/part-00000.trv", "a=2/part-00000.trv", "a=2/part-00001.trv", "a=3/b=1/part-00000.trv",
		"a=\xe9/1.trv",
	}
	if !slices.Equal(got, want) || !in.Job || !in.Finished {
		t.Errorf("%v, job %v, finished %v; want %v", got, in.Job, in.Finished, want)
	}
}

// A partition that is a link is not left out without a word; a file may be one.
func TestListLinks(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "there"), 0o777), os.WriteFile(filepath.Join(dir, "a.trv"), nil, 0o666),
		os.Symlink("a.trv", filepath.Join(dir, "k=1.trv"))); err != nil {
		t.Fatal(err)
	}
	if in, err := listFolder(storage.Local{}, dir, []string{".trv"}); err != nil || len(in.Files) != 2 {
		t.Errorf("%v, error %v", in.Files, err)
	}
	if err := os.Symlink("there", filepath.Join(dir, "k=2")); err != nil {
		t.Fatal(err)
	}
	if in, err := listFolder(storage.Local{}, dir, []string{".trv"}); err == nil || !strings.Contains(err.Error(), "k=2: is a link") {
		t.Errorf("%v, error %v", in.Files, err)
	}
}

func TestOrder(t *testing.T) {
	want := []string{"a.trv", "part-00000.trv", "part-00009.trv", "part-99999.trv", "part-100000.trv", "part-x.trv", "z.trv"}
	got := slices.Clone(want)
	slices.Sort(got)
	slices.SortFunc(got, func(a, b string) int { return strings.Compare(order(a), order(b)) })
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Names of other file systems are refused, unless files have them.
func TestListURI(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"hdfs://host:8020/a.trv", "gs://bucket/a"} {
		if _, err := ListOne(storage.Local{}, name, nil); err == nil || !strings.Contains(err.Error(), ":// is not read here") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := errors.Join(os.MkdirAll("x:/y", 0o777), os.WriteFile("x:/y/a.trv", nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	if _, err := ListOne(storage.Local{}, "x://y/a.trv", nil); err != nil {
		t.Error(err)
	}
}
